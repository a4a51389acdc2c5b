// SPDX-License-Identifier: MIT
// The factorization of sparse-ldlt.ts on threads: subtrees of the elimination tree that do not contain one another are factored at the same time, then the rows above them. The result has the same bits as that of
// factorSparse, on any number of threads.

import type { SparsePattern } from '../../../core/algebra/analyze-sparse.ts';
import {
  checkPivots,
  countRuns,
  defaultTolerance,
  type FactorSparseOptions,
  SparseSolver,
} from '../../../core/algebra/sparse-ldlt.ts';
import type { SparseSymmetric } from '../../../core/algebra/sparse-matrix.ts';
import type { Compute, KernelCall, Resident } from '../../../core/kernels/compute.ts';
import { uploadUint32 } from '../../../core/kernels/compute.ts';
import { callOf } from '../../../core/kernels/kernel.ts';
import { sparseFactorKernel } from '../../../core/kernels/sparse/sparse-factor.ts';

/** Chunks of about equal work. */
const CHUNKS = 16;

/** Factors matrices of one pattern, many times. */
export class ThreadFactor {
  readonly #compute: Compute;
  readonly #pattern: SparsePattern;
  readonly #calls: readonly KernelCall[];
  readonly #entries: Resident<Float64Array>;
  readonly #end: Resident<Uint32Array>;
  readonly #rows: Resident<Uint32Array>;
  /** L, 1/D, D and the diagonal of the matrix. */
  readonly #found: readonly Resident<Float64Array>[];
  readonly #met: Resident<Uint32Array>;
  readonly #solver: SparseSolver;
  readonly #singular: FactorSparseOptions['singular'];
  readonly #tolerance: number;

  /** @param compute freed by dispose() of this object */
  constructor(
    compute: Compute,
    pattern: SparsePattern,
    { singular, pivotTolerance }: Omit<FactorSparseOptions, 'pattern'> = {},
  ) {
    const own = compute.child();
    const { size, columnStart } = pattern;
    this.#compute = own;
    this.#pattern = pattern;
    this.#singular = singular;
    this.#tolerance = pivotTolerance ?? defaultTolerance(size);
    this.#entries = own.float64(pattern.rowSources.length);
    this.#end = own.uint32(size);
    this.#rows = own.uint32(columnStart[size]);
    this.#found = [columnStart[size], size, size, size].map((length) => own.float64(length));
    this.#met = own.uint32(own.threads * size);
    this.#solver = new SparseSolver(pattern);
    const { list, chunks } = listSubtrees(pattern);
    const [values, inversePivots, pivots, diagonals] = this.#found;
    const args = {
      ...{ list: uploadUint32(own, list), chunks: uploadUint32(own, chunks) },
      ...{ parent: uploadUint32(own, pattern.parent), columnStart: uploadUint32(own, columnStart) },
      ...{ rowStart: uploadUint32(own, pattern.rowStart), rowColumns: uploadUint32(own, pattern.rowColumns) },
      ...{ rowSources: uploadUint32(own, pattern.rowSources), runs: uploadUint32(own, countRuns(pattern)) },
      ...{ entries: this.#entries, end: this.#end, rows: this.#rows, values, inversePivots, pivots, diagonals },
      ...{ y: own.float64(own.threads * size), met: this.#met, stack: own.uint32(own.threads * size) },
      ...{ size, tolerance: this.#tolerance },
    };
    const last = chunks.length - 2;
    // a tree without branches has the last chunk alone
    this.#calls = [...(last > 0 ? [0] : []), last].map((firstChunk) =>
      callOf(sparseFactorKernel, { ...args, firstChunk }, firstChunk === last ? 1 : last),
    );
  }

  /** Factors a matrix of the pattern. Throws as factorSparse does. */
  async factor(matrix: SparseSymmetric): Promise<void> {
    const { size, columnStart, order } = this.#pattern;
    this.#entries.view().set(matrix.values);
    this.#end.view().set(columnStart.subarray(0, size));
    this.#met.view().fill(0);
    await this.#compute.runAll(this.#calls);
    const [, , pivots, diagonals] = this.#found;
    checkPivots(order, pivots.view(), diagonals.view(), this.#tolerance, this.#singular === 'hold');
  }

  /** Solves A x = b for many right-hand sides: size x columns, row-major; x may be b. */
  solveInto(b: ArrayLike<number>, x: Float64Array | Float32Array, columns = 1): void {
    const [values, inversePivots] = this.#found;
    const lower = { rows: this.#rows.view(), values: values.view(), inversePivots: inversePivots.view() };
    this.#solver.solveInto(lower, b, x, columns);
  }

  dispose(): void {
    this.#compute.dispose();
  }
}

/** Rows in chunks: disjoint subtrees with a limited share of the work, and at last all rows above them. */
function listSubtrees({ size, parent, columnStart }: SparsePattern): { list: Uint32Array; chunks: Uint32Array } {
  const work = new Float64Array(size);
  const first = new Uint32Array(size);
  for (let k = 0; k < size; k++) first[k] = k;
  let total = 0;
  for (let k = 0; k < size; k++) {
    const own = (columnStart[k + 1] - columnStart[k] + 1) ** 2;
    work[k] += own;
    total += own;
    if (parent[k] < 0) continue;
    // children come before their parents
    work[parent[k]] += work[k];
    first[parent[k]] = Math.min(first[parent[k]], first[k]);
  }
  const limit = total / CHUNKS;
  const list: number[] = [];
  const chunks = [0];
  const above: number[] = [];
  let filled = 0;
  for (let k = 0; k < size; k++) {
    if (work[k] > limit) above.push(k);
    else if (parent[k] < 0 || work[parent[k]] > limit) {
      // in postorder a subtree is a range of rows
      for (let row = first[k]; row <= k; row++) list.push(row);
      filled += work[k];
      if (filled < limit) continue;
      chunks.push(list.length);
      filled = 0;
    }
  }
  if (chunks[chunks.length - 1] < list.length) chunks.push(list.length);
  for (const row of above) list.push(row);
  chunks.push(list.length);
  return { list: Uint32Array.from(list), chunks: Uint32Array.from(chunks) };
}
