// SPDX-License-Identifier: MIT
// Predicts a number of a vertex from vertices before it in a walk. At first by parallelograms and the mean of the neighbours; once some components are decoded, by factors that would have predicted
// those best at this vertex: where a surface moves rigidly, all components are the same affine function of a vertex's place among its neighbours
// (L. Váša and V. Skala, Geometry-driven local neighbourhood based predictors for dynamic mesh compression, Computer Graphics Forum 29(6), 2010).

import { factorCholesky, solveCholesky } from '../../src/core/algebra/dense-cholesky.ts';
import type { MeshWalk } from '../../src/formats/compact-skin/index.ts';

/** Part of the parallelograms in the first prediction (horse-gallop: 0.6 to 1 differ by 2 %). */
const PARALLELOGRAMS = 0.8;
/** Weight of the first factors in the fit, in squared steps. */
const RIDGE = 2;
const MAX_SOURCES = 10;
/** Keeps a matrix of numbers without motion regular. */
const PIVOT_FLOOR = 1e-30;

export class LocalPredictor {
  readonly #order: Uint32Array;
  readonly #start: Uint32Array;
  readonly #sources: Uint32Array;
  /** Factors of the first prediction, and those in use. */
  readonly #first: Float64Array;
  readonly #factors: Float64Array;

  constructor({ order, start, sources, beforeStart, before }: MeshWalk) {
    const starts = [0];
    const list: number[] = [];
    const first: number[] = [];
    for (let place = 0; place < order.length; place++) {
      const own = new Map<number, number>();
      const count = beforeStart[place + 1] - beforeStart[place];
      const parallelograms = start[place + 1] - start[place];
      const add = (v: number, factor: number) => own.set(v, (own.get(v) ?? 0) + factor);
      for (let e = 3 * start[place]; e < 3 * start[place + 1]; e++)
        add(sources[e], ((e % 3 === 2 ? -1 : 1) * PARALLELOGRAMS) / parallelograms);
      for (let e = beforeStart[place]; e < beforeStart[place + 1]; e++)
        add(before[e], (parallelograms > 0 ? 1 - PARALLELOGRAMS : 1) / count);
      for (const [v, factor] of [...own].slice(0, MAX_SOURCES)) {
        list.push(v);
        first.push(factor);
      }
      starts.push(list.length);
    }
    this.#order = order;
    this.#start = Uint32Array.from(starts);
    this.#sources = Uint32Array.from(list);
    this.#first = Float64Array.from(first);
    this.#factors = this.#first.slice();
  }

  /** The prediction for a place of the walk from values by vertex. */
  predict(place: number, values: Float64Array): number {
    let sum = 0;
    for (let e = this.#start[place]; e < this.#start[place + 1]; e++)
      sum += this.#factors[e] * values[this.#sources[e]];
    return sum;
  }

  /**
   * Fits the factors of every vertex to components that are decoded.
   * @param decoded count x vertexCount
   * @param step quantization step of the components
   */
  fit(decoded: Float64Array, count: number, step: number): void {
    const vertexCount = this.#order.length;
    const matrix = new Float64Array(MAX_SOURCES * MAX_SOURCES);
    const change = new Float64Array(MAX_SOURCES);
    const row = new Float64Array(MAX_SOURCES);
    for (let place = 0; place < vertexCount; place++) {
      const first = this.#start[place];
      const size = this.#start[place + 1] - first;
      if (size < 2) continue;
      matrix.fill(0);
      change.fill(0);
      for (let n = 0; n < count; n++) {
        const at = n * vertexCount;
        let [mean, predicted] = [0, 0];
        for (let e = 0; e < size; e++) {
          row[e] = decoded[at + this.#sources[first + e]];
          mean += row[e] / size;
          predicted += row[e] * this.#first[first + e];
        }
        const rest = decoded[at + this.#order[place]] - predicted;
        for (let a = 0; a < size; a++) {
          row[a] -= mean;
          change[a] += row[a] * rest;
          for (let b = 0; b <= a; b++) matrix[a * size + b] += row[a] * row[b];
        }
      }
      for (let a = 0; a < size; a++) matrix[a * size + a] += RIDGE * step * step;
      factorCholesky(matrix, size, PIVOT_FLOOR);
      solveCholesky(matrix, size, change);
      // the sum of the factors stays one
      let mean = 0;
      for (let a = 0; a < size; a++) mean += change[a] / size;
      for (let a = 0; a < size; a++) this.#factors[first + a] = this.#first[first + a] + change[a] - mean;
    }
  }
}
