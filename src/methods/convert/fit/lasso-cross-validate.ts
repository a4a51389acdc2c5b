// SPDX-License-Identifier: MIT
// The penalty of a lasso by cross-validation: rows are divided into folds, each fold is predicted from the others along a falling path of penalties, and the
// largest penalty is chosen whose validation error is within a few percent of the lowest.
//
// Columns are scaled to unit length first, so that one penalty suits all; coefficients are returned in the units of the columns.

import { largestPenaltyOf, lassoInto } from '../../../core/algebra/lasso.ts';
import { powerOf } from '../../../core/math/sine.ts';

export interface LassoPathOptions {
  /** Candidate penalties, relative to the smallest that gives all zeros; falling. */
  ratios?: readonly number[];
  folds?: number;
  /** Validation errors within this ratio of the lowest count as equal; the larger penalty is chosen. Not tuned. */
  slack?: number;
  /** Maximum sweeps of each descent. */
  sweeps?: number;
}

/** 1, 0.3, 0.1 … 1e-6 */
const RATIOS: readonly number[] = Array.from({ length: 13 }, (_, n) => powerOf(10, -n / 2));

export const LASSO_PATH_DEFAULTS: Required<LassoPathOptions> = { ratios: RATIOS, folds: 5, slack: 0.05, sweeps: 300 };

export interface LassoFit {
  /** columns */
  coefficients: Float64Array;
  /** The chosen penalty, relative to the smallest that gives all zeros. */
  ratio: number;
  /** Validation error at that penalty: the sum of squared errors of rows predicted from other folds. */
  heldOut: number;
}

/** Fits of rows by columns, prepared once for any number of right-hand sides. */
export interface LassoFitter {
  /**
   * @param values one per row
   * @param ratio the penalty, relative to the smallest that gives all zeros; default: by cross-validation
   * @param allowance validation errors at most this far above the lowest (a sum of squares) count as equal, in addition to those within the slack
   */
  fit(values: Float64Array, ratio?: number, allowance?: number): LassoFit;
}

/**
 * @param rows rowCount x columnCount
 * @param foldOf the fold of each row; default: round-robin
 */
export function makeLassoFitter(
  rows: Float64Array,
  columnCount: number,
  options: LassoPathOptions = {},
  foldOf?: ArrayLike<number>,
): LassoFitter {
  const { ratios, folds, slack, sweeps } = { ...LASSO_PATH_DEFAULTS, ...options };
  const rowCount = columnCount === 0 ? 0 : rows.length / columnCount;
  const fold = (row: number): number => (foldOf ? foldOf[row] : row % folds);
  const scales = new Float64Array(columnCount);
  for (let e = 0; e < rows.length; e++) scales[e % columnCount] += rows[e] * rows[e];
  for (let k = 0; k < columnCount; k++) scales[k] = scales[k] > 0 ? 1 / Math.sqrt(scales[k]) : 0;
  const scaled = Float64Array.from(rows, (value, e) => value * scales[e % columnCount]);
  // per fold, the products of its own rows; those of the other folds are a difference
  const size = columnCount * columnCount;
  const grams = Array.from({ length: folds }, () => new Float64Array(size));
  const total = new Float64Array(size);
  for (let row = 0; row < rowCount; row++) {
    const own = grams[fold(row)];
    const o = row * columnCount;
    for (let k = 0; k < columnCount; k++) {
      const a = scaled[o + k];
      if (a === 0) continue;
      for (let l = 0; l < columnCount; l++) own[k * columnCount + l] += a * scaled[o + l];
    }
  }
  for (const gram of grams) for (let e = 0; e < size; e++) total[e] += gram[e];
  for (const gram of grams) for (let e = 0; e < size; e++) gram[e] = total[e] - gram[e];
  const linears = Array.from({ length: folds }, () => new Float64Array(columnCount));
  const linear = new Float64Array(columnCount);
  const x = new Float64Array(columnCount);

  const solve = (gram: Float64Array, right: Float64Array, ratio: number): void => {
    lassoInto(gram, right, ratio * largestPenaltyOf(right), x, { sweeps, tolerance: 1e-10 });
  };

  return {
    fit(values, given, allowance = 0) {
      linear.fill(0);
      for (const one of linears) one.fill(0);
      for (let row = 0; row < rowCount; row++) {
        const own = linears[fold(row)];
        for (let k = 0; k < columnCount; k++) own[k] += scaled[row * columnCount + k] * values[row];
      }
      for (const one of linears) for (let k = 0; k < columnCount; k++) linear[k] += one[k];
      for (const one of linears) for (let k = 0; k < columnCount; k++) one[k] = linear[k] - one[k];
      const tried = given === undefined ? ratios : [given];
      const errors = new Float64Array(tried.length);
      for (let f = 0; f < folds; f++) {
        x.fill(0);
        for (let n = 0; n < tried.length; n++) {
          solve(grams[f], linears[f], tried[n]);
          for (let row = 0; row < rowCount; row++) {
            if (fold(row) !== f) continue;
            let off = values[row];
            for (let k = 0; k < columnCount; k++) off -= scaled[row * columnCount + k] * x[k];
            errors[n] += off * off;
          }
        }
      }
      const lowest = errors.reduce((min, error) => Math.min(min, error), Number.POSITIVE_INFINITY);
      let best = 0;
      while (best + 1 < tried.length && errors[best] > lowest * (1 + slack) + allowance) best++;
      x.fill(0);
      for (let n = 0; n <= best; n++) solve(total, linear, tried[n]);
      return { coefficients: x.map((value, k) => value * scales[k]), ratio: tried[best], heldOut: errors[best] };
    },
  };
}
