// SPDX-License-Identifier: MIT

import { measurePointAreas } from '../../../core/mesh/geometry/measure-point-areas.ts';
import { makeCotangentLaplacian } from '../../../core/mesh/topology/laplacian.ts';

/**
 * Edges of a triangle mesh whose weighted squared differences Σ wₑ|eᵢ − eⱼ|² are squared gradients of e, summed over points: cotangents divided by the area about the edge, so that
 * small triangles count as much as large ones. Compressed rows, each edge in the rows of both ends.
 */
export interface GradientEdges {
  /** pointCount + 1 */
  rowStart: Uint32Array;
  /** the other end */
  columns: Uint32Array;
  /** above zero, 1/length² */
  values: Float64Array;
  /** pointCount: sums of rows, zero for a point without triangles */
  sums: Float64Array;
}

/**
 * Makes the edges. Negative cotangents are raised to zero, and such edges are left out.
 * @param positions pointCount x 3
 * @param triangles triangleCount x 3 points
 */
export function makeGradientEdges(positions: ArrayLike<number>, triangles: Uint32Array): GradientEdges {
  const laplacian = makeCotangentLaplacian(positions, triangles, { clamp: true });
  const n = positions.length / 3;
  const areas = measurePointAreas(positions, triangles);
  const rowStart = new Uint32Array(n + 1);
  const visit = (put: (i: number, j: number, value: number) => void): void => {
    for (let c = 0; c < n; c++) {
      for (let e = laplacian.columnStart[c]; e < laplacian.columnStart[c + 1]; e++) {
        const r = laplacian.rowIndices[e];
        if (r === c || !(laplacian.values[e] < 0)) continue;
        const value = (-2 * laplacian.values[e]) / (areas[r] + areas[c]);
        put(r, c, value);
        put(c, r, value);
      }
    }
  };
  visit((i) => {
    rowStart[i + 1]++;
  });
  for (let i = 0; i < n; i++) rowStart[i + 1] += rowStart[i];
  const columns = new Uint32Array(rowStart[n]);
  const values = new Float64Array(columns.length);
  const sums = new Float64Array(n);
  const cursor = rowStart.slice(0, n);
  visit((i, j, value) => {
    columns[cursor[i]] = j;
    values[cursor[i]++] = value;
    sums[i] += value;
  });
  return { rowStart, columns, values, sums };
}
