// SPDX-License-Identifier: MIT
// Symmetric sparse matrices, for Laplacians, smoothing systems and normal equations over a mesh.

/** A symmetric matrix, compressed columns of its lower triangle, diagonal included where it is not zero. */
export interface SparseSymmetric {
  size: number;
  /** size + 1: entries of column j are columnStart[j] up to columnStart[j + 1] */
  columnStart: Uint32Array;
  /** entryCount row indices, ascending within a column, none above the diagonal */
  rowIndices: Uint32Array;
  /** entryCount */
  values: Float64Array;
}

/**
 * Makes a symmetric matrix from triplets of its lower triangle (row ≥ column). Triplets of the same element are added, in the given order.
 * @param rows one per triplet
 * @param columns one per triplet
 * @param values one per triplet
 */
export function makeSparseSymmetric(
  size: number,
  rows: ArrayLike<number>,
  columns: ArrayLike<number>,
  values: ArrayLike<number>,
): SparseSymmetric {
  const count = values.length;
  if (rows.length !== count || columns.length !== count) {
    throw new Error(
      `makeSparseSymmetric: rows, columns and values must have the same length, got ${rows.length}, ${columns.length} and ${count}`,
    );
  }
  for (let t = 0; t < count; t++) {
    if (!(columns[t] >= 0 && columns[t] <= rows[t] && rows[t] < size)) {
      throw new Error(
        `makeSparseSymmetric: triplet ${t} has row ${rows[t]}, column ${columns[t]}; the lower triangle of size ${size} has column ≤ row < ${size}`,
      );
    }
  }
  // Two counting sorts, by row and then by column, leave the triplets column by column with ascending rows, equal places in given order.
  const byRow = sortByKey(rows, size, null);
  const order = sortByKey(columns, size, byRow);

  const columnStart = new Uint32Array(size + 1);
  const rowIndices = new Uint32Array(count);
  const sums = new Float64Array(count);
  let written = 0;
  let read = 0;
  for (let j = 0; j < size; j++) {
    const start = written;
    for (; read < count && columns[order[read]] === j; read++) {
      const t = order[read];
      if (written > start && rowIndices[written - 1] === rows[t]) {
        sums[written - 1] += values[t];
      } else {
        rowIndices[written] = rows[t];
        sums[written] = values[t];
        written++;
      }
    }
    columnStart[j + 1] = written;
  }
  return { size, columnStart, rowIndices: rowIndices.slice(0, written), values: sums.slice(0, written) };
}

/** Positions of triplets sorted by key, stable with respect to the given order. */
function sortByKey(keys: ArrayLike<number>, size: number, from: Uint32Array | null): Uint32Array {
  const count = keys.length;
  const place = new Uint32Array(size + 1);
  for (let t = 0; t < count; t++) place[keys[t] + 1]++;
  for (let j = 0; j < size; j++) place[j + 1] += place[j];
  const order = new Uint32Array(count);
  for (let n = 0; n < count; n++) {
    const t = from === null ? n : from[n];
    order[place[keys[t]]++] = t;
  }
  return order;
}
