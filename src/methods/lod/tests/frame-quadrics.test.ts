// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import { evaluateQuadric, FrameQuadrics, minimizeQuadric, QUADRIC_SIZE } from '../frame-quadrics.ts';

const random = makeRandom(5);
const number = () => 2 * random.next() - 1;
const FRAMES = 4;

describe('FrameQuadrics', () => {
  it('is, in rest space, the mean over frames of squared distances from all planes of two points', () => {
    const quadrics = new FrameQuadrics(3, FRAMES);
    const planes: { point: number; frame: number; n: number[]; d: number; weight: number }[] = [];
    for (let k = 0; k < 40; k++) {
      const n = [number(), number(), number()];
      const length = Math.hypot(...n);
      const plane = {
        point: k % 3,
        frame: k % FRAMES,
        n: n.map((x) => x / length),
        d: number(),
        weight: random.next(),
      };
      planes.push(plane);
      quadrics.addPlane(plane.point, plane.frame, plane.n, plane.d, plane.weight);
    }
    const values = Float32Array.from({ length: 12 * FRAMES * 2 }, number);
    const out = new Float64Array(QUADRIC_SIZE);
    quadrics.pullBackInto(0, 2, { frameCount: FRAMES, vertexCount: 2, values }, 1, out);
    for (let k = 0; k < 10; k++) {
      const u = [number(), number(), number()];
      const expected = planes.reduce((sum, { point, frame, n, d, weight }) => {
        if (point === 1) return sum;
        const m = 12 * (2 * frame + 1);
        const v = [0, 1, 2].map(
          (r) => values[m + r] * u[0] + values[m + 3 + r] * u[1] + values[m + 6 + r] * u[2] + values[m + 9 + r],
        );
        return sum + (weight * (n[0] * v[0] + n[1] * v[1] + n[2] * v[2] + d) ** 2) / FRAMES;
      }, 0);
      expect(evaluateQuadric(out, u[0], u[1], u[2])).toBeCloseTo(expected, 10);
    }
  });

  it('finds the minimum, and stays in place along flat directions', () => {
    const quadrics = new FrameQuadrics(1, 1);
    quadrics.addPlane(0, 0, [1, 0, 0], -2, 1);
    quadrics.addPlane(0, 0, [0, 1, 0], -3, 1);
    const identity = { frameCount: 1, vertexCount: 1, values: Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0) };
    const q = new Float64Array(QUADRIC_SIZE);
    quadrics.pullBackInto(0, 0, identity, 0, q);
    const best = new Float64Array(3);
    expect(minimizeQuadric(q, [0, 0, 7], 1e-6, best)).toBe(true);
    expect(best[0]).toBeCloseTo(2, 4);
    expect(best[1]).toBeCloseTo(3, 4);
    expect(best[2]).toBeCloseTo(7, 10);
    expect(minimizeQuadric(new Float64Array(QUADRIC_SIZE), [0, 0, 0], 1e-6, best)).toBe(false);
  });
});
