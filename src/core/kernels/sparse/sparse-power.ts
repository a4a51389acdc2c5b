// SPDX-License-Identifier: MIT
// x ← Bᵖ x for a sparse matrix B by rows: explicit smoothing, B = I − λ D⁻¹L. A chunk is a block of eight columns, size x 8, as in sparse-solve.ts;
// the p steps alternate between the block and a scratch block of the thread.
import type { ResidentArray } from '../compute.ts';
import { SPARSE_BLOCK } from './sparse-solve.ts';

/**
 * Reference implementation.
 * args: rowStart (size + 1), columns, values, size, blocks (blocks x size x 8, in place), iterations, scratch (threads x size x 8)
 */
export function sparsePowerReference(args: readonly (ResidentArray | number)[], chunk: number): void {
  const [rowStart, columns] = args as Uint32Array[];
  const values = args[2] as Float64Array;
  const size = args[3] as number;
  const span = size * SPARSE_BLOCK;
  const block = (args[4] as Float64Array).subarray(chunk * span, (chunk + 1) * span);
  const iterations = args[5] as number;
  let from = block;
  let to = (args[6] as Float64Array).subarray(0, span);
  for (let n = 0; n < iterations; n++) {
    to.fill(0);
    for (let i = 0; i < size; i++) {
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const a = values[e];
        const x = columns[e] * SPARSE_BLOCK;
        for (let c = 0; c < SPARSE_BLOCK; c++) to[i * SPARSE_BLOCK + c] += a * from[x + c];
      }
    }
    [from, to] = [to, from];
  }
  if (from !== block) block.set(from);
}
