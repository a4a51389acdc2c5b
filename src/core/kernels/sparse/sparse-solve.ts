// SPDX-License-Identifier: MIT
// Repeated solves with one sparse factor, x ← (L D Lᵀ)⁻¹ (S x + c), p times: implicit smoothing of many columns (S the diagonal of the smoothing
// system, c the contribution of fixed neighbours) without leaving the cache, or one plain solve (p = 1, no S, no c).
//
// A chunk is a block of eight right-hand sides, size x 8, rows in the factor's order: 0.8 MB for 12,500 points. deformers/delta-mush/smooth-columns.ts makes the
// blocks and the groups: runs of one, two or four columns of L with the same rows below the last of them, which covers most of the factor of a mesh.
import { kernel } from '../kernel.ts';

/** Right-hand sides per block. */
export const SPARSE_BLOCK = 8;

export const sparseSolveKernel = kernel(
  'sparseSolve',
  {
    /** size + 1 */
    columnStart: 'u32',
    /** of the entries of L below its diagonal of ones: columns one after another, rows ascending */
    rows: 'u32',
    values: 'f64',
    /** size */
    inversePivots: 'f64',
    /** groupCount + 1 first columns */
    groups: 'u32',
    groupCount: 'int',
    size: 'int',
    /** S: size */
    diagonal: 'f64?',
    /** c: blocks x size x 8 */
    addends: 'f64?',
    /** blocks x size x 8, changed in place */
    blocks: 'f64',
    iterations: 'int',
  },
  ({ columnStart, rows, values, inversePivots, size, diagonal, addends, blocks, iterations }, chunk) => {
    const span = size * SPARSE_BLOCK;
    const addend = addends?.subarray(chunk * span, (chunk + 1) * span);
    const y = blocks.subarray(chunk * span, (chunk + 1) * span);
    for (let n = 0; n < iterations; n++) {
      if (diagonal) for (let o = 0; o < span; o++) y[o] *= diagonal[Math.floor(o / SPARSE_BLOCK)];
      if (addend) for (let o = 0; o < span; o++) y[o] += addend[o];
      for (let j = 0; j < size; j++) {
        for (let e = columnStart[j]; e < columnStart[j + 1]; e++) {
          const l = values[e];
          const to = rows[e] * SPARSE_BLOCK;
          for (let c = 0; c < SPARSE_BLOCK; c++) y[to + c] -= l * y[j * SPARSE_BLOCK + c];
        }
      }
      for (let j = size - 1; j >= 0; j--) {
        const at = j * SPARSE_BLOCK;
        for (let c = 0; c < SPARSE_BLOCK; c++) y[at + c] *= inversePivots[j];
        for (let e = columnStart[j]; e < columnStart[j + 1]; e++) {
          const l = values[e];
          const from = rows[e] * SPARSE_BLOCK;
          for (let c = 0; c < SPARSE_BLOCK; c++) y[at + c] -= l * y[from + c];
        }
      }
    }
  },
);
