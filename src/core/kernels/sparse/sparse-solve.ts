// SPDX-License-Identifier: MIT
// Repeated solves with one sparse factor, x ← (L D Lᵀ)⁻¹ (S x + c), p times: implicit smoothing of many columns (S the diagonal of the smoothing
// system, c the contribution of fixed neighbours) without leaving the cache, or one plain solve (p = 1, no S, no c).
//
// A chunk is a block of eight right-hand sides, size x 8, rows in the factor's order: 0.8 MB for 12,500 points. deformers/delta-mush/smooth-columns.ts makes the
// blocks and the groups: runs of one, two or four columns of L with the same rows below the last of them, which covers most of the factor of a mesh.
import type { ResidentArray } from '../compute.ts';

/** Right-hand sides per block. */
export const SPARSE_BLOCK = 8;

/**
 * Reference implementation.
 * args: columnStart (size + 1), rows, values (entries of L below its diagonal of ones, columns one after another, rows ascending), inversePivots (size),
 * groups (groupCount + 1 first columns), groupCount, size, diagonal S (size; 0: none), addend c (blocks x size x 8; 0: none),
 * blocks (blocks x size x 8, in place), iterations p
 */
export function sparseSolveReference(args: readonly (ResidentArray | number)[], chunk: number): void {
  const [columnStart, rows] = args as Uint32Array[];
  const [values, inversePivots] = args.slice(2) as Float64Array[];
  const size = args[6] as number;
  const diagonal = args[7] === 0 ? undefined : (args[7] as Float64Array);
  const span = size * SPARSE_BLOCK;
  const addend = args[8] === 0 ? undefined : (args[8] as Float64Array).subarray(chunk * span, (chunk + 1) * span);
  const y = (args[9] as Float64Array).subarray(chunk * span, (chunk + 1) * span);
  const iterations = args[10] as number;
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
}
