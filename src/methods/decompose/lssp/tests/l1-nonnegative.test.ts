// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { largestPenaltyOf, lassoInto } from '../../../../core/algebra/lasso.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { makeL1Solver } from '../l1-nonnegative.ts';

const SIZE = 5;

function makeProblem(seed: number) {
  const random = makeRandom(seed);
  const rows = 8;
  const a = Float64Array.from({ length: rows * SIZE }, () => random.normal());
  const y = Float64Array.from({ length: rows }, () => random.normal());
  const gram = new Float64Array(SIZE * SIZE);
  const linear = new Float64Array(SIZE);
  for (let r = 0; r < rows; r++) {
    for (let k = 0; k < SIZE; k++) {
      linear[k] += a[r * SIZE + k] * y[r];
      for (let l = 0; l < SIZE; l++) gram[k * SIZE + l] += a[r * SIZE + k] * a[r * SIZE + l];
    }
  }
  return { gram, linear };
}

function objectiveOf(gram: Float64Array, linear: Float64Array, penalty: number, x: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < SIZE; k++) {
    sum += (penalty - 2 * linear[k]) * x[k];
    for (let l = 0; l < SIZE; l++) sum += gram[k * SIZE + l] * x[k] * x[l];
  }
  return sum;
}

/** The least objective over all 3^5 … places of a grid that closes in on its best. */
function searchGrid(gram: Float64Array, linear: Float64Array, penalty: number): number {
  const center = new Array<number>(SIZE).fill(0);
  let best = 0;
  const x = new Array<number>(SIZE).fill(0);
  for (let width = 1; width > 1e-5; ) {
    let moved = false;
    for (let code = 0; code < 3 ** SIZE; code++) {
      for (let k = 0, rest = code; k < SIZE; k++, rest = Math.floor(rest / 3))
        x[k] = Math.max(0, center[k] + ((rest % 3) - 1) * width);
      const value = objectiveOf(gram, linear, penalty, x);
      if (value < best - 1e-15) {
        best = value;
        center.splice(0, SIZE, ...x);
        moved = true;
        break;
      }
    }
    if (!moved) width /= 2;
  }
  return best;
}

describe('makeL1Solver', () => {
  it.each([1, 2, 3, 4, 5, 6])('reaches the minimum of a grid search and of coordinate descent, seed %i', (seed) => {
    const { gram, linear } = makeProblem(seed);
    const penalty = 0.2 * largestPenaltyOf(linear, 0);
    const x = new Float64Array(SIZE);
    makeL1Solver(SIZE).solveInto(gram, linear, penalty, x);
    for (const value of x) expect(value).toBeGreaterThanOrEqual(0);
    const minimum = objectiveOf(gram, linear, penalty, x);
    expect(minimum).toBeLessThanOrEqual(searchGrid(gram, linear, penalty) + 1e-12);
    const other = new Float64Array(SIZE);
    lassoInto(gram, linear, penalty, other, { lowest: 0 });
    for (let k = 0; k < SIZE; k++) expect(x[k]).toBeCloseTo(other[k], 5);
  });

  it('gives fewer nonzeros for larger penalties, and none above the largest', () => {
    const { gram, linear } = makeProblem(7);
    const solver = makeL1Solver(SIZE);
    const x = new Float64Array(SIZE);
    const counts = [0, 0.3, 0.6, 1.001].map((part) => {
      solver.solveInto(gram, linear, part * largestPenaltyOf(linear, 0), x);
      return x.filter((value) => value > 0).length;
    });
    expect(counts[3]).toBe(0);
    expect(counts[2]).toBeLessThanOrEqual(counts[0]);
  });

  it('refits without the penalty, on the same unknowns', () => {
    const { gram, linear } = makeProblem(3);
    const solver = makeL1Solver(SIZE);
    const penalty = 0.3 * largestPenaltyOf(linear, 0);
    const pulled = new Float64Array(SIZE);
    const fitted = new Float64Array(SIZE);
    solver.solveInto(gram, linear, penalty, pulled);
    solver.solveInto(gram, linear, penalty, fitted, true);
    for (let k = 0; k < SIZE; k++) if (pulled[k] === 0) expect(fitted[k]).toBe(0);
    expect(objectiveOf(gram, linear, 0, fitted)).toBeLessThan(objectiveOf(gram, linear, 0, pulled));
    for (let k = 0; k < SIZE; k++) {
      if (!(fitted[k] > 0)) continue;
      let slope = linear[k];
      for (let l = 0; l < SIZE; l++) slope -= gram[k * SIZE + l] * fitted[l];
      expect(slope).toBeCloseTo(0, 9);
    }
  });

  it('throws on invalid input', () => {
    const solver = makeL1Solver(2);
    expect(() => solver.solveInto(new Float64Array(4), new Float64Array(2), -1, new Float64Array(2))).toThrow(
      /penalty/,
    );
    expect(() => solver.solveInto(new Float64Array(3), new Float64Array(2), 1, new Float64Array(2))).toThrow(/2 x 2/);
  });
});
