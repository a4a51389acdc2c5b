// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { boneProductsKernel, widthOf } from '../../../../core/kernels/bones/bone-products.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { nearestRotationInto } from '../../../../core/math/rotation.ts';
import { measureGap, pairGapInto, solvePairJoint } from '../pair-joints.ts';

const FRAMES = 12;

/** Two bones that share a joint: the second turns against the first about it, by any turn or only about one axis. */
function makePair(joint: number[], axis?: number[]) {
  const random = makeRandom(2);
  const bones = new Float64Array(3 * FRAMES * 8);
  const m = new Float64Array(9);
  const n = new Float64Array(9);
  for (let k = 0; k < FRAMES; k++) {
    for (let c = 0; c < 9; c++) m[c] = (c % 4 === 0 ? 1 : 0) + 0.5 * random.normal();
    nearestRotationInto(m, m);
    if (axis) {
      const angle = 0.1 * k;
      const [x, y, z] = axis;
      const cross = [0, z, -y, -z, 0, x, y, -x, 0];
      for (let c = 0; c < 3; c++) {
        for (let r = 0; r < 3; r++) {
          const along = axis[r] * axis[c];
          n[3 * c + r] = along + Math.cos(angle) * ((r === c ? 1 : 0) - along) + Math.sin(angle) * cross[3 * c + r];
        }
      }
    } else {
      for (let c = 0; c < 9; c++) n[c] = (c % 4 === 0 ? 1 : 0) + 0.5 * random.normal();
      nearestRotationInto(n, n);
    }
    const move = [0, 1, 2].map(() => random.normal());
    for (let r = 0; r < 3; r++) {
      const row = (3 * k + r) * 8;
      let own = move[r];
      for (let c = 0; c < 3; c++) {
        let turned = 0;
        for (let e = 0; e < 3; e++) turned += m[3 * e + r] * n[3 * c + e];
        bones[row + c] = m[3 * c + r];
        bones[row + 4 + c] = turned;
        own += (m[3 * c + r] - turned) * joint[c];
      }
      bones[row + 3] = move[r];
      bones[row + 7] = own;
    }
  }
  const pairs = new Float64Array(2 * 10 * widthOf(2));
  const diagonal = new Float64Array(10 * widthOf(2));
  const views = { bones, pairs, diagonal, rows: 3 * FRAMES, boneCount: 2, width: widthOf(2) };
  for (const j of [0, 1]) boneProductsKernel.reference(views, j);
  const gap = new Float64Array(10);
  pairGapInto(pairs, 2, 0, 1, gap);
  /** By plain loops over frames. */
  const measure = (o: ArrayLike<number>): number => {
    let sum = 0;
    for (let row = 0; row < 3 * FRAMES; row++) {
      let apart = bones[8 * row + 3] - bones[8 * row + 7];
      for (let c = 0; c < 3; c++) apart += (bones[8 * row + c] - bones[8 * row + 4 + c]) * o[c];
      sum += apart * apart;
    }
    return sum;
  };
  return { gap, measure };
}

describe('the joint of two bones', () => {
  it.each(['soft', 'pseudo-inverse'] as const)('is where they move alike (%s)', (solver) => {
    const joint = [0.3, -0.2, 0.5];
    const { gap } = makePair(joint);
    const found = solvePairJoint(gap, [0.31, -0.19, 0.49], solver);
    for (let r = 0; r < 3; r++) expect(found.joint[r]).toBeCloseTo(joint[r], 3);
  });

  it('has the same gap as a sum over frames, at any position', () => {
    const { gap, measure } = makePair([0.1, 0.2, 0.3]);
    const random = makeRandom(4);
    for (let n = 0; n < 20; n++) {
      const o = [random.normal(), random.normal(), random.normal()];
      expect(measureGap(gap, o)).toBeCloseTo(measure(o), 9);
    }
    const best = solvePairJoint(gap, [0, 0, 0], 'pseudo-inverse').joint;
    for (const [r, step] of [0, 1, 2].flatMap((c) => [
      [c, 0.01],
      [c, -0.01],
    ])) {
      const other = [...best];
      other[r] += step;
      expect(measure(other)).toBeGreaterThan(measure(best));
    }
  });

  it.each(['soft', 'pseudo-inverse'] as const)(
    'of a hinge is the point of its axis that is nearest to the given point (%s)',
    (solver) => {
      const axis = [0.6, 0, 0.8];
      const joint = [0.2, 0.4, -0.1];
      const { gap } = makePair(joint, axis);
      const near = [0, 1, 2].map((r) => joint[r] + 0.7 * axis[r] + (r === 1 ? 0.01 : 0));
      const found = solvePairJoint(gap, near, solver);
      expect(found.error).toBeLessThan(1e-4);
      const along = [0, 1, 2].reduce((sum, r) => sum + (found.joint[r] - joint[r]) * axis[r], 0);
      expect(along).toBeCloseTo(0.7, 6);
    },
  );

  it('of bones that move alike is the given point', () => {
    expect(solvePairJoint(new Float64Array(10), [1, 2, 3], 'soft').joint).toEqual([1, 2, 3]);
    expect(solvePairJoint(new Float64Array(10), [1, 2, 3], 'pseudo-inverse').error).toBe(0);
  });
});
