// SPDX-License-Identifier: MIT
// Columns of a row-major matrix in blocks of a fixed width, for solves that serve several right-hand sides at once. A block is size x width; its row k is row
// order[k] of the matrix.

/** Some columns of a matrix, and their blocks. */
export interface ColumnBlocks {
  order: Uint32Array;
  /** Columns of the matrix. */
  columnCount: number;
  /** The columns to copy: first up to first + used. */
  first: number;
  used: number;
  /** Columns per block. */
  width: number;
}

/** Copies columns to consecutive blocks; the last is padded with zeros. */
export function gatherBlocks(columns: ArrayLike<number>, blocks: Float64Array, shape: ColumnBlocks): void {
  const { order, columnCount, first, used, width } = shape;
  const size = order.length;
  for (let k = 0; k < size; k++) {
    const from = order[k] * columnCount + first;
    for (let c = 0; c < used; c += width) {
      const to = c * size + k * width;
      const filled = Math.min(width, used - c);
      for (let d = 0; d < filled; d++) blocks[to + d] = columns[from + c + d];
      for (let d = filled; d < width; d++) blocks[to + d] = 0;
    }
  }
}

/** Copies blocks back to columns. */
export function scatterBlocks(blocks: Float64Array, columns: Float64Array | Float32Array, shape: ColumnBlocks): void {
  const { order, columnCount, first, used, width } = shape;
  const size = order.length;
  for (let k = 0; k < size; k++) {
    const to = order[k] * columnCount + first;
    for (let c = 0; c < used; c += width) {
      const from = c * size + k * width;
      const filled = Math.min(width, used - c);
      for (let d = 0; d < filled; d++) columns[to + c + d] = blocks[from + d];
    }
  }
}
