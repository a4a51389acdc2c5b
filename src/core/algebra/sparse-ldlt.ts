// SPDX-License-Identifier: MIT
// Sparse L D Lᵀ of a symmetric positive definite matrix, and solves with many right-hand sides at once.
//
// T. A. Davis, "Direct Methods for Sparse Linear Systems", SIAM 2006, chapters 4 and 7; the row-by-row order of work is that of his
// "Algorithm 849: a concise sparse Cholesky factorization package", ACM TOMS 31 (2005). Nothing of their code is used.
//
// With P A Pᵀ = L D Lᵀ, L of unit diagonal, row k follows from the rows above it: let y solve the triangular system L_{<k} y = a_k, where a_k is row
// k of P A Pᵀ left of the diagonal; then l_ki = y_i / d_i and d_k = a_kk − Σ_i l_ki y_i. Only the columns on the tree paths of row k take
// part (analyze-sparse.ts). Columns of L grow at their end, rows ascending, in memory reserved by the analysis. Runs of columns with the same rows, most of
// the work for a mesh, are processed four at a time. Rows list their columns ascending, so that a run's columns follow one another on the stack.
//
// Solving: eight right-hand sides at a time are copied to a block of size x 8 in the factor's order, so that each entry of L serves
// eight, and the block of a 12,000-point mesh (0.8 MB) stays in the second-level cache; one and up to four have separate loops.
//
// Measured with Node 20 on one core (order and pattern; factor; solve), matrices I + 20 L with random weights:
//   flat mesh of 12,100 points:      357,000 entries, 27 Mflop:   9 ms;  22 ms; 520 right-hand sides 370 ms, one 2 ms
//   torus of 12,100, shuffled:       600,000 entries, 111 Mflop:  23 ms;  62 ms; 520 right-hand sides 550 ms, one 4 ms
//   flat mesh of 99,856, shuffled: 4,996,000 entries, 1.1 Gflop: 170 ms; 650 ms; 64 right-hand sides 600 ms, one 33 ms
//   torus of 99,856, shuffled:     7,574,000 entries, 4.4 Gflop: 180 ms; 2.5 s;  64 right-hand sides 850 ms, one 50 ms
// The first call in a process takes 60 ms more, for compiling the loops. Tried: one column at a time in the factorization, 2.1 to 2.5
// times as slow for the larger ones; copying 8 right-hand sides at a time instead of 32, 480 ms instead of 370; two columns of L at a time in
// the solves of eight, 20 % faster for twice the code, not kept: the SIMD kernel does this.
import { sparseFactorKernel } from '../kernels/sparse/sparse-factor.ts';
import { analyzeSparse, type SparsePattern } from './analyze-sparse.ts';
import { gatherBlocks, scatterBlocks } from './column-blocks.ts';
import type { SparseSymmetric } from './sparse-matrix.ts';
import { solveEight, solveFour, solveOne } from './sparse-triangular.ts';

/** Right-hand sides per block, and blocks copied at once: access to a row of 32 numbers costs hardly more than to one of 8. */
const BLOCK = 8;
const BLOCKS_AT_ONCE = 4;

export interface FactorSparseOptions {
  /** Pattern of the same matrix, or of one with the same entries, from analyzeSparse: saves the ordering. Default: analyzed here. */
  pattern?: SparsePattern;
  /**
   * Pivots below this ratio of their diagonal entry are rounding errors and count as zero. Default: size x 2^-52, at least 1e-13. The last
   * pivot of a singular Laplacian came out at 5e-14 of the diagonal for 12,000 points and up to 1e-12 for 100,000.
   */
  pivotTolerance?: number;
  /**
   * Handling of zero pivots. 'throw' (default): an error. 'hold': that unknown is held at zero, which gives an exact solution where the system has one
   * (a Laplacian, one part of a mesh per held unknown). A pivot well below zero is an error in any case: the matrix is not positive.
   */
  singular?: 'throw' | 'hold';
}

