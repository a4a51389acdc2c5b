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
  return new Fitter(rows, columnCount, { ...LASSO_PATH_DEFAULTS, ...options }, foldOf);
}

class Fitter implements LassoFitter {
  readonly #options: Required<LassoPathOptions>;
  readonly #rowCount: number;
  readonly #columnCount: number;
  /** rowCount: the fold of each row */
  readonly #foldOf: ArrayLike<number>;
  /** columnCount: one over the length of each column */
  readonly #scales: Float64Array;
  /** rowCount x columnCount, columns of unit length */
  readonly #scaled: Float64Array;
  /** By fold, the products of the columns in all other folds. */
  readonly #grams: readonly Float64Array[];
  readonly #total: Float64Array;
  /** By fold, the right side of all other folds. */
  readonly #rights: readonly Float64Array[];
  readonly #right: Float64Array;
  readonly #x: Float64Array;

  constructor(
    rows: Float64Array,
    columnCount: number,
    options: Required<LassoPathOptions>,
    foldOf: ArrayLike<number> | undefined,
  ) {
    const { folds } = options;
    const scales = new Float64Array(columnCount);
    for (let e = 0; e < rows.length; e++) scales[e % columnCount] += rows[e] * rows[e];
    for (let k = 0; k < columnCount; k++) scales[k] = scales[k] > 0 ? 1 / Math.sqrt(scales[k]) : 0;
    this.#options = options;
    this.#rowCount = columnCount === 0 ? 0 : rows.length / columnCount;
    this.#columnCount = columnCount;
    this.#foldOf = foldOf ?? Array.from({ length: this.#rowCount }, (_, row) => row % folds);
    this.#scales = scales;
    this.#scaled = Float64Array.from(rows, (value, e) => value * scales[e % columnCount]);
    const size = columnCount * columnCount;
    this.#grams = Array.from({ length: folds }, () => new Float64Array(size));
    this.#total = new Float64Array(size);
    this.#addProducts();
    this.#rights = Array.from({ length: folds }, () => new Float64Array(columnCount));
    this.#right = new Float64Array(columnCount);
    this.#x = new Float64Array(columnCount);
  }

  fit(values: Float64Array, given?: number, allowance = 0): LassoFit {
    const { ratios, slack } = this.#options;
    this.#setRights(values);
    const tried = given === undefined ? ratios : [given];
    const errors = this.#crossValidate(values, tried);
    const lowest = errors.reduce((min, error) => Math.min(min, error), Number.POSITIVE_INFINITY);
    let best = 0;
    while (best + 1 < tried.length && errors[best] > lowest * (1 + slack) + allowance) best++;
    this.#x.fill(0);
    for (let n = 0; n <= best; n++) this.#solve(this.#total, this.#right, tried[n]);
    const coefficients = this.#x.map((value, k) => value * this.#scales[k]);
    return { coefficients, ratio: tried[best], heldOut: errors[best] };
  }

  /** Products of the rows of each fold first; those of the other folds are a difference. */
  #addProducts(): void {
    const columnCount = this.#columnCount;
    const scaled = this.#scaled;
    for (let row = 0; row < this.#rowCount; row++) {
      const own = this.#grams[this.#foldOf[row]];
      const o = row * columnCount;
      for (let k = 0; k < columnCount; k++) {
        const a = scaled[o + k];
        if (a === 0) continue;
        for (let l = 0; l < columnCount; l++) own[k * columnCount + l] += a * scaled[o + l];
      }
    }
    subtractFromSum(this.#grams, this.#total);
  }

  #setRights(values: Float64Array): void {
    const columnCount = this.#columnCount;
    this.#right.fill(0);
    for (const one of this.#rights) one.fill(0);
    for (let row = 0; row < this.#rowCount; row++) {
      const own = this.#rights[this.#foldOf[row]];
      for (let k = 0; k < columnCount; k++) own[k] += this.#scaled[row * columnCount + k] * values[row];
    }
    subtractFromSum(this.#rights, this.#right);
  }

  /** By penalty, the squared errors of the rows of every fold, predicted from the others. */
  #crossValidate(values: Float64Array, tried: readonly number[]): Float64Array {
    const columnCount = this.#columnCount;
    const [scaled, x] = [this.#scaled, this.#x];
    const errors = new Float64Array(tried.length);
    for (let f = 0; f < this.#options.folds; f++) {
      x.fill(0);
      for (let n = 0; n < tried.length; n++) {
        this.#solve(this.#grams[f], this.#rights[f], tried[n]);
        for (let row = 0; row < this.#rowCount; row++) {
          if (this.#foldOf[row] !== f) continue;
          let off = values[row];
          for (let k = 0; k < columnCount; k++) off -= scaled[row * columnCount + k] * x[k];
          errors[n] += off * off;
        }
      }
    }
    return errors;
  }

  /** Continues from the coefficients of the penalty before. */
  #solve(gram: Float64Array, right: Float64Array, ratio: number): void {
    const { sweeps } = this.#options;
    lassoInto(gram, right, ratio * largestPenaltyOf(right), this.#x, { sweeps, tolerance: 1e-10 });
  }
}

/** Adds parts to a sum, which is zero, and replaces each by the sum of the others. */
function subtractFromSum(parts: readonly Float64Array[], sum: Float64Array): void {
  for (const part of parts) for (let e = 0; e < sum.length; e++) sum[e] += part[e];
  for (const part of parts) for (let e = 0; e < sum.length; e++) part[e] = sum[e] - part[e];
}
