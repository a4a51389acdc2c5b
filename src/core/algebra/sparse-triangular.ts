// SPDX-License-Identifier: MIT
// The solves L z = b, z ← D⁻¹ z, Lᵀ x = z over blocks of one, four and eight right-hand sides, in place. L is compressed columns, rows ascending, its
// diagonal of ones not stored. Forward, a column updates the rows below; backward, it is updated from them: in both cases the
// unknowns of the column are in local variables, and one entry of L serves the whole block. The widths are unrolled because a loop over
// the block's columns is several times slower here.

/** @param y size right-hand sides, then solutions */
export function solveOne(
  size: number,
  columnStart: Uint32Array,
  rows: Uint32Array,
  values: Float64Array,
  inversePivots: Float64Array,
  y: Float64Array,
): void {
  for (let j = 0; j < size; j++) {
    const y0 = y[j];
    const end = columnStart[j + 1];
    for (let q = columnStart[j]; q < end; q++) y[rows[q]] -= values[q] * y0;
  }
  for (let j = size - 1; j >= 0; j--) {
    let y0 = y[j] * inversePivots[j];
    const end = columnStart[j + 1];
    for (let q = columnStart[j]; q < end; q++) y0 -= values[q] * y[rows[q]];
    y[j] = y0;
  }
}

/** @param y size x 4 right-hand sides, then solutions */
export function solveFour(
  size: number,
  columnStart: Uint32Array,
  rows: Uint32Array,
  values: Float64Array,
  inversePivots: Float64Array,
  y: Float64Array,
): void {
  for (let j = 0; j < size; j++) {
    const o = 4 * j;
    const y0 = y[o],
      y1 = y[o + 1],
      y2 = y[o + 2],
      y3 = y[o + 3];
    const end = columnStart[j + 1];
    for (let q = columnStart[j]; q < end; q++) {
      const i = rows[q] << 2;
      const l = values[q];
      y[i] -= l * y0;
      y[i + 1] -= l * y1;
      y[i + 2] -= l * y2;
      y[i + 3] -= l * y3;
    }
  }
  for (let j = size - 1; j >= 0; j--) {
    const o = 4 * j;
    const d = inversePivots[j];
    let y0 = y[o] * d,
      y1 = y[o + 1] * d,
      y2 = y[o + 2] * d,
      y3 = y[o + 3] * d;
    const end = columnStart[j + 1];
    for (let q = columnStart[j]; q < end; q++) {
      const i = rows[q] << 2;
      const l = values[q];
      y0 -= l * y[i];
      y1 -= l * y[i + 1];
      y2 -= l * y[i + 2];
      y3 -= l * y[i + 3];
    }
    y[o] = y0;
    y[o + 1] = y1;
    y[o + 2] = y2;
    y[o + 3] = y3;
  }
}

/** @param y size x 8 right-hand sides, then solutions */
export function solveEight(
  size: number,
  columnStart: Uint32Array,
  rows: Uint32Array,
  values: Float64Array,
  inversePivots: Float64Array,
  y: Float64Array,
): void {
  forwardEight(size, columnStart, rows, values, y);
  backwardEight(size, columnStart, rows, values, inversePivots, y);
}

/** Divides eight right-hand sides by L. */
function forwardEight(
  size: number,
  columnStart: Uint32Array,
  rows: Uint32Array,
  values: Float64Array,
  y: Float64Array,
): void {
  for (let j = 0; j < size; j++) {
    const o = 8 * j;
    const y0 = y[o],
      y1 = y[o + 1],
      y2 = y[o + 2],
      y3 = y[o + 3],
      y4 = y[o + 4],
      y5 = y[o + 5],
      y6 = y[o + 6],
      y7 = y[o + 7];
    const end = columnStart[j + 1];
    for (let q = columnStart[j]; q < end; q++) {
      const i = rows[q] << 3;
      const l = values[q];
      y[i] -= l * y0;
      y[i + 1] -= l * y1;
      y[i + 2] -= l * y2;
      y[i + 3] -= l * y3;
      y[i + 4] -= l * y4;
      y[i + 5] -= l * y5;
      y[i + 6] -= l * y6;
      y[i + 7] -= l * y7;
    }
  }
}

/** Divides them by the pivots and Lᵀ. */
function backwardEight(
  size: number,
  columnStart: Uint32Array,
  rows: Uint32Array,
  values: Float64Array,
  inversePivots: Float64Array,
  y: Float64Array,
): void {
  for (let j = size - 1; j >= 0; j--) {
    const o = 8 * j;
    const d = inversePivots[j];
    let y0 = y[o] * d,
      y1 = y[o + 1] * d,
      y2 = y[o + 2] * d,
      y3 = y[o + 3] * d,
      y4 = y[o + 4] * d,
      y5 = y[o + 5] * d,
      y6 = y[o + 6] * d,
      y7 = y[o + 7] * d;
    const end = columnStart[j + 1];
    for (let q = columnStart[j]; q < end; q++) {
      const i = rows[q] << 3;
      const l = values[q];
      y0 -= l * y[i];
      y1 -= l * y[i + 1];
      y2 -= l * y[i + 2];
      y3 -= l * y[i + 3];
      y4 -= l * y[i + 4];
      y5 -= l * y[i + 5];
      y6 -= l * y[i + 6];
      y7 -= l * y[i + 7];
    }
    y[o] = y0;
    y[o + 1] = y1;
    y[o + 2] = y2;
    y[o + 3] = y3;
    y[o + 4] = y4;
    y[o + 5] = y5;
    y[o + 6] = y6;
    y[o + 7] = y7;
  }
}
