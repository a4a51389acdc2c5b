// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../math/random.ts';
import { factorCholesky, solveCholesky } from '../dense-cholesky.ts';

/** AᵀA of a random rows x size matrix, row-major */
function normalMatrix(seed: number, rows: number, size: number): Float64Array {
  const random = makeRandom(seed);
  const a = Float64Array.from({ length: rows * size }, () => random.normal());
  const h = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      for (let r = 0; r < rows; r++) h[i * size + j] += a[r * size + i] * a[r * size + j];
    }
  }
  return h;
}

describe('factorCholesky and solveCholesky', () => {
  it('solve positive definite systems', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 12 }), (seed, size) => {
        const h = normalMatrix(seed, 2 * size + 4, size);
        const x = Float64Array.from({ length: size }, (_, i) => i - 2);
        const b = x.map((_, i) => x.reduce((sum, v, j) => sum + h[i * size + j] * v, 0));
        expect(factorCholesky(h, size, 1e-12)).toBe(0);
        solveCholesky(h, size, b);
        for (let i = 0; i < size; i++) expect(Math.abs(b[i] - x[i])).toBeLessThan(1e-10);
      }),
    );
  });

  it('work within a larger array, and do not change the upper triangle', () => {
    const size = 3;
    const stride = 5;
    const h = normalMatrix(4, 9, size);
    const inside = new Float64Array(stride * size).fill(77);
    for (let i = 0; i < size; i++) for (let j = 0; j <= i; j++) inside[i * stride + j] = h[i * size + j];
    factorCholesky(inside, size, 1e-12, stride);
    expect(inside[1]).toBe(77);
    const b = Float64Array.of(9, 1, 2, 3);
    solveCholesky(inside, size, b, stride, 1);
    for (let i = 0; i < size; i++) {
      expect(h[i * size] * b[1] + h[i * size + 1] * b[2] + h[i * size + 2] * b[3]).toBeCloseTo(i + 1, 12);
    }
    expect(b[0]).toBe(9);
  });

  it('raise the pivots of a singular matrix to the floor, and count them', () => {
    // rank two
    const h = normalMatrix(5, 2, 4);
    const b = Float64Array.from({ length: 4 }, (_, i) => h[i * 4] + h[i * 4 + 3]);
    const full = h.slice();
    expect(factorCholesky(h, 4, 1e-12 * Math.max(h[0], h[5], h[10], h[15]))).toBe(2);
    solveCholesky(h, 4, b);
    for (let i = 0; i < 4; i++) {
      const row = b.reduce((sum, v, j) => sum + full[i * 4 + j] * v, 0);
      expect(row).toBeCloseTo(full[i * 4] + full[i * 4 + 3], 2);
    }
  });

  it('throw on a floor that is not positive', () => {
    expect(() => factorCholesky(new Float64Array(1), 1, 0)).toThrow('pivotFloor must be above zero, got 0');
  });
});
