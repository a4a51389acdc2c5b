// SPDX-License-Identifier: MIT
// Implicit smoothing of many columns: x ← A⁻¹ (S x + c), p times, with one factor of A; the work is done by the sparseSolve kernel.

import { gatherBlocks, scatterBlocks } from '../../core/algebra/column-blocks.ts';
import { countRuns, type SparseFactor } from '../../core/algebra/sparse-ldlt.ts';
import { type Compute, type Resident, uploadFloat64, uploadUint32 } from '../../core/kernels/compute.ts';
import { SPARSE_BLOCK, sparseSolveKernel } from '../../core/kernels/sparse/sparse-solve.ts';

/** Bytes of the blocks of a batch: more would only cost memory; with fewer, threads wait for one another at the end of each batch. */
const BATCH_BYTES = 1 << 25;

export interface SmoothColumnsOptions {
  /** size x columnCount, row-major: c, added at every step. Default: none. */
  addend?: Float64Array;
}

/**
 * Smooths columns in place. The bytes of a column depend neither on the number of threads nor on the other columns.
 * @param diagonal size: S; none for a plain solve
 * @param columns size x columnCount, row-major
 */
export async function smoothColumns(
  compute: Compute,
  factor: SparseFactor,
  diagonal: Float64Array | undefined,
  columns: Float64Array,
  iterations: number,
  options: SmoothColumnsOptions = {},
): Promise<void> {
  const { size, pattern, lower } = factor;
  const { addend } = options;
  checkColumns('smoothColumns', size, columns, iterations);
  if (addend && addend.length !== columns.length) {
    throw new Error(
      `smoothColumns: addend must have as many numbers as columns (${columns.length}), got ${addend.length}`,
    );
  }
  if (diagonal && diagonal.length !== size) {
    throw new Error(`smoothColumns: diagonal must have ${size} numbers, got ${diagonal.length}`);
  }
  if (columns.length === 0 || iterations === 0) return;
  const groups = listGroups(countRuns(pattern));
  const order = pattern.order;
  await compute.scope(async (memory) => {
    const inOrder = diagonal && Float64Array.from(order, (i) => diagonal[i]);
    const given = {
      columnStart: uploadUint32(memory, pattern.columnStart),
      rows: uploadUint32(memory, lower.rows),
      values: uploadFloat64(memory, lower.values),
      inversePivots: uploadFloat64(memory, lower.inversePivots),
      groups: uploadUint32(memory, groups),
      groupCount: groups.length - 1,
      size,
      diagonal: inOrder && uploadFloat64(memory, inOrder),
      iterations,
    };
    await runBlocks(compute, columns, order, addend, (blocks, addends, blockCount) =>
      compute.run(sparseSolveKernel, { ...given, addends, blocks }, blockCount),
    );
  });
}

export function checkColumns(who: string, size: number, columns: Float64Array, iterations: number): void {
  if (!(Number.isInteger(iterations) && iterations >= 0)) {
    throw new Error(`${who}: iterations must be a whole number, got ${iterations}`);
  }
  if (size === 0 ? columns.length > 0 : columns.length % size !== 0) {
    throw new Error(`${who}: ${columns.length} numbers are not columns of ${size} unknowns`);
  }
}

/** First columns of groups of four, two or one columns with the same rows below the last of them, and the size at the end. */
export function listGroups(runs: Uint32Array): Uint32Array {
  const first: number[] = [];
  for (let j = 0; j < runs.length; ) {
    first.push(j);
    j += runs[j] > 3 ? 4 : runs[j] > 1 ? 2 : 1;
  }
  first.push(runs.length);
  return Uint32Array.from(first);
}

/**
 * Processes columns in resident blocks of size x 8, batch by batch: copies in, calls the kernel, copies back.
 * @param order order[k] is the row at position k of a block
 */
export async function runBlocks(
  compute: Compute,
  columns: Float64Array,
  order: Uint32Array,
  addend: Float64Array | undefined,
  call: (
    blocks: Resident<Float64Array>,
    addends: Resident<Float64Array> | undefined,
    blockCount: number,
  ) => Promise<void>,
): Promise<void> {
  const size = order.length;
  const columnCount = columns.length / size;
  const span = size * SPARSE_BLOCK;
  const total = Math.ceil(columnCount / SPARSE_BLOCK);
  const inBatch = Math.min(total, Math.max(2 * compute.threads, Math.floor(BATCH_BYTES / (span * 8))));
  await compute.scope(async (memory) => {
    const blocks = memory.float64(inBatch * span);
    const addends = addend && memory.float64(inBatch * span);
    for (let done = 0; done < total; done += inBatch) {
      const count = Math.min(inBatch, total - done);
      const first = done * SPARSE_BLOCK;
      const used = Math.min(count * SPARSE_BLOCK, columnCount - first);
      const shape = { order, columnCount, first, used, width: SPARSE_BLOCK };
      gatherBlocks(columns, blocks.view(), shape);
      if (addend && addends) gatherBlocks(addend, addends.view(), shape);
      await call(blocks, addends, count);
      scatterBlocks(blocks.view(), columns, shape);
    }
  });
}
