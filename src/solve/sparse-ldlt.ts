// SPDX-License-Identifier: MIT
// Sparse L D Lᵀ of a symmetric positive definite matrix, and solves with many right-hand sides at once.
//
// T. A. Davis, "Direct Methods for Sparse Linear Systems", SIAM 2006, chapters 4 and 7; the row-by-row order of work is that of his
// "Algorithm 849: a concise sparse Cholesky factorization package", ACM TOMS 31 (2005). Nothing of their code is used.
//
// With P A Pᵀ = L D Lᵀ, L of unit diagonal, row k follows from the rows above it: let y solve the triangular system L_{<k} y = a_k, where a_k is row
// k of P A Pᵀ left of the diagonal; then l_ki = y_i / d_i and d_k = a_kk − Σ_i l_ki y_i. Only the columns on the tree paths of row k take
// part (analyze-sparse.ts). Columns of L grow at their end, rows rising, in the room counted before.
//
// Solving: right-hand sides are taken eight at a time into a block of size x 8 in the factor's order, so that each entry of L read serves
// eight, and the block of a 12,000-point mesh (0.8 MB) stays in the second-level cache; one and up to four have loops of their own.
//
// Measured with Node 20 on one core (order and pattern; factor; solve), matrices I + 20 L with random weights:
//   flat mesh of 12,100 points: 357,000 entries, 27 Mflop:  9 ms;   40 ms; 520 right-hand sides 480 ms, one 2 ms
//   closed torus, shuffled:     600,000 entries, 111 Mflop: 15 ms; 140 ms; 520 right-hand sides 610 ms, one 4 ms
//   flat mesh of 99,856 points: 4,996,000 entries, 1.1 Gflop: 240 ms; 1.4 s; 64 right-hand sides 700 ms, one 32 ms
// The first call in a process takes some 60 ms more, while the loops are compiled.
import { analyzeSparse, type SparsePattern } from './analyze-sparse.ts';
import type { SparseSymmetric } from './sparse-matrix.ts';
import { solveEight, solveFour, solveOne } from './sparse-triangular.ts';

const NONE = -1;

export interface FactorSparseOptions {
  /** Pattern of the same matrix, or of one with the same entries, from analyzeSparse: spares the ordering. Default: analyzed here. */
  pattern?: SparsePattern;
  /**
   * A pivot below this part of its diagonal entry is taken for zero: what is left is rounding. Default: size x 2^-52, not below 1e-13. The last
   * pivot of a singular Laplacian came out at 5e-14 of the diagonal for 12,000 points and 2e-13 for 100,000.
   */
  pivotTolerance?: number;
  /**
   * What a zero pivot means. 'throw' (default): an error. 'hold': that unknown is held at zero, which gives an exact solution where the system has one
   * (a Laplacian, one part of a mesh per held unknown). A pivot well below zero is an error in any case: the matrix is not positive.
   */
  singular?: 'throw' | 'hold';
}

/** The default of pivotTolerance for few unknowns. */
const LEAST_PIVOT_TOLERANCE = 1e-13;

export interface SparseFactor {
  readonly size: number;
  /** Entries of L, its diagonal of ones not counted. */
  readonly nonzeros: number;
  /** Unknowns held at zero, rising; empty unless singular is 'hold'. */
  readonly held: readonly number[];
  readonly pattern: SparsePattern;
  /** Factors a matrix of the same pattern in place of the present one. On an error the factor is not usable until a call succeeds. */
  refactor(matrix: SparseSymmetric): void;
  /**
   * Solves A x = b for many right-hand sides.
   * @param b size x columns, row-major
   * @param x size x columns, row-major; may be b
   */
  solveInto(b: ArrayLike<number>, x: Float64Array | Float32Array, columns?: number): void;
}

