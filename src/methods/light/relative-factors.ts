// SPDX-License-Identifier: MIT
// Factors that are not negative, of light relative to what an unshadowed surface receives: A[k][i] ≈ Σₜ W[k][i][t] X[k][i][t] with X = C B and C, B ≥ 0, where W
// are the colours of the terms for the normal of vertex i in frame k. The squared error is a quadratic in X with the 2 x 2 matrices H = WᵀW and the products
// g = WᵀA per frame and vertex; colours are not needed any more. As nonnegative-factors.ts, it updates one component at a time, each number exactly (HALS),
// and adds components one by one, so that the error falls with every component.

import type { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { type LowRank, makeLowRank } from './low-rank.ts';

/** Updates of all factors per added component. */
const MAX_ITERATIONS = 100;
/** Stop when an iteration lowers the squared error by less than this ratio. */
const IMPROVEMENT = 3e-4;
/** Power iterations for the start of a component. */
const POWER_ITERATIONS = 6;

/** The quadratic of a light with one or two terms. */
export interface RelativeLight {
  frameCount: number;
  vertexCount: number;
  /** frameCount x vertexCount each: H₀₀, and for two terms H₀₁ and H₁₁ */
  squares: readonly Float32Array[];
  /** frameCount x vertexCount per term: g. Overwritten by those of the residual. */
  products: readonly Float64Array[];
  /** ‖A‖² */
  whole: number;
}

/** Factors that are not negative. Stopped early, it returns the components so far. The channels of the basis are the terms. */
export async function relativeFactors(light: RelativeLight, rank: number, monitor: SolveMonitor): Promise<LowRank> {
  const { whole } = light;
  const problem = new Factors(light);
  const errors = [1];
  let status: LowRank['status'] = 'converged';
  for (let r = 0; r < rank && status !== 'stopped'; r++) {
    if (!problem.addComponent() && r > 0) break;
    let square = problem.square;
    let iteration = 0;
    for (; iteration < MAX_ITERATIONS; iteration++) {
      if (await monitor.tick((r + iteration / MAX_ITERATIONS) / rank)) {
        status = 'stopped';
        break;
      }
      problem.update();
      const isDone = square - problem.square <= IMPROVEMENT * square;
      square = problem.square;
      if (isDone) break;
    }
    if (iteration === MAX_ITERATIONS) status = 'max-iterations';
    // rounding of equal errors must not look like a rise
    errors.push(Math.min(errors[r], whole > 0 ? Math.sqrt(Math.max(0, square) / whole) : 0));
  }
  return makeLowRank(problem.listRows(), problem.columns, errors, status);
}

/** A component: one row per term. */
interface Rows {
  x: Float64Array;
  y: Float64Array;
}

class Factors {
  /** rank x frameCount */
  readonly columns: Float64Array[] = [];
  /** The squared error. */
  square: number;
  readonly #rows: Rows[] = [];
  readonly #light: RelativeLight;
  readonly #hasTwo: boolean;

  constructor(light: RelativeLight) {
    this.#light = light;
    this.#hasTwo = light.products.length > 1;
    this.square = light.whole;
  }

  /** rank x vertexCount x termCount */
  listRows(): Float64Array[] {
    if (!this.#hasTwo) return this.#rows.map(({ x }) => x);
    return this.#rows.map(({ x, y }) =>
      Float64Array.from({ length: 2 * x.length }, (_, c) => (c % 2 === 0 ? x : y)[c >> 1]),
    );
  }

  /** Adds a component that lowers the error. Returns false if there is none; then only the first component, of zeros, is added. */
  addComponent(): boolean {
    const { frameCount, vertexCount } = this.#light;
    const column = new Float64Array(frameCount).fill(1);
    const rows: Rows = { x: new Float64Array(vertexCount), y: new Float64Array(this.#hasTwo ? vertexCount : 0) };
    for (let n = 0; n < POWER_ITERATIONS; n++) {
      const sums = this.#sumFrames(column);
      for (let i = 0; i < vertexCount; i++) {
        rows.x[i] = ratioOf(sums.x[i], sums.xx[i]);
        if (this.#hasTwo) rows.y[i] = ratioOf(sums.y[i], sums.yy[i]);
      }
      for (let k = 0; k < frameCount; k++) {
        const { product, square } = this.#sumVertices(rows, k);
        column[k] = ratioOf(product, square);
      }
    }
    const candidates = [1, -1].map((sign) => {
      const positive = (values: Float64Array) => values.map((value) => Math.max(0, sign * value));
      const own = { column: positive(column), rows: { x: positive(rows.x), y: positive(rows.y) } };
      return { ...own, ...this.#scaleOf(own.rows, own.column) };
    });
    const best = candidates[0].gain >= candidates[1].gain ? candidates[0] : candidates[1];
    if (!(best.gain > 0) && this.columns.length > 0) return false;
    const scaled = (values: Float64Array) => values.map((value) => best.scale * value);
    const added = { x: scaled(best.rows.x), y: scaled(best.rows.y) };
    this.#rows.push(added);
    this.columns.push(best.column);
    for (let k = 0; k < frameCount; k++) this.#subtract(added, k, best.column[k]);
    this.square -= best.gain;
    return best.gain > 0;
  }

  /** Updates every component: its rows, then its column. */
  update(): void {
    for (const [r, rows] of this.#rows.entries()) {
      const column = this.columns[r];
      const change = this.#updateRows(rows, column);
      for (let k = 0; k < column.length; k++) {
        this.#subtract(change, k, column[k]);
        const { product, square } = this.#sumVertices(rows, k);
        if (!(square > 0)) continue;
        const before = column[k];
        column[k] = Math.max(0, before + product / square);
        const step = column[k] - before;
        if (step === 0) continue;
        this.square -= step * (2 * product - step * square);
        this.#subtract(rows, k, step);
      }
    }
  }

  /** Updates the rows of a component and returns how much each number has changed. */
  #updateRows(rows: Rows, column: Float64Array): Rows {
    const sums = this.#sumFrames(column);
    const change = { x: new Float64Array(rows.x.length), y: new Float64Array(rows.y.length) };
    for (let i = 0; i < rows.x.length; i++) {
      let step = 0;
      if (sums.xx[i] > 0) {
        step = Math.max(-rows.x[i], sums.x[i] / sums.xx[i]);
        rows.x[i] += step;
        change.x[i] = step;
        this.square -= step * (2 * sums.x[i] - step * sums.xx[i]);
      }
      if (!this.#hasTwo || !(sums.yy[i] > 0)) continue;
      const product = sums.y[i] - step * sums.xy[i];
      const other = Math.max(-rows.y[i], product / sums.yy[i]);
      rows.y[i] += other;
      change.y[i] = other;
      this.square -= other * (2 * product - other * sums.yy[i]);
    }
    return change;
  }

  /** vertexCount each: Σₖ cₖ g of every term, and Σₖ cₖ² H */
  #sumFrames(column: Float64Array): Record<'x' | 'y' | 'xx' | 'xy' | 'yy', Float64Array> {
    const { vertexCount, squares, products } = this.#light;
    const [x, y, xx, xy, yy] = Array.from({ length: 5 }, () => new Float64Array(vertexCount));
    const [h00, h01, h11] = squares;
    const [g0, g1] = products;
    for (let k = 0; k < column.length; k++) {
      const c = column[k];
      if (c === 0) continue;
      const square = c * c;
      for (let i = 0, o = k * vertexCount; i < vertexCount; i++, o++) {
        x[i] += c * g0[o];
        xx[i] += square * h00[o];
      }
      if (!this.#hasTwo) continue;
      for (let i = 0, o = k * vertexCount; i < vertexCount; i++, o++) {
        y[i] += c * g1[o];
        xy[i] += square * h01[o];
        yy[i] += square * h11[o];
      }
    }
    return { x, y, xx, xy, yy };
  }

  /** Of frame k: b·g and bᵀHb, summed over vertices. */
  #sumVertices({ x, y }: Rows, k: number): { product: number; square: number } {
    const { vertexCount, squares, products } = this.#light;
    const [h00, h01, h11] = squares;
    const [g0, g1] = products;
    let [product, square] = [0, 0];
    for (let i = 0, o = k * vertexCount; i < vertexCount; i++, o++) {
      product += x[i] * g0[o];
      square += x[i] * x[i] * h00[o];
    }
    if (this.#hasTwo)
      for (let i = 0, o = k * vertexCount; i < vertexCount; i++, o++) {
        product += y[i] * g1[o];
        square += y[i] * (2 * x[i] * h01[o] + y[i] * h11[o]);
      }
    return { product, square };
  }

  /** Takes rows times a coefficient from the residual of frame k. */
  #subtract({ x, y }: Rows, k: number, coefficient: number): void {
    if (coefficient === 0) return;
    const { vertexCount, squares, products } = this.#light;
    const [h00, h01, h11] = squares;
    const [g0, g1] = products;
    if (!this.#hasTwo) {
      for (let i = 0, o = k * vertexCount; i < vertexCount; i++, o++) g0[o] -= coefficient * h00[o] * x[i];
      return;
    }
    for (let i = 0, o = k * vertexCount; i < vertexCount; i++, o++) {
      g0[o] -= coefficient * (h00[o] * x[i] + h01[o] * y[i]);
      g1[o] -= coefficient * (h01[o] * x[i] + h11[o] * y[i]);
    }
  }

  /** The scale at which a component lowers the squared error most, and by how much. */
  #scaleOf(rows: Rows, column: Float64Array): { scale: number; gain: number } {
    let [product, square] = [0, 0];
    for (let k = 0; k < column.length; k++) {
      const sums = this.#sumVertices(rows, k);
      product += column[k] * sums.product;
      square += column[k] * column[k] * sums.square;
    }
    const scale = square > 0 ? Math.max(0, product / square) : 0;
    return { scale, gain: scale * scale * square };
  }
}

const ratioOf = (product: number, square: number): number => (square > 0 ? product / square : 0);
