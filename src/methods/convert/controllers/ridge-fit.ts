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
  return new RidgeProblem(rows, columnCount, values, costs.length).fit(costs);
}

/** Normal equations without one fold at a time. */
class RidgeProblem {
  readonly #rowCount: number;
  readonly #columnCount: number;
  readonly #outputCount: number;
  readonly #values: Float64Array;
  /** columnCount: one over the length of each column */
  readonly #scales: Float64Array;
  /** rowCount x columnCount, columns of unit length */
  readonly #scaled: Float64Array;
  /** columnCount x columnCount, the lower triangle */
  readonly #gram: Float64Array;
  readonly #factor: Float64Array;
  /** outputCount x columnCount: right sides */
  readonly #right: Float64Array;
  readonly #x: Float64Array;

  constructor(rows: Float64Array, columnCount: number, values: Float64Array, outputCount: number) {
    const scales = new Float64Array(columnCount);
    for (let e = 0; e < rows.length; e++) scales[e % columnCount] += rows[e] * rows[e];
    for (let k = 0; k < columnCount; k++) scales[k] = scales[k] > 0 ? 1 / Math.sqrt(scales[k]) : 0;
    this.#rowCount = rows.length / columnCount;
    this.#columnCount = columnCount;
    this.#outputCount = outputCount;
    this.#values = values;
    this.#scales = scales;
    this.#scaled = Float64Array.from(rows, (value, e) => value * scales[e % columnCount]);
    this.#gram = new Float64Array(columnCount * columnCount);
    this.#factor = new Float64Array(columnCount * columnCount);
    this.#right = new Float64Array(outputCount * columnCount);
    this.#x = new Float64Array(columnCount);
  }

  fit(costs: readonly number[]): RidgeFit {
    const errors = this.#crossValidate();
    const totals = errors.map((own) => own.reduce((sum, error, output) => sum + costs[output] * error, 0));
    let best = 0;
    for (let n = 1; n < RIDGES.length; n++) if (totals[n] < totals[best]) best = n;
    this.#open(-1);
    this.#prepare(RIDGES[best]);
    const columnCount = this.#columnCount;
    const coefficients = new Float64Array(this.#outputCount * columnCount);
    for (let output = 0; output < this.#outputCount; output++) {
      const x = this.#solve(output);
      for (let k = 0; k < columnCount; k++) coefficients[output * columnCount + k] = x[k] * this.#scales[k];
    }
    return { coefficients, heldOut: errors[best] };
  }

  /** By ridge and output, the squared errors of the rows of every fold, predicted from the others. */
  #crossValidate(): Float64Array[] {
    const errors = RIDGES.map(() => new Float64Array(this.#outputCount));
    for (let fold = 0; fold < FOLDS; fold++) {
      this.#open(fold);
      for (const [n, ridge] of RIDGES.entries()) {
        this.#prepare(ridge);
        this.#addErrors(fold, errors[n]);
      }
    }
    return errors;
  }

  /** Normal equations without one fold (-1: with all). */
  #open(fold: number): void {
    this.#gram.fill(0);
    this.#right.fill(0);
    for (let row = 0; row < this.#rowCount; row++) if (row % FOLDS !== fold) this.#addRow(row);
  }

  #addRow(row: number): void {
    const columnCount = this.#columnCount;
    const gram = this.#gram;
    const scaled = this.#scaled;
    const o = row * columnCount;
    for (let k = 0; k < columnCount; k++) {
      const a = scaled[o + k];
      if (a !== 0) for (let l = 0; l <= k; l++) gram[k * columnCount + l] += a * scaled[o + l];
    }
    for (let output = 0; output < this.#outputCount; output++) {
      const y = this.#values[output * this.#rowCount + row];
      const x = output * columnCount;
      for (let k = 0; k < columnCount; k++) this.#right[x + k] += scaled[o + k] * y;
    }
  }

  #prepare(ridge: number): void {
    const columnCount = this.#columnCount;
    this.#factor.set(this.#gram);
    for (let k = 0; k < columnCount; k++) this.#factor[k * columnCount + k] += ridge;
    factorCholesky(this.#factor, columnCount, PIVOT_FLOOR);
  }

  #solve(output: number): Float64Array {
    const columnCount = this.#columnCount;
    this.#x.set(this.#right.subarray(output * columnCount, (output + 1) * columnCount));
    solveCholesky(this.#factor, columnCount, this.#x);
    return this.#x;
  }

  #addErrors(fold: number, errors: Float64Array): void {
    const columnCount = this.#columnCount;
    const scaled = this.#scaled;
    for (let output = 0; output < this.#outputCount; output++) {
      const x = this.#solve(output);
      for (let row = fold; row < this.#rowCount; row += FOLDS) {
        let off = this.#values[output * this.#rowCount + row];
        for (let k = 0; k < columnCount; k++) off -= scaled[row * columnCount + k] * x[k];
        errors[output] += off * off;
      }
    }
  }
}
