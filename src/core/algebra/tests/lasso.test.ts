// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeLassoFitter } from '../../../methods/convert/fit/lasso-cross-validate.ts';
import { makeRandom } from '../../math/random.ts';
import { largestPenaltyOf, lassoInto } from '../lasso.ts';

function makeProblem(rows: number, columns: number, seed: number) {
  const random = makeRandom(seed);
  const a = Float64Array.from({ length: rows * columns }, () => random.normal());
  const y = Float64Array.from({ length: rows }, () => random.normal());
  const gram = new Float64Array(columns * columns);
  const linear = new Float64Array(columns);
  for (let r = 0; r < rows; r++) {
    for (let k = 0; k < columns; k++) {
      linear[k] += a[r * columns + k] * y[r];
      for (let l = 0; l < columns; l++) gram[k * columns + l] += a[r * columns + k] * a[r * columns + l];
    }
  }
  return { a, y, gram, linear };
}

describe('lassoInto', () => {
  it.each([1, 2, 3, 4])('meets the optimality conditions, seed %i', (seed) => {
    const columns = 12;
    const { gram, linear } = makeProblem(30, columns, seed);
    const beta = 0.2 * largestPenaltyOf(linear);
    const x = new Float64Array(columns);
    expect(lassoInto(gram, linear, beta, x).isConverged).toBe(true);
    let zeros = 0;
    for (let k = 0; k < columns; k++) {
      let g = 2 * linear[k];
      for (let l = 0; l < columns; l++) g -= 2 * gram[k * columns + l] * x[l];
      if (x[k] === 0) {
        zeros++;
        expect(Math.abs(g)).toBeLessThanOrEqual(beta * (1 + 1e-9));
      } else expect(Math.abs(g - Math.sign(x[k]) * beta)).toBeLessThan(1e-5 * beta);
    }
    expect(zeros).toBeGreaterThan(0);
  });

  it('gives least squares without a penalty, and zero from the largest penalty on', () => {
    const gram = Float64Array.of(4, 1, 1, 3);
    const linear = Float64Array.of(1, 2);
    const x = new Float64Array(2);
    lassoInto(gram, linear, 0, x);
    expect(4 * x[0] + x[1]).toBeCloseTo(1, 6);
    expect(x[0] + 3 * x[1]).toBeCloseTo(2, 6);
    lassoInto(gram, linear, largestPenaltyOf(linear), x);
    expect([...x]).toEqual([0, 0]);
  });

  it('keeps coordinates above the lower bound, and gives zero for columns of zeros', () => {
    const { gram, linear } = makeProblem(20, 6, 9);
    for (let l = 0; l < 6; l++) gram[2 * 6 + l] = gram[l * 6 + 2] = 0;
    const x = new Float64Array(6).fill(1);
    lassoInto(gram, linear, 0.1, x, { lowest: 0 });
    expect(x[2]).toBe(0);
    for (const value of x) expect(value).toBeGreaterThanOrEqual(0);
    expect(() => lassoInto(gram, linear, 0.1, x, { lowest: 1 })).toThrow(/lowest/);
    expect(() => lassoInto(gram, new Float64Array(5), 0.1, x)).toThrow(/5 x 5/);
  });

  it('accepts a penalty per coordinate', () => {
    const { gram, linear } = makeProblem(30, 4, 5);
    const x = new Float64Array(4);
    lassoInto(gram, linear, Float64Array.of(0, 1e9, 0, 1e9), x);
    expect([x[1], x[3]]).toEqual([0, 0]);
    expect(x[0]).not.toBe(0);
  });
});

describe('makeLassoFitter', () => {
  it('finds the few columns that generated noisy values', () => {
    const random = makeRandom(3);
    const [rowCount, columnCount] = [60, 20];
    const rows = Float64Array.from({ length: rowCount * columnCount }, () => random.normal());
    const values = new Float64Array(rowCount);
    for (let r = 0; r < rowCount; r++)
      values[r] = 3 * rows[r * columnCount + 4] - 2 * rows[r * columnCount + 11] + 0.05 * random.normal();
    const { coefficients, heldOut } = makeLassoFitter(rows, columnCount, { slack: 1 }).fit(values);
    expect(coefficients[4]).toBeCloseTo(3, 0);
    expect(coefficients[11]).toBeCloseTo(-2, 0);
    coefficients.forEach((value, k) => {
      if (k !== 4 && k !== 11) expect(Math.abs(value)).toBeLessThan(0.05);
    });
    expect(heldOut).toBeLessThan(0.05 * values.reduce((sum, y) => sum + y * y, 0));
  });

  it('recovers an exact polynomial, uses a given penalty, and returns zeros for zeros', () => {
    const random = makeRandom(8);
    const rows = Float64Array.from({ length: 40 * 5 }, () => random.normal());
    const values = Float64Array.from({ length: 40 }, (_, r) => rows[5 * r] - 0.5 * rows[5 * r + 3]);
    const fitter = makeLassoFitter(rows, 5);
    const { coefficients } = fitter.fit(values);
    expect(coefficients[0]).toBeCloseTo(1, 4);
    expect(coefficients[3]).toBeCloseTo(-0.5, 4);
    expect(fitter.fit(values, 1).coefficients.every((value) => value === 0)).toBe(true);
    expect(fitter.fit(values, 0.5).ratio).toBe(0.5);
    expect(fitter.fit(new Float64Array(40)).coefficients.every((value) => value === 0)).toBe(true);
  });
});
