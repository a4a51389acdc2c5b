// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../math/random.ts';
import { eigenSymmetric, eigenValues } from '../eigen-symmetric.ts';

function makeSymmetric(size: number, seed: number, rank = size): Float64Array {
  const random = makeRandom(seed);
  const m = new Float64Array(size * size);
  for (let n = 0; n < rank; n++) {
    const v = Float64Array.from({ length: size }, () => random.normal());
    const s = random.normal();
    for (let r = 0; r < size; r++) for (let c = 0; c < size; c++) m[r * size + c] += s * v[r] * v[c];
  }
  return m;
}

function checkDecomposition(m: Float64Array, size: number): void {
  const { values, vectors } = eigenSymmetric(m, size);
  const scale = Math.max(...m.map(Math.abs), 1e-300);
  for (let n = 0; n < size; n++) {
    if (n > 0) expect(values[n]).toBeLessThanOrEqual(values[n - 1]);
    for (let r = 0; r < size; r++) {
      let sum = -values[n] * vectors[n * size + r];
      for (let c = 0; c < size; c++) sum += m[r * size + c] * vectors[n * size + c];
      expect(Math.abs(sum)).toBeLessThan(1e-12 * size * scale);
    }
    for (let k = 0; k <= n; k++) {
      let dot = 0;
      for (let c = 0; c < size; c++) dot += vectors[n * size + c] * vectors[k * size + c];
      expect(Math.abs(dot - (k === n ? 1 : 0))).toBeLessThan(1e-12);
    }
  }
}

describe('eigenValues', () => {
  it.each([1, 2, 3, 12, 40])('gives the values of eigenSymmetric for size %i', (size) => {
    for (const rank of [size, 1]) {
      const m = makeSymmetric(size, 7, rank);
      expect(eigenValues(m, size)).toEqual(eigenSymmetric(m, size).values);
    }
  });
});

describe('eigenSymmetric', () => {
  it('gives orthonormal eigenvectors', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 24 }), fc.integer({ min: 0, max: 1e6 }), (size, seed) =>
        checkDecomposition(makeSymmetric(size, seed), size),
      ),
      { numRuns: 60 },
    );
  });

  it('handles matrices of low rank, zero, diagonal, and equal eigenvalues', () => {
    checkDecomposition(makeSymmetric(30, 1, 3), 30);
    checkDecomposition(new Float64Array(25), 5);
    checkDecomposition(Float64Array.from([3, 0, 0, 0, 3, 0, 0, 0, 1]), 3);
    checkDecomposition(Float64Array.from([2, 1, 1, 1, 2, 1, 1, 1, 2]), 3);
  });

  it('handles a hundred and fifty unknowns', () => checkDecomposition(makeSymmetric(150, 7), 150));

  it('handles smooth matrices, most of whose eigenvalues are rounding errors', () => {
    const size = 100;
    const smooth = Float64Array.from({ length: size ** 2 }, (_, n) => {
      const distance = (Math.floor(n / size) - (n % size)) / 20;
      return 1 / (1 + distance ** 2);
    });
    checkDecomposition(smooth, size);
  });

  it('throws on numbers that are not finite', () => {
    expect(() => eigenSymmetric(Float64Array.from([1, Number.NaN, Number.NaN, 1]), 2)).toThrow('not finite');
  });
});
