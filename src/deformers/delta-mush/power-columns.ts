// SPDX-License-Identifier: MIT
// Explicit smoothing of many columns: x ← Bᵖ x with a sparse B, by the sparsePower kernel.
import { type Compute, uploadFloat64, uploadUint32 } from '../../core/kernels/compute.ts';
import { sparsePowerKernel } from '../../core/kernels/sparse/sparse-power.ts';
import { SPARSE_BLOCK } from '../../core/kernels/sparse/sparse-solve.ts';
import { checkColumns, runBlocks } from './smooth-columns.ts';

/** A square sparse matrix by rows, in general not symmetric, such as I − λ D⁻¹L. */
export interface SparseRows {
  size: number;
  /** size + 1: entries of row i are rowStart[i] up to rowStart[i + 1] */
  rowStart: Uint32Array;
  /** entryCount */
  columnIndices: Uint32Array;
  /** entryCount */
  values: Float64Array;
}

/**
 * Multiplies columns by B p times, in place.
 * @param columns size x columnCount, row-major
 */
export async function powerColumns(
  compute: Compute,
  matrix: SparseRows,
  columns: Float64Array,
  iterations: number,
): Promise<void> {
  const { size, rowStart, columnIndices, values } = matrix;
  checkColumns('powerColumns', size, columns, iterations);
  if (columns.length === 0 || iterations === 0) return;
  const order = Uint32Array.from({ length: size }, (_, i) => i);
  await compute.scope(async (memory) => {
    const given = {
      rowStart: uploadUint32(memory, rowStart),
      columns: uploadUint32(memory, columnIndices),
      values: uploadFloat64(memory, values),
      scratch: memory.float64(compute.threads * size * SPARSE_BLOCK),
    };
    await runBlocks(compute, columns, order, undefined, (blocks, _, blockCount) =>
      compute.run(sparsePowerKernel, { ...given, size, blocks, iterations }, blockCount),
    );
  });
}