/** Minimum of the default of pivotTolerance. */
const MIN_PIVOT_TOLERANCE = 1e-13;

/** Entries of L below its unit diagonal, columns one after another as in pattern.columnStart, rows ascending; and 1/D. */
export interface SparseLower {
  /** nonzeros */
  rows: Uint32Array;
  /** nonzeros */
  values: Float64Array;
  /** size */
  inversePivots: Float64Array;
}

export interface SparseFactor {
  readonly size: number;
  /** Number of entries of L below its unit diagonal. */
  readonly nonzeros: number;
  /** Unknowns held at zero, ascending; empty unless singular is 'hold'. */
  readonly held: readonly number[];
  readonly pattern: SparsePattern;
  /** L and D in the factor's order, for kernels (smooth-columns.ts); updated in place by refactor. */
  readonly lower: SparseLower;
  /** Factors another matrix of the same pattern in place. After an error the factor is not usable until a call succeeds. */
  refactor(matrix: SparseSymmetric): void;
  /**
   * Solves A x = b for many right-hand sides.
   * @param b size x columns, row-major
   * @param x size x columns, row-major; may be b
   */
  solveInto(b: ArrayLike<number>, x: Float64Array | Float32Array, columns?: number): void;
}

/** Factors a symmetric positive definite matrix. Throws if it is singular or indefinite; the error names the row. */
export function factorSparse(matrix: SparseSymmetric, options: FactorSparseOptions = {}): SparseFactor {
  const pattern = options.pattern ?? analyzeSparse(matrix);
  const pivotTolerance = options.pivotTolerance ?? defaultTolerance(matrix.size);
  const { size, columnStart } = pattern;
  const nonzeros = columnStart[size];
  const rows = new Uint32Array(nonzeros);
  const values = new Float64Array(nonzeros);
  const inversePivots = new Float64Array(size);
  const lower: SparseLower = { rows, values, inversePivots };
  const held: number[] = [];
  let usable = false;

  const refactor = (next: SparseSymmetric): void => {
    if (next.size !== size || next.rowIndices.length !== pattern.rowSources.length) {
      throw new Error(
        `factorSparse: the matrix has ${next.size} rows and ${next.rowIndices.length} entries, its pattern ${size} and ${pattern.rowSources.length}`,
      );
    }
    held.length = 0;
    usable = false;
    for (const i of factorRows(next, pattern, lower, pivotTolerance, options.singular === 'hold')) held.push(i);
    usable = true;
  };
  refactor(matrix);

  const solver = new SparseSolver(pattern);
  const solveInto = (b: ArrayLike<number>, x: Float64Array | Float32Array, columns = 1): void => {
    if (!usable) throw new Error('solveInto: the last factorization failed; call refactor with another matrix');
    solver.solveInto(lower, b, x, columns);
  };
  return { size, nonzeros, held, pattern, lower, refactor, solveInto };
}

/** Solves with factors of one pattern. */
export class SparseSolver {
  readonly #pattern: SparsePattern;
  /** Up to four blocks of size x 8, allocated on first use */
  #blocks = new Float64Array(0);

  constructor(pattern: SparsePattern) {
    this.#pattern = pattern;
  }

