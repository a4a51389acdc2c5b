// SPDX-License-Identifier: MIT
// D. D. Lee and H. S. Seung, "Algorithms for non-negative matrix factorization", NIPS 2000: A ≈ Σᵣ cᵣ bᵣᵀ with c, b ≥ 0.
// Solved by exact updates of one column or row at a time (A. Cichocki, R. Zdunek and S. Amari, "Hierarchical ALS algorithms for nonnegative matrix and 3D
// tensor factorization", ICA 2007), each of which cannot raise the error. Components are added one by one: the next starts as the leading singular pair of
// the residual with its negative part dropped (C. Boutsidis and E. Gallopoulos, "SVD based initialization", Pattern Recognition 41(4), 2008), at the scale
// that lowers the error most. So the error falls with every component, which a start from random factors does not ensure.

import type { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { type FrameMatrix, type LowRank, makeLowRank, squareOf } from './low-rank.ts';

/** Updates of all factors per added component. */
const MAX_ITERATIONS = 100;
/** Stop when an iteration lowers the squared error by less than this ratio. */
const IMPROVEMENT = 3e-4;
/** Power iterations for the leading singular pair of the residual. It is only a start. */
const POWER_ITERATIONS = 12;

/** Factors that are not negative, of a matrix that is not. Stopped early, it returns the components so far. */
export async function nonnegativeFactors(matrix: FrameMatrix, rank: number, monitor: SolveMonitor): Promise<LowRank> {
  const whole = squareOf(matrix.values);
  const problem = new Factors(matrix, whole);
  const errors = [1];
  let status: LowRank['status'] = 'converged';
  for (let r = 0; r < rank && status !== 'stopped'; r++) {
    if (!problem.addComponent() && r > 0) break;
    let square = problem.square();
    let iteration = 0;
    for (; iteration < MAX_ITERATIONS; iteration++) {
      if (await monitor.tick((r + iteration / MAX_ITERATIONS) / rank)) {
        status = 'stopped';
        break;
      }
      problem.update();
      const next = problem.square();
      const isDone = square - next <= IMPROVEMENT * square;
      square = Math.min(square, next);
      if (isDone) break;
    }
    if (iteration === MAX_ITERATIONS) status = 'max-iterations';
    // rounding of equal errors must not look like a rise
    errors.push(Math.min(errors[r], whole > 0 ? Math.sqrt(square / whole) : 0));
  }
  return makeLowRank(problem.rows, problem.columns, errors, status);
}

/** The factors, and products with the matrix that updates need. */
class Factors {
  /** rank x size */
  readonly rows: Float64Array[] = [];
  /** rank x frameCount */
  readonly columns: Float64Array[] = [];
  readonly #matrix: FrameMatrix;
  readonly #whole: number;
  /** rank x frameCount: A[k]·row of the current rows */
  readonly #products: Float64Array[] = [];

  constructor(matrix: FrameMatrix, whole: number) {
    this.#matrix = matrix;
    this.#whole = whole;
  }

  /** Adds a component that lowers the error. Returns false if there is none; then only the first component, of zeros, is added. */
  addComponent(): boolean {
    const { frameCount, size } = this.#matrix;
    let column = new Float64Array(frameCount).fill(1);
    let row = new Float64Array(size);
    for (let n = 0; n < POWER_ITERATIONS; n++) {
      row = this.#residualRows(column);
      if (!normalize(row)) break;
      column = this.#residualColumns(row);
      if (!normalize(column)) break;
    }
    const [positive, negative] = [1, -1].map((sign) => ({
      row: row.map((x) => Math.max(0, sign * x)),
      column: column.map((x) => Math.max(0, sign * x)),
    }));
    const weigh = ({ row, column }: typeof positive) => lengthOf(row) * lengthOf(column);
    const best = weigh(positive) >= weigh(negative) ? positive : negative;
    const isDirection = normalize(best.row) && normalize(best.column);
    // the scale that lowers the error most, if any does
    const scale = isDirection ? Math.max(0, dot(this.#residualColumns(best.row), best.column)) : 0;
    if (!(scale > 0) && this.rows.length > 0) return false;
    const added = best.row.map((x) => scale * x);
    this.rows.push(added);
    this.columns.push(isDirection ? best.column : new Float64Array(frameCount));
    this.#products.push(this.#timesRow(added));
    return scale > 0;
  }

  /** Updates every row, then every column. */
  update(): void {
    this.#updateSide(this.rows, this.columns, (r) => this.#timesColumn(this.columns[r]));
    for (const [r, row] of this.rows.entries()) this.#products[r] = this.#timesRow(row);
    this.#updateSide(this.columns, this.rows, (r) => this.#products[r].slice());
  }

  /** The squared error. */
  square(): number {
    let sum = this.#whole;
    for (const [r, row] of this.rows.entries()) {
      sum -= 2 * dot(this.#products[r], this.columns[r]);
      for (const [q, other] of this.rows.entries()) sum += dot(row, other) * dot(this.columns[r], this.columns[q]);
    }
    return Math.max(0, sum);
  }

  /** One side, with the other fixed: xᵣ ← max(0, xᵣ + (A yᵣ − Σ_q (y_q·yᵣ) x_q) / (yᵣ·yᵣ)), one after the other. */
  #updateSide(side: Float64Array[], fixed: readonly Float64Array[], times: (r: number) => Float64Array): void {
    for (const [r, y] of fixed.entries()) {
      const square = dot(y, y);
      if (!(square > 0)) continue;
      const change = times(r);
      for (const [q, other] of fixed.entries()) {
        const product = dot(other, y);
        if (product !== 0) for (let i = 0; i < change.length; i++) change[i] -= product * side[q][i];
      }
      for (let i = 0; i < change.length; i++) side[r][i] = Math.max(0, side[r][i] + change[i] / square);
    }
  }

  /** Σₖ A[k] columnₖ: size numbers */
  #timesColumn(column: Float64Array): Float64Array<ArrayBuffer> {
    const { values, size } = this.#matrix;
    const out = new Float64Array(size);
    for (let k = 0; k < column.length; k++) {
      const factor = column[k];
      if (factor !== 0) for (let i = 0, o = k * size; i < size; i++, o++) out[i] += factor * values[o];
    }
    return out;
  }

  /** A[k]·row: frameCount numbers */
  #timesRow(row: Float64Array): Float64Array<ArrayBuffer> {
    const { values, size, frameCount } = this.#matrix;
    const out = new Float64Array(frameCount);
    for (let k = 0; k < frameCount; k++) {
      let sum = 0;
      for (let i = 0, o = k * size; i < size; i++, o++) sum += values[o] * row[i];
      out[k] = sum;
    }
    return out;
  }

  #residualRows(column: Float64Array): Float64Array<ArrayBuffer> {
    return subtract(this.#timesColumn(column), this.rows, this.columns, column);
  }

  #residualColumns(row: Float64Array): Float64Array<ArrayBuffer> {
    return subtract(this.#timesRow(row), this.columns, this.rows, row);
  }
}

/** out − Σᵣ side[r] (fixed[r]·y), in place */
function subtract(
  out: Float64Array<ArrayBuffer>,
  side: readonly Float64Array[],
  fixed: readonly Float64Array[],
  y: Float64Array,
): Float64Array<ArrayBuffer> {
  for (const [r, own] of fixed.entries()) {
    const product = dot(own, y);
    for (let i = 0; i < out.length; i++) out[i] -= product * side[r][i];
  }
  return out;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

const lengthOf = (v: Float64Array): number => Math.sqrt(dot(v, v));

/** Scales to unit length in place; returns false for zeros. */
function normalize(v: Float64Array): boolean {
  const length = lengthOf(v);
  if (!(length > 0)) return false;
  for (let i = 0; i < v.length; i++) v[i] /= length;
  return true;
}
