// SPDX-License-Identifier: MIT
import { sortRows, type WeightRows } from '../weight-problem.ts';

/** The product of two layers: weights of points on bones. */
export function multiplyRows(points: WeightRows, atoms: WeightRows, boneCount: number): WeightRows {
  const n = points.rowStart.length - 1;
  const rowStart = new Uint32Array(n + 1);
  const columns: number[] = [];
  const values: number[] = [];
  const sums = new Float64Array(boneCount);
  const place = new Int32Array(boneCount).fill(-1);
  for (let i = 0; i < n; i++) {
    const first = columns.length;
    for (let e = points.rowStart[i]; e < points.rowStart[i + 1]; e++) {
      const k = points.columns[e];
      for (let f = atoms.rowStart[k]; f < atoms.rowStart[k + 1]; f++) {
        const j = atoms.columns[f];
        if (place[j] < first) {
          place[j] = columns.push(j) - 1;
          sums[j] = 0;
        }
        sums[j] += points.values[e] * atoms.values[f];
      }
    }
    for (let e = first; e < columns.length; e++) values.push(sums[columns[e]]);
    rowStart[i + 1] = columns.length;
  }
  return sortRows({ rowStart, columns: Uint32Array.from(columns), values: Float64Array.from(values) });
}