/** Factors a symmetric positive definite matrix. Throws, naming the row, when it is singular or indefinite. */
export function factorSparse(matrix: SparseSymmetric, options: FactorSparseOptions = {}): SparseFactor {
  const pattern = options.pattern ?? analyzeSparse(matrix);
  const pivotTolerance = options.pivotTolerance ?? Math.max(LEAST_PIVOT_TOLERANCE, matrix.size * Number.EPSILON);
  const { size, order, columnStart } = pattern;
  const nonzeros = columnStart[size];
  const rows = new Uint32Array(nonzeros);
  const values = new Float64Array(nonzeros);
  const inversePivots = new Float64Array(size);
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
    factorRows(next, pattern, rows, values, inversePivots, held, pivotTolerance, options.singular === 'hold');
    held.sort((a, b) => a - b);
    usable = true;
  };
  refactor(matrix);

  /** size x 8, made when first needed */
  let block = new Float64Array(0);
  const solveInto = (b: ArrayLike<number>, x: Float64Array | Float32Array, columns = 1): void => {
    if (!usable) throw new Error('solveInto: the last factorization failed, there is nothing to solve with');
    if (!(Number.isInteger(columns) && columns >= 0)) {
      throw new Error(`solveInto: columns must be a whole number, got ${columns}`);
    }
    if (b.length < size * columns || x.length < size * columns) {
      throw new Error(
        `solveInto: ${columns} right-hand sides of ${size} unknowns need ${size * columns} numbers, got ${Math.min(b.length, x.length)}`,
      );
    }
    let done = 0;
    while (done < columns) {
      const left = columns - done;
      const width = left === 1 ? 1 : left <= 4 ? 4 : 8;
      const used = Math.min(left, width);
      if (block.length < size * width) block = new Float64Array(size * width);
      for (let k = 0; k < size; k++) {
        const from = order[k] * columns + done;
        const to = k * width;
        for (let c = 0; c < used; c++) block[to + c] = b[from + c];
        for (let c = used; c < width; c++) block[to + c] = 0;
      }
      const solve = width === 1 ? solveOne : width === 4 ? solveFour : solveEight;
      solve(size, columnStart, rows, values, inversePivots, block);
      for (let k = 0; k < size; k++) {
        const to = order[k] * columns + done;
        const from = k * width;
        for (let c = 0; c < used; c++) x[to + c] = block[from + c];
      }
      done += used;
    }
  };
  return { size, nonzeros, held, pattern, refactor, solveInto };
}

/** Fills L and 1/D. A held unknown has 1/D = 0, which leaves its column of L zero and its value in every solution zero. */
function factorRows(
  matrix: SparseSymmetric,
  pattern: SparsePattern,
  rows: Uint32Array,
  values: Float64Array,
  inversePivots: Float64Array,
  held: number[],
  pivotTolerance: number,
  hold: boolean,
): void {
  const { size, order, parent, columnStart, rowStart, rowColumns, rowSources } = pattern;
  const end = columnStart.slice(0, size);
  const y = new Float64Array(size);
  const met = new Int32Array(size).fill(NONE);
  /** Columns of the present row: paths on the left as they are walked, the whole row on the right, columns in order of work. */
  const stack = new Int32Array(size);
  for (let k = 0; k < size; k++) {
    let top = size;
    let diagonal = 0;
    met[k] = k;
    for (let e = rowStart[k]; e < rowStart[k + 1]; e++) {
      const column = rowColumns[e];
      const a = matrix.values[rowSources[e]];
      if (column === k) {
        diagonal = a;
        continue;
      }
      y[column] = a;
      let walked = 0;
      for (let i = column; met[i] !== k; i = parent[i]) {
        met[i] = k;
        stack[walked++] = i;
      }
      while (walked > 0) stack[--top] = stack[--walked];
    }
    let pivot = diagonal;
    for (let n = top; n < size; n++) {
      const i = stack[n];
      const yi = y[i];
      y[i] = 0;
      const to = end[i];
      for (let q = columnStart[i]; q < to; q++) y[rows[q]] -= values[q] * yi;
      const l = yi * inversePivots[i];
      pivot -= l * yi;
      rows[to] = k;
      values[to] = l;
      end[i] = to + 1;
    }
    const floor = pivotTolerance * Math.abs(diagonal);
    if (pivot > floor && pivot < Number.POSITIVE_INFINITY) {
      inversePivots[k] = 1 / pivot;
    } else if (hold && Math.abs(pivot) <= floor) {
      inversePivots[k] = 0;
      held.push(order[k]);
    } else {
      throw new Error(
        `factorSparse: the matrix is ${Math.abs(pivot) <= floor ? 'singular' : 'not positive definite'} at row ${order[k]} (pivot ${pivot}, diagonal ${diagonal})`,
      );
    }
  }
}
