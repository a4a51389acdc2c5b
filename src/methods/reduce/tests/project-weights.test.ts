// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeSimplexSolver } from '../../../core/algebra/simplex-least-squares.ts';
import { makeRandom } from '../../../core/math/random.ts';
import type { JointRange, Range } from '../../../fit/poses/ranges-of-motion.ts';
import { drawPoses } from '../draw-poses.ts';
import { makeProjection, projectSimplex } from '../project-weights.ts';

/** Solves one problem, from the given start or from equal weights. */
function simplexLeastSquares(h: ArrayLike<number>, f: ArrayLike<number>, start?: ArrayLike<number>) {
  const x = start ? Float64Array.from(start) : new Float64Array(f.length);
  return { ...makeSimplexSolver(f.length).solveInto(h, f, x), x };
}

describe('projections of weights', () => {
  it('onto the simplex are the nearest convex weights', () => {
    const random = makeRandom(3);
    for (let n = 0; n < 50; n++) {
      const size = 1 + random.below(6);
      const x = Float64Array.from({ length: size }, () => 2 * random.normal());
      const h = Float64Array.from({ length: size * size }, (_, c) => (c % (size + 1) === 0 ? 1 : 0));
      const nearest = simplexLeastSquares(h, x).x;
      projectSimplex(x, 0, size);
      x.forEach((value, c) => {
        expect(value).toBeCloseTo(nearest[c], 9);
      });
    }
  });

  it('onto cage coordinates keep the position of the point with the smallest change', () => {
    const random = makeRandom(4);
    const vertices = Float64Array.from({ length: 3 * 6 }, () => random.normal());
    const points = Float64Array.of(0.1, -0.2, 0.15);
    const columns = Uint32Array.of(0, 1, 2, 3, 4, 5);
    const given = Float64Array.of(0.3, 0.2, 0.2, 0.1, 0.1, 0.1);
    const values = given.slice();
    expect(makeProjection({ vertices, points }, 6)(values, columns, 0, 6, 0)).toBe(true);
    const placeOf = (w: Float64Array, r: number): number =>
      w.reduce((sum, value, j) => sum + value * (r < 3 ? vertices[3 * j + r] : 1), 0);
    for (let r = 0; r < 4; r++) expect(placeOf(values, r)).toBeCloseTo(r < 3 ? points[r] : 1, 6);
    // the change is across every change that keeps sum and place
    const other = values.map((value) => value + 0.1 * random.normal());
    expect(makeProjection({ vertices, points }, 6)(other, columns, 0, 6, 0)).toBe(true);
    let dot = 0;
    for (let j = 0; j < 6; j++) dot += (values[j] - given[j]) * (other[j] - values[j]);
    expect(Math.abs(dot)).toBeLessThan(1e-6);
  });

  it('do not change weights if the positions cannot reproduce the point', () => {
    const vertices = Float64Array.of(0, 0, 0, 1, 0, 0);
    const values = Float64Array.of(0.5, 0.5);
    const cage = { vertices, points: Float64Array.of(40, 90, 70) };
    const isDone = makeProjection(cage, 2)(values, Uint32Array.of(0, 1), 0, 2, 0);
    if (!isDone) expect([...values]).toEqual([0.5, 0.5]);
    expect(Math.abs(values[0]) + Math.abs(values[1])).toBeLessThan(8);
  });
});

describe('drawPoses', () => {
  const skeleton = {
    names: ['hip', 'knee'],
    parents: Int32Array.of(-1, 0),
    bindMatrices: Float64Array.of(
      1,
      0,
      0,
      0,
      0,
      1,
      0,
      0,
      0,
      0,
      1,
      0,
      0,
      1,
      0,
      1,
      0,
      1,
      0,
      0,
      -1,
      0,
      0,
      0,
      0,
      0,
      1,
      0,
      0,
      2,
      0,
      1,
    ),
  };
  const rangeOf = (angle: number): JointRange => {
    const turn: Range = [-angle, angle];
    return {
      rotation: [turn, turn, turn],
      translation: [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
    };
  };

  it('gives rigid bones with connected joints, the same for the same seed', () => {
    const poses = drawPoses(skeleton, [rangeOf(1), rangeOf(2)], 8, 5);
    expect(drawPoses(skeleton, [rangeOf(1), rangeOf(2)], 8, 5)).toEqual(poses);
    for (let k = 0; k < 8; k++) {
      const knee = [0, 2, 0];
      const images = [0, 1].map((j) => {
        const o = 16 * (2 * k + j);
        for (let a = 0; a < 3; a++)
          for (let b = 0; b < 3; b++) {
            let dot = 0;
            for (let r = 0; r < 3; r++) dot += poses[o + 4 * a + r] * poses[o + 4 * b + r];
            expect(dot).toBeCloseTo(a === b ? 1 : 0, 9);
          }
        return [0, 1, 2].map((r) => knee.reduce((sum, x, c) => sum + poses[o + 4 * c + r] * x, poses[o + 12 + r]));
      });
      for (let r = 0; r < 3; r++) expect(images[0][r]).toBeCloseTo(images[1][r], 9);
    }
  });

  it('gives the rest pose for empty ranges', () => {
    const poses = drawPoses(skeleton, [rangeOf(0), rangeOf(0)], 1);
    poses.forEach((x, c) => {
      expect(x).toBeCloseTo(c % 16 === 0 || c % 16 === 5 || c % 16 === 10 || c % 16 === 15 ? 1 : 0, 9);
    });
    expect(() => drawPoses(skeleton, [rangeOf(0)], 1)).toThrow('1 ranges of motion for 2 bones');
  });
});
