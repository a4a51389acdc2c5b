// SPDX-License-Identifier: MIT
import { makeCotangentLaplacian } from '../../../core/mesh/topology/laplacian.ts';

/** A Laplacian whose rows are scaled to one on the diagonal; row i also has the entries of column i, at the same indices. */
export interface RowLaplacian {
  /** pointCount + 1 */
  rowStart: Uint32Array;
  /** neighbours and the point itself, in ascending order */
  columns: Uint32Array;
  /** L_ic */
  values: Float64Array;
  /** L_ci */
  transposed: Float64Array;
  /** pointCount: Σ L_ci², zero for a point without triangles */
  scales: Float64Array;
}

/** The cotangent Laplacian with positive clamped edges, each row divided by its diagonal. */
export function makeRowLaplacian(positions: ArrayLike<number>, triangles: Uint32Array): RowLaplacian {
  const full = makeCotangentLaplacian(positions, triangles, { clamp: true });
  const n = positions.length / 3;
  const diagonal = new Float64Array(n);
  const rowStart = new Uint32Array(n + 1);
  const visit = (put: (i: number, j: number, value: number) => void): void => {
    for (let c = 0; c < n; c++) {
      for (let e = full.columnStart[c]; e < full.columnStart[c + 1]; e++) {
        const r = full.rowIndices[e];
        if (full.values[e] === 0) continue;
        put(r, c, full.values[e]);
        if (r !== c) put(c, r, full.values[e]);
      }
    }
  };
  visit((i, j, value) => {
    rowStart[i + 1]++;
    if (i === j) diagonal[i] = value;
  });
  for (let i = 0; i < n; i++) rowStart[i + 1] += rowStart[i];
  const columns = new Uint32Array(rowStart[n]);
  const values = new Float64Array(columns.length);
  const transposed = new Float64Array(columns.length);
  const scales = new Float64Array(n);
  const cursor = rowStart.slice(0, n);
  visit((i, j, value) => {
    const e = cursor[i]++;
    columns[e] = j;
    values[e] = diagonal[i] > 0 ? value / diagonal[i] : 0;
    transposed[e] = diagonal[j] > 0 ? value / diagonal[j] : 0;
    scales[i] += transposed[e] ** 2;
  });
  return { rowStart, columns, values, transposed, scales };
}
