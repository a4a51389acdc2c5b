// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { svd3Into, svd3ProperInto } from '../svd3.ts';

function decompose(m: ArrayLike<number>, svd: typeof svd3Into) {
  const u = new Float64Array(9);
  const s = new Float64Array(3);
  const v = new Float64Array(9);
  const finite = svd(m, u, s, v);
  return { u, s, v, finite };
}

function expectOrthogonal(q: Float64Array): void {
  for (let a = 0; a < 3; a++) {
    for (let b = 0; b < 3; b++) {
      const dot = q[3 * a] * q[3 * b] + q[3 * a + 1] * q[3 * b + 1] + q[3 * a + 2] * q[3 * b + 2];
      expect(Math.abs(dot - (a === b ? 1 : 0))).toBeLessThan(1e-14);
    }
  }
}

const det = (m: ArrayLike<number>): number =>
  m[0] * (m[4] * m[8] - m[7] * m[5]) - m[3] * (m[1] * m[8] - m[7] * m[2]) + m[6] * (m[1] * m[5] - m[4] * m[2]);

function expectProduct(m: ArrayLike<number>, u: Float64Array, s: Float64Array, v: Float64Array): void {
  const size = Math.max(...Array.from(m, Math.abs));
  for (let col = 0; col < 3; col++) {
    for (let row = 0; row < 3; row++) {
      let sum = 0;
      for (let c = 0; c < 3; c++) sum += u[3 * c + row] * s[c] * v[3 * c + col];
      expect(Math.abs(sum - m[3 * col + row])).toBeLessThanOrEqual(2e-14 * size);
    }
  }
}

const entries = fc.oneof(
  fc.array(fc.double({ min: -1e100, max: 1e100, noNaN: true }), { minLength: 9, maxLength: 9 }),
  fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 9, maxLength: 9 }),
  fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 9, maxLength: 9 }),
);

describe('svd3Into', () => {
  it('gives orthogonal U and V, falling singular values, and the matrix back', () => {
    fc.assert(
      fc.property(entries, (m) => {
        const { u, s, v, finite } = decompose(m, svd3Into);
        expect(finite).toBe(true);
        expectOrthogonal(u);
        expectOrthogonal(v);
        expect(s[0]).toBeGreaterThanOrEqual(s[1]);
        expect(s[1]).toBeGreaterThanOrEqual(s[2]);
        expect(s[2]).toBeGreaterThanOrEqual(0);
        expectProduct(m, u, s, v);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the relative accuracy of small singular values when columns differ in size', () => {
    const { u, s, v } = decompose([1, 0, 0, 1e-10, 1e-10, 0, 1e-20, 1e-20, 1e-20], svd3Into);
    // The lengths of what each column adds across the ones before it are 1, 1e-10 and 1e-20; MᵀM would keep none below 1e-8.
    expect(s[1] / 1e-10).toBeCloseTo(1, 12);
    expect(s[2] / 1e-20).toBeCloseTo(1, 12);
    expectOrthogonal(u);
    expectOrthogonal(v);
  });

  it('gives U = V = I for zero, and says so of a matrix that is not finite', () => {
    const zero = decompose(new Array(9).fill(0), svd3Into);
    expect([...zero.u]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    expect([...zero.s]).toEqual([0, 0, 0]);
    expect(zero.finite).toBe(true);
    const bad = decompose([0, 0, 0, 0, Number.NaN, 0, 0, 0, 0], svd3Into);
    expect(bad.finite).toBe(false);
    expect([...bad.v]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  });
});

describe('svd3ProperInto', () => {
  it('gives two rotations, and puts the sign of the determinant on the last singular value', () => {
    fc.assert(
      fc.property(entries, (m) => {
        const { u, s, v } = decompose(m, svd3ProperInto);
        expect(det(u)).toBeCloseTo(1, 12);
        expect(det(v)).toBeCloseTo(1, 12);
        expect(s[1]).toBeGreaterThanOrEqual(Math.abs(s[2]));
        expectProduct(m, u, s, v);
      }),
      { numRuns: 1000 },
    );
  });
});
