// SPDX-License-Identifier: MIT
// Symbolic analysis: the pattern of the factor of a sparse symmetric matrix.
//
// J. W. H. Liu, "The role of elimination trees in sparse factorization", SIAM J. Matrix Anal. Appl. 11 (1990).
//
// In P A Pᵀ = L D Lᵀ the parent of column j in the elimination tree is the row of the first entry below the diagonal of L's column j. Row k of L
// holds exactly the columns on the paths from each i with A_ki ≠ 0, i < k, up the tree towards k: walking these paths, with a mark on visited columns,
// counts the entries of every column in time proportional to the factor. Any postorder of the tree gives the same fill, and puts columns that update
// one another side by side in memory.
import { minimumDegree } from './minimum-degree.ts';
import type { SparseSymmetric } from './sparse-matrix.ts';

const NONE = -1;

/** Order, elimination tree and pattern sizes: enough to factor any matrix of the same pattern. Plain data. */
export interface SparsePattern {
  size: number;
  /** size: order[k] is the unknown eliminated k-th */
  order: Uint32Array;
  /** size: parent of column k in the elimination tree, -1 for a root */
  parent: Int32Array;
  /** size + 1: entries of L's column k below the diagonal are columnStart[k] up to columnStart[k + 1] */
  columnStart: Uint32Array;
  /** size + 1: entries of the ordered matrix's row k, diagonal included, are rowStart[k] up to rowStart[k + 1] */
  rowStart: Uint32Array;
  /** entryCount: columns of the ordered matrix's lower triangle, row by row, ascending within a row */
  rowColumns: Uint32Array;
  /** entryCount: index of each value in the given matrix */
  rowSources: Uint32Array;
}

/**
 * Analyzes the pattern of a matrix for factorSparse.
 * @param order elimination order, size unknowns; default: minimumDegree
 */
export function analyzeSparse(matrix: SparseSymmetric, order = minimumDegree(matrix)): SparsePattern {
  const { size } = matrix;
  checkOrder(order, size);
  const parent = new Int32Array(size);
  const first = orderRows(matrix, order);
  findTree(first.rowStart, first.rowColumns, parent);
  const post = listPostorder(parent);
  const finalOrder = post.map((k) => order[k]);
  const rows = orderRows(matrix, finalOrder);
  findTree(rows.rowStart, rows.rowColumns, parent);
  return { size, order: finalOrder, parent, columnStart: countColumns(rows, parent), ...rows };
}

function checkOrder(order: Uint32Array, size: number): void {
  const met = new Uint8Array(size);
  for (const i of order) if (i < size) met[i] = 1;
  if (order.length !== size || met.includes(0)) {
    throw new Error(`analyzeSparse: order must contain each of the ${size} unknowns once`);
  }
}

/** The lower triangle of P A Pᵀ by rows, columns ascending within a row: two counting sorts, by column and then by row. */
function orderRows(
  matrix: SparseSymmetric,
  order: Uint32Array,
): Pick<SparsePattern, 'rowStart' | 'rowColumns' | 'rowSources'> {
  const { size, columnStart, rowIndices } = matrix;
  const count = rowIndices.length;
  const rank = new Uint32Array(size);
  for (let k = 0; k < size; k++) rank[order[k]] = k;
  const rowStart = new Uint32Array(size + 1);
  const place = new Uint32Array(size + 1);
  for (let j = 0; j < size; j++) {
    for (let e = columnStart[j]; e < columnStart[j + 1]; e++) {
      rowStart[Math.max(rank[rowIndices[e]], rank[j]) + 1]++;
      place[Math.min(rank[rowIndices[e]], rank[j]) + 1]++;
    }
  }
  for (let k = 0; k < size; k++) {
    rowStart[k + 1] += rowStart[k];
    place[k + 1] += place[k];
  }
  const byColumn = new Uint32Array(count);
  const columnOf = new Uint32Array(count);
  const rowOf = new Uint32Array(count);
  for (let j = 0; j < size; j++) {
    for (let e = columnStart[j]; e < columnStart[j + 1]; e++) {
      columnOf[e] = Math.min(rank[rowIndices[e]], rank[j]);
      rowOf[e] = Math.max(rank[rowIndices[e]], rank[j]);
      byColumn[place[columnOf[e]]++] = e;
    }
  }
  const rowColumns = new Uint32Array(count);
  const rowSources = new Uint32Array(count);
  place.set(rowStart);
  for (const e of byColumn) {
    const at = place[rowOf[e]]++;
    rowColumns[at] = columnOf[e];
    rowSources[at] = e;
  }
  return { rowStart, rowColumns, rowSources };
}

/** Fills parent with the elimination tree. Known paths are shortened to their oldest ancestor. */
function findTree(rowStart: Uint32Array, rowColumns: Uint32Array, parent: Int32Array): void {
  const ancestor = new Int32Array(parent.length).fill(NONE);
  for (let k = 0; k < parent.length; k++) {
    parent[k] = NONE;
    for (let e = rowStart[k]; e < rowStart[k + 1]; e++) {
      let i = rowColumns[e];
      while (i < k) {
        const above = ancestor[i];
        ancestor[i] = k;
        if (above === NONE) {
          parent[i] = k;
          break;
        }
        i = above;
      }
    }
  }
}

/** Columns of the tree, children before parents, each subtree in one run, children in ascending order. */
function listPostorder(parent: Int32Array): Uint32Array {
  const size = parent.length;
  const child = new Int32Array(size + 1).fill(NONE);
  const sibling = new Int32Array(size);
  for (let k = size - 1; k >= 0; k--) {
    const above = parent[k] === NONE ? size : parent[k];
    sibling[k] = child[above];
    child[above] = k;
  }
  const post = new Uint32Array(size);
  const stack = new Int32Array(size + 1);
  let depth = 0;
  let written = 0;
  stack[0] = size;
  while (depth >= 0) {
    const k = stack[depth];
    const below = child[k];
    if (below !== NONE) {
      child[k] = sibling[below];
      stack[++depth] = below;
    } else {
      if (k < size) post[written++] = k;
      depth--;
    }
  }
  return post;
}

function countColumns(rows: Pick<SparsePattern, 'rowStart' | 'rowColumns'>, parent: Int32Array): Uint32Array {
  const size = parent.length;
  const columnStart = new Uint32Array(size + 1);
  const met = new Int32Array(size).fill(NONE);
  for (let k = 0; k < size; k++) {
    met[k] = k;
    for (let e = rows.rowStart[k]; e < rows.rowStart[k + 1]; e++) {
      for (let i = rows.rowColumns[e]; met[i] !== k; i = parent[i]) {
        met[i] = k;
        columnStart[i + 1]++;
      }
    }
  }
  for (let k = 0; k < size; k++) columnStart[k + 1] += columnStart[k];
  return columnStart;
}
