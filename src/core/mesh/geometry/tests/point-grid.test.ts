// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../math/random.ts';
import { PointGrid } from '../point-grid.ts';

describe('a grid of points', () => {
  it('finds the nearest one of points, also from outside of their box', () => {
    const { next: unit } = makeRandom(3);
    const points = Float32Array.from({ length: 600 }, () => unit());
    const grid = new PointGrid(points);
    for (let n = 0; n < 200; n++) {
      const [x, y, z] = [0, 1, 2].map(() => 3 * unit() - 1);
      const squareOf = (i: number) =>
        (points[3 * i] - x) ** 2 + (points[3 * i + 1] - y) ** 2 + (points[3 * i + 2] - z) ** 2;
      const least = Math.min(...Array.from({ length: 200 }, (_, i) => squareOf(i)));
      expect(squareOf(grid.findNearest(x, y, z))).toBe(least);
    }
  });

  it('finds the only point', () => {
    expect(new PointGrid(Float32Array.of(1, 2, 3)).findNearest(9, 9, 9)).toBe(0);
  });
});