  /** SparseFactor.solveInto has the arguments. */
  solveInto(lower: SparseLower, b: ArrayLike<number>, x: Float64Array | Float32Array, columns: number): void {
    const { size, order, columnStart } = this.#pattern;
    if (!(Number.isInteger(columns) && columns >= 0)) {
      throw new Error(`solveInto: columns must be a whole number, got ${columns}`);
    }
    if (b.length < size * columns || x.length < size * columns) {
      throw new Error(
        `solveInto: ${columns} right-hand sides of ${size} unknowns need ${size * columns} numbers, got ${Math.min(b.length, x.length)}`,
      );
    }
    for (let done = 0; done < columns; ) {
      const used = Math.min(columns - done, BLOCK * BLOCKS_AT_ONCE);
      const width = used === 1 ? 1 : used <= 4 ? 4 : BLOCK;
      const count = Math.ceil(used / width);
      if (this.#blocks.length < size * width * count) this.#blocks = new Float64Array(size * width * count);
      const blocks = this.#blocks;
      const shape = { order, columnCount: columns, first: done, used, width };
      gatherBlocks(b, blocks, shape);
      const solve = width === 1 ? solveOne : width === 4 ? solveFour : solveEight;
      for (let n = 0; n < count; n++) {
        const block = blocks.subarray(n * size * width, (n + 1) * size * width);
        solve(size, columnStart, lower.rows, lower.values, lower.inversePivots, block);
      }
      scatterBlocks(blocks, x, shape);
      done += used;
    }
  }
}

/** Fills L and 1/D, and returns the unknowns that are held. These have 1/D = 0, which leaves their columns of L zero and their values in every solution zero. */
function factorRows(
  matrix: SparseSymmetric,
  pattern: SparsePattern,
  { rows, values, inversePivots }: SparseLower,
  pivotTolerance: number,
  hold: boolean,
): number[] {
  const { size, order, columnStart, rowStart, rowColumns, rowSources } = pattern;
  const list = Uint32Array.from({ length: size }, (_, k) => k);
  const [pivots, diagonals, y] = [0, 1, 2].map(() => new Float64Array(size));
  const [met, stack] = [0, 1].map(() => new Uint32Array(size));
  const parent = Uint32Array.from(pattern.parent);
  const views = {
    ...{ list, chunks: Uint32Array.of(0, size), firstChunk: 0, size, tolerance: pivotTolerance },
    ...{ parent, columnStart, rowStart, rowColumns, rowSources, runs: countRuns(pattern) },
    ...{ entries: matrix.values, end: columnStart.slice(0, size), y, met, stack },
    ...{ rows, values, inversePivots, pivots, diagonals },
  };
  sparseFactorKernel.reference(views, 0);
  return checkPivots(order, pivots, diagonals, pivotTolerance, hold);
}

/** The unknowns with zero pivots, ascending. Throws if there are any and they may not be held, or if a pivot is negative. */
export function checkPivots(
  order: Uint32Array,
  pivots: Float64Array,
  diagonals: Float64Array,
  tolerance: number,
  hold: boolean,
): number[] {
  const held: number[] = [];
  for (let k = 0; k < order.length; k++) {
    const [pivot, diagonal] = [pivots[k], diagonals[k]];
    const floor = tolerance * Math.abs(diagonal);
    if (pivot > floor && pivot < Number.POSITIVE_INFINITY) continue;
    if (!(hold && Math.abs(pivot) <= floor))
      throw new Error(
        `factorSparse: the matrix is ${Math.abs(pivot) <= floor ? 'singular' : 'not positive definite'} at row ${order[k]} (pivot ${pivot}, diagonal ${diagonal})`,
      );
    held.push(order[k]);
  }
  return held.sort((a, b) => a - b);
}

/** The default of FactorSparseOptions.pivotTolerance. */
export function defaultTolerance(size: number): number {
  return Math.max(MIN_PIVOT_TOLERANCE, size * Number.EPSILON);
}

/** For each column, the length of the run that starts there: columns with the same rows below the last of them. */
export function countRuns({ size, parent, columnStart }: SparsePattern): Uint32Array {
  const runs = new Uint32Array(size).fill(1);
  for (let j = size - 2; j >= 0; j--) {
    // the rows of j except its parent are rows of the parent: if the counts agree, so do the rows
    const same =
      parent[j] === j + 1 && columnStart[j + 1] - columnStart[j] === columnStart[j + 2] - columnStart[j + 1] + 1;
    if (same) runs[j] = runs[j + 1] + 1;
  }
  return runs;
}
