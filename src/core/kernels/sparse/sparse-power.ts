// SPDX-License-Identifier: MIT
// x ← Bᵖ x for a sparse matrix B by rows: explicit smoothing, B = I − λ D⁻¹L. A chunk is a block of eight columns, size x 8, as in sparse-solve.ts;
// the p steps alternate between the block and a scratch block of the thread.
import { kernel } from '../kernel.ts';
import { SPARSE_BLOCK } from './sparse-solve.ts';

export const sparsePowerKernel = kernel(
  'sparsePower',
  {
    /** size + 1 */
    rowStart: 'u32',
    columns: 'u32',
    values: 'f64',
    size: 'int',
    /** blocks x size x 8, changed in place */
    blocks: 'f64',
    iterations: 'int',
    /** threads x size x 8 */
    scratch: 'f64',
  },
  ({ rowStart, columns, values, size, blocks, iterations, scratch }, chunk) => {
    const span = size * SPARSE_BLOCK;
    const block = blocks.subarray(chunk * span, (chunk + 1) * span);
    let from = block;
    let to = scratch.subarray(0, span);
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
  },
);
