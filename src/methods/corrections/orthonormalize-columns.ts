// SPDX-License-Identifier: MIT

/** A column whose orthogonal part is below this ratio of its length is a rounding error. */
const VANISHED = 1e-12;

/**
 * Orthonormalizes the columns of a matrix in place, from the first to the last (Gram-Schmidt with one reorthogonalization). Columns that depend on
 * earlier ones become zero. Returns the number of other columns.
 * @param a rows x columns
 */
export function orthonormalizeColumns(a: Float64Array, rows: number, columns: number): number {
  let kept = 0;
  for (let c = 0; c < columns; c++) {
    const before = lengthOf(a, rows, columns, c);
    for (let pass = 0; pass < 2; pass++) {
      for (let b = 0; b < c; b++) {
        let dot = 0;
        for (let k = 0; k < rows; k++) dot += a[k * columns + b] * a[k * columns + c];
        if (dot !== 0) for (let k = 0; k < rows; k++) a[k * columns + c] -= dot * a[k * columns + b];
      }
    }
    const after = lengthOf(a, rows, columns, c);
    const isNew = after > VANISHED * before;
    for (let k = 0; k < rows; k++) a[k * columns + c] = isNew ? a[k * columns + c] / after : 0;
    if (isNew) kept++;
  }
  return kept;
}

function lengthOf(a: Float64Array, rows: number, columns: number, c: number): number {
  let square = 0;
  for (let k = 0; k < rows; k++) square += a[k * columns + c] ** 2;
  return Math.sqrt(square);
}
