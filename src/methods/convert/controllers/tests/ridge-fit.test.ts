// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { ridgeFit } from '../ridge-fit.ts';

describe('ridgeFit', () => {
  it('recovers exact coefficients with a held-out error of zero', () => {
    const random = makeRandom(4);
    const rows = Float64Array.from({ length: 50 * 6 }, () => random.normal());
    const truth = [1, -2, 0, 0.5, 0, 3];
    const values = new Float64Array(100);
    for (let r = 0; r < 50; r++) {
      values[r] = truth.reduce((sum, x, k) => sum + x * rows[6 * r + k], 0);
      values[50 + r] = rows[6 * r + 4];
    }
    const { coefficients, heldOut } = ridgeFit(rows, 6, values, [1, 1]);
    [...truth, 0, 0, 0, 0, 1, 0].forEach((x, e) => {
      expect(coefficients[e]).toBeCloseTo(x, 6);
    });
    expect(heldOut[0]).toBeLessThan(1e-10);
  });

  it('does not fit noise if there are more columns than independent rows', () => {
    const random = makeRandom(5);
    const rows = Float64Array.from({ length: 20 * 19 }, () => random.normal());
    const values = Float64Array.from({ length: 20 }, () => random.normal());
    const { heldOut } = ridgeFit(rows, 19, values, [1]);
    const plain = values.reduce((sum, y) => sum + y * y, 0);
    expect(heldOut[0]).toBeGreaterThan(0.5 * plain);
    expect(heldOut.every(Number.isFinite)).toBe(true);
  });
});
