// SPDX-License-Identifier: MIT
// Quadratics of weights without poses; error-quadratics.ts has the algebra.

import type { WeightProblem } from '../weight-problem.ts';
import type { BoneList, ErrorQuadratics, TabledAtom } from './error-quadratics.ts';

/** r relative to the ball's radius: the effect of a bone on a point at its center. Chosen by hand. */
const MIN_REACH = 0.2;

/** Quadratics without poses: 'distance' weights a change by the distance between point and bone, 'plain' does not (Eq. 44a). */
export function makeDistanceQuadratics(problem: WeightProblem, metric: 'distance' | 'plain'): ErrorQuadratics {
  const { pointCount: n, boneCount: m, rows } = problem;
  const gaps = new Float64Array(n * m).fill(1);
  const linear = new Float64Array(n * m);
  const squares = new Float64Array(n);
  if (metric === 'distance') fillGaps(problem, gaps);
  for (let i = 0; i < n; i++) {
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) {
      const o = i * m + rows.columns[e];
      linear[o] = gaps[o] * rows.values[e];
      squares[i] += linear[o] * rows.values[e];
    }
  }
  return new DistanceQuadratics(n, m, gaps, linear, squares);
}

/** Squared distances from centroids of bones, weighted by squared weights. */
function fillGaps({ pointCount: n, boneCount: m, rest, rows }: WeightProblem, gaps: Float64Array): void {
  const sums = new Float64Array(4 * m);
  for (let i = 0; i < n; i++) {
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) {
      const w = rows.values[e] ** 2;
      const o = 4 * rows.columns[e];
      for (let r = 0; r < 3; r++) sums[o + r] += w * rest[3 * i + r];
      sums[o + 3] += w;
    }
  }
  for (let j = 0; j < m; j++)
    for (let r = 0; r < 3; r++) sums[4 * j + r] = sums[4 * j + 3] > 0 ? sums[4 * j + r] / sums[4 * j + 3] : 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      let square = MIN_REACH ** 2;
      for (let r = 0; r < 3; r++) square += (rest[3 * i + r] - sums[4 * j + r]) ** 2;
      gaps[i * m + j] = square;
    }
  }
}

class DistanceQuadratics implements ErrorQuadratics {
  readonly pointCount: number;
  readonly boneCount: number;
  readonly tableSize = 0;
  readonly sumSize: number;
  readonly poseNumbers = 1;
  /** pointCount x boneCount each */
  readonly #gaps: Float64Array;
  readonly #linear: Float64Array;
  readonly #squares: Float64Array;

  constructor(pointCount: number, boneCount: number, gaps: Float64Array, linear: Float64Array, squares: Float64Array) {
    this.pointCount = pointCount;
    this.boneCount = boneCount;
    this.sumSize = 2 * boneCount + 1;
    this.#gaps = gaps;
    this.#linear = linear;
    this.#squares = squares;
  }

  plainRowInto(i: number, j: number, row: Float64Array): void {
    row.fill(0, 0, this.boneCount);
    row[j] = this.#gaps[i * this.boneCount + j];
  }

  linearInto(i: number, linear: Float64Array): void {
    for (let j = 0; j < this.boneCount; j++) linear[j] = this.#linear[i * this.boneCount + j];
  }

  squareOf(i: number): number {
    return this.#squares[i];
  }

  rowInto(i: number, j: number, row: Float64Array): void {
    const o = i * this.boneCount;
    const rest = this.#squares[i] - this.#linear[o + j];
    for (let k = 0; k < this.boneCount; k++) row[k] = rest - this.#linear[o + k];
    row[j] += this.#gaps[o + j];
  }

  diagonalInto(i: number, diagonal: Float64Array): void {
    const o = i * this.boneCount;
    for (let j = 0; j < this.boneCount; j++)
      diagonal[j] = this.#gaps[o + j] + this.#squares[i] - 2 * this.#linear[o + j];
  }

  tableInto(): void {
    // the atom is its own table
  }

  applyInto(i: number, { atoms, o }: TabledAtom, { list, count }: BoneList, out: Float64Array): void {
    const { boneCount: m } = this;
    const g = i * m;
    let dot = 0;
    for (let k = 0; k < m; k++) dot += this.#linear[g + k] * atoms[o + k];
    const base = this.#squares[i] - dot;
    for (let n = 0; n < count; n++) {
      const j = list[n];
      out[j] = this.#gaps[g + j] * atoms[o + j] + base - this.#linear[g + j];
    }
  }

  addInto(i: number, scale: number, sum: Float64Array): void {
    const { boneCount: m } = this;
    for (let j = 0; j < m; j++) {
      sum[j] += scale * this.#gaps[i * m + j];
      sum[m + j] += scale * this.#linear[i * m + j];
    }
    sum[2 * m] += scale * this.#squares[i];
  }

  quadraticInto(sum: Float64Array, list: Int32Array, count: number, out: Float64Array): void {
    const { boneCount: m } = this;
    for (let a = 0; a < count; a++) {
      for (let b = 0; b <= a; b++) {
        const h = sum[2 * m] - sum[m + list[a]] - sum[m + list[b]] + (a === b ? sum[list[a]] : 0);
        out[a * count + b] = out[b * count + a] = h;
      }
    }
  }
}
