// SPDX-License-Identifier: MIT
// Rows of a sparse L D Lᵀ; core/algebra/sparse-ldlt.ts has the algorithm and its references. A chunk is a list of rows in ascending order. A row needs the columns of its own subtree of the elimination tree only, so that disjoint
// subtrees are factored at the same time (methods/track/solve/thread-factor.ts), with the same operations as one after another. Both implementations give the same bits.
import { kernel } from '../kernel.ts';

export const sparseFactorKernel = kernel(
  'sparseFactor',
  {
    /** rows in the order of the chunks */
    list: 'u32',
    /** chunkCount + 1: first place in the list */
    chunks: 'u32',
    /** of this call */
    firstChunk: 'int',
    /** size */
    parent: 'u32',
    /** size + 1 */
    columnStart: 'u32',
    rowStart: 'u32',
    /** entryCount */
    rowColumns: 'u32',
    rowSources: 'u32',
    /** size: columns from each on that have the same rows below the last of them */
    runs: 'u32',
    /** of the matrix */
    entries: 'f64',
    /** size: columnStart at first */
    end: 'u32',
    /** nonzeros, filled */
    rows: 'u32',
    /** nonzeros, filled */
    values: 'f64',
    /** size, filled; zero where the pivot is not positive */
    inversePivots: 'f64',
    /** size, filled */
    pivots: 'f64',
    diagonals: 'f64',
    /** threads x size, zeros */
    y: 'f64',
    /** threads x size, zeros */
    met: 'u32',
    /** threads x size */
    stack: 'u32',
    size: 'int',
    tolerance: 'float',
  },
  (
    {
      list,
      chunks,
      firstChunk,
      parent,
      columnStart,
      rowStart,
      rowColumns,
      rowSources,
      runs,
      entries,
      end,
      rows,
      values,
      inversePivots,
      pivots,
      diagonals,
      y,
      met,
      stack,
      size,
      tolerance,
    },
    chunk,
  ) => {
    const at = chunk + firstChunk;
    for (let place = chunks[at]; place < chunks[at + 1]; place++) {
      const k = list[place];
      // the columns of the row: the current path on the left of the stack, the whole row on the right, in processing order
      let top = size;
      let diagonal = 0;
      met[k] = k + 1;
      for (let e = rowStart[k]; e < rowStart[k + 1]; e++) {
        const column = rowColumns[e];
        const a = entries[rowSources[e]];
        if (column === k) {
          diagonal = a;
          continue;
        }
        y[column] = a;
        let walked = 0;
        for (let i = column; met[i] !== k + 1; i = parent[i]) {
          met[i] = k + 1;
          stack[walked++] = i;
        }
        while (walked > 0) stack[--top] = stack[--walked];
      }
      let pivot = diagonal;
      for (let n = top; n < size; ) {
        const i = stack[n];
        const width = n + 3 < size && stack[n + 3] === i + 3 && runs[i] > 3 ? 4 : 1;
        if (width === 4) updateFour(i, y, columnStart, end, rows, values);
        else updateOne(i, y, columnStart, end, rows, values);
        for (let c = i; c < i + width; c++) {
          const yc = y[c];
          y[c] = 0;
          const l = yc * inversePivots[c];
          pivot -= l * yc;
          rows[end[c]] = k;
          values[end[c]++] = l;
        }
        n += width;
      }
      pivots[k] = pivot;
      diagonals[k] = diagonal;
      const isPositive = pivot > tolerance * Math.abs(diagonal) && pivot < Number.POSITIVE_INFINITY;
      inversePivots[k] = isPositive ? 1 / pivot : 0;
    }
  },
);

/** Eliminates the finished unknown i from those below it. */
function updateOne(
  i: number,
  y: Float64Array,
  columnStart: Uint32Array,
  end: Uint32Array,
  rows: Uint32Array,
  values: Float64Array,
): void {
  const yi = y[i];
  const to = end[i];
  for (let q = columnStart[i]; q < to; q++) y[rows[q]] -= values[q] * yi;
}

/** The same for i to i + 3, whose columns have the same rows below i + 3: y is read and written once for the four. */
function updateFour(
  i: number,
  y: Float64Array,
  columnStart: Uint32Array,
  end: Uint32Array,
  rows: Uint32Array,
  values: Float64Array,
): void {
  let p = columnStart[i],
    q = columnStart[i + 1],
    r = columnStart[i + 2],
    s = columnStart[i + 3];
  const a = y[i];
  const b = y[i + 1] - values[p] * a;
  const c = y[i + 2] - values[p + 1] * a - values[q] * b;
  const d = y[i + 3] - values[p + 2] * a - values[q + 1] * b - values[r] * c;
  y[i + 1] = b;
  y[i + 2] = c;
  y[i + 3] = d;
  p += 3;
  q += 2;
  r += 1;
  for (const to = end[i + 3]; s < to; p++, q++, r++, s++) {
    y[rows[s]] -= values[p] * a + values[q] * b + values[r] * c + values[s] * d;
  }
}
