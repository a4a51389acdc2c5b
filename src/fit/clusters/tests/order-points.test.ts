// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import { orderPoints } from '../order-points.ts';

describe('orderPoints', () => {
  const random = makeRandom(3);
  // longer one way than the others, and lopsided
  const points = Float64Array.from({ length: 600 }, (_, c) => random.normal() ** 2 * [5, 3, 1][c % 3]);

  it('is a permutation', () => {
    expect([...orderPoints(points)].sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i));
  });

  it('does not depend on the order of the input', () => {
    const reversed = new Float64Array(points.length);
    for (let i = 0; i < 200; i++) reversed.set(points.subarray(3 * i, 3 * i + 3), 3 * (199 - i));
    expect([...orderPoints(reversed)].map((i) => 199 - i)).toEqual([...orderPoints(points)]);
  });

  it('is the same for a rotated, moved and scaled shape', () => {
    const moved = new Float64Array(points.length);
    for (let i = 0; i < 200; i++) {
      const [x, y, z] = points.subarray(3 * i, 3 * i + 3);
      moved.set([3 * (0.6 * x - 0.8 * y) + 9, 3 * (0.8 * x + 0.6 * y), 3 * z - 2], 3 * i);
    }
    const a = orderPoints(points);
    const b = orderPoints(moved);
    let differ = 0;
    for (let n = 0; n < 200; n++) if (a[n] !== b[n]) differ++;
    expect(differ).toBeLessThanOrEqual(4);
  });

  it('accepts one point, and coincident points', () => {
    expect([...orderPoints(Float64Array.from([1, 2, 3]))]).toEqual([0]);
    expect([...orderPoints(new Float64Array(9).fill(7))]).toEqual([0, 1, 2]);
  });
});
