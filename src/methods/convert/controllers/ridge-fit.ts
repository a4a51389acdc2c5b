// SPDX-License-Identifier: MIT
// Least squares with a small ridge, |y − A x|² + μ|x|² on columns of unit length, and the held-out error of every output; μ by cross-validation.
// Controllers use it while helpers still change: one factorization serves all outputs, while the lasso needs a descent for each.
import { factorCholesky, solveCholesky } from '../../../core/algebra/dense-cholesky.ts';

/** Candidates of the ridge, in ascending order. */
const RIDGES = [1e-9, 1e-7, 1e-5, 1e-3];
const FOLDS = 5;
const PIVOT_FLOOR = 1e-14;

export interface RidgeFit {
  /** outputs x columns */
  coefficients: Float64Array;
  /** outputs: sums of squared errors of rows predicted from other folds */
  heldOut: Float64Array;
}

/**
 * Fits all outputs with one ridge.
 * @param rows rowCount x columnCount
 * @param values outputCount x rowCount
 * @param costs outputCount: weight of the squared error of each output in the choice of the ridge
 */
export function ridgeFit(
  rows: Float64Array,
  columnCount: number,
  values: Float64Array,
  costs: readonly number[],
): RidgeFit {
  const rowCount = rows.length / columnCount;
  const outputCount = costs.length;
  const scales = new Float64Array(columnCount);
  for (let e = 0; e < rows.length; e++) scales[e % columnCount] += rows[e] * rows[e];
  for (let k = 0; k < columnCount; k++) scales[k] = scales[k] > 0 ? 1 / Math.sqrt(scales[k]) : 0;
  const scaled = Float64Array.from(rows, (value, e) => value * scales[e % columnCount]);
  const inFold = (row: number, fold: number): boolean => row % FOLDS === fold;
  const factor = new Float64Array(columnCount * columnCount);
  const x = new Float64Array(columnCount);

  /** Normal equations without one fold (-1: with all). */
  const gramInto = (fold: number): Float64Array => {
    const gram = new Float64Array(columnCount * columnCount);
    for (let row = 0; row < rowCount; row++) {
      if (inFold(row, fold)) continue;
      const o = row * columnCount;
      for (let k = 0; k < columnCount; k++) {
        const a = scaled[o + k];
        if (a !== 0) for (let l = 0; l <= k; l++) gram[k * columnCount + l] += a * scaled[o + l];
      }
    }
    return gram;
  };
  const solve = (output: number, fold: number): void => {
    x.fill(0);
    for (let row = 0; row < rowCount; row++) {
      if (inFold(row, fold)) continue;
      const y = values[output * rowCount + row];
      for (let k = 0; k < columnCount; k++) x[k] += scaled[row * columnCount + k] * y;
    }
    solveCholesky(factor, columnCount, x);
  };
  const prepare = (gram: Float64Array, ridge: number): void => {
    factor.set(gram);
    for (let k = 0; k < columnCount; k++) factor[k * columnCount + k] += ridge;
    factorCholesky(factor, columnCount, PIVOT_FLOOR);
  };

  const errors = RIDGES.map(() => new Float64Array(outputCount));
  for (let fold = 0; fold < FOLDS; fold++) {
    const gram = gramInto(fold);
    for (const [n, ridge] of RIDGES.entries()) {
      prepare(gram, ridge);
      for (let output = 0; output < outputCount; output++) {
        solve(output, fold);
        for (let row = fold; row < rowCount; row += FOLDS) {
          let off = values[output * rowCount + row];
          for (let k = 0; k < columnCount; k++) off -= scaled[row * columnCount + k] * x[k];
          errors[n][output] += off * off;
        }
      }
    }
  }
  const totals = errors.map((own) => own.reduce((sum, error, output) => sum + costs[output] * error, 0));
  let best = 0;
  for (let n = 1; n < RIDGES.length; n++) if (totals[n] < totals[best]) best = n;
  prepare(gramInto(-1), RIDGES[best]);
  const coefficients = new Float64Array(outputCount * columnCount);
  for (let output = 0; output < outputCount; output++) {
    solve(output, -1);
    for (let k = 0; k < columnCount; k++) coefficients[output * columnCount + k] = x[k] * scales[k];
  }
  return { coefficients, heldOut: errors[best] };
}
