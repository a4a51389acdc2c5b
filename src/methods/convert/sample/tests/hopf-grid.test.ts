// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { hopfGrid } from '../hopf-grid.ts';

describe('hopfGrid', () => {
  it.each([
    [0, 72],
    [1, 576],
    [2, 4608],
  ])('has unit quaternions, level %i: %i of them, all different', (level, count) => {
    const grid = hopfGrid(level);
    expect(grid.length).toBe(4 * count);
    const seen = new Set<string>();
    for (let o = 0; o < grid.length; o += 4) {
      const q = [...grid.subarray(o, o + 4)];
      expect(Math.hypot(...q)).toBeCloseTo(1, 12);
      const sign = Math.sign(q.find((x) => Math.abs(x) > 1e-9)!);
      seen.add(q.map((x) => (sign * x + 0).toFixed(6)).join());
    }
    expect(seen.size).toBe(count);
  });

  it('is uniform: means vanish, and no rotation is far from the grid', () => {
    const grid = hopfGrid(1);
    const second = new Float64Array(16);
    for (let o = 0; o < grid.length; o += 4)
      for (let a = 0; a < 4; a++) for (let b = 0; b < 4; b++) second[4 * a + b] += (grid[o + a] * grid[o + b]) / 576;
    // over all rotations E[q qᵀ] is a quarter of the identity
    second.forEach((x, e) => {
      expect(x).toBeCloseTo(e % 5 === 0 ? 0.25 : 0, 2);
    });
    const random = makeRandom(1);
    for (let n = 0; n < 300; n++) {
      const q = [random.normal(), random.normal(), random.normal(), random.normal()];
      const length = Math.hypot(...q);
      let max = 0;
      for (let o = 0; o < grid.length; o += 4) {
        const dot = q.reduce((sum, x, c) => sum + (x / length) * grid[o + c], 0);
        max = Math.max(max, Math.abs(dot));
      }
      expect((2 * Math.acos(Math.min(1, max)) * 180) / Math.PI).toBeLessThan(33);
    }
  });

  it('rejects invalid levels', () => {
    expect(() => hopfGrid(9)).toThrow('hopfGrid: the level must be 0 to 4, got 9');
  });
});
