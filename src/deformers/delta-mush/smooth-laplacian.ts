// SPDX-License-Identifier: MIT

import { makeSparseSymmetric, type SparseSymmetric } from '../../core/algebra/sparse-matrix.ts';
import { makeAdjacency } from '../../core/mesh/topology/adjacency.ts';
import { makeCotangentLaplacian } from '../../core/mesh/topology/laplacian.ts';

/**
 * Maximum weight of an edge. A sliver's cotangents reach 1e6, and two points connected by such an edge would only be smoothed
 * with each other, because rows are divided by their sums. 100 is the cotangent of half a degree.
 */
const LARGEST_WEIGHT = 100;

/** Weight of the edges of a point all of whose triangles are degenerate: near that of an edge between equilateral triangles. */
const UNIFORM_WEIGHT = 0.5;

/**
 * Weight of a link, relative to the smaller of its ends' total weights. Rows are divided by their sums, so a stronger link connects its ends more tightly and
 * both less to their own surface. Chosen on two generated tubes of radius 1, 0.01 apart, bent by 90°: without links they separate by 2.2, with
 * factors 0.5, 2, 8 and 32 by 0.11, 0.035, 0.015 and 0.011.
 */
const LINK_RATIO = 2;

/**
 * The Laplacian of the smoother: cotangent weights, never negative (so that every row of the smoothing
 * is an average, without overshoot) and bounded; uniform weights at points that only have degenerate triangles. A point without any
 * edge has an empty row; the smoother keeps its value.
 * @param positions pointCount x 3
 * @param triangles triangleCount x 3 point indices
 * @param links linkCount x 2 pairs of points to connect like an edge
 */
export function makeSmoothLaplacian(
  positions: ArrayLike<number>,
  triangles: Uint32Array,
  links: Uint32Array = new Uint32Array(0),
): SparseSymmetric {
  const size = positions.length / 3;
  const cotangent = makeCotangentLaplacian(positions, triangles, { clamp: true });
  const rows: number[] = [];
  const columns: number[] = [];
  const values: number[] = [];
  const diagonal = new Float64Array(size);
  const add = (i: number, j: number, weight: number): void => {
    rows.push(Math.max(i, j));
    columns.push(Math.min(i, j));
    values.push(-weight);
    diagonal[i] += weight;
    diagonal[j] += weight;
  };
  for (let j = 0; j < size; j++) {
    for (let e = cotangent.columnStart[j]; e < cotangent.columnStart[j + 1]; e++) {
      const i = cotangent.rowIndices[e];
      const weight = Math.min(-cotangent.values[e], LARGEST_WEIGHT);
      if (i !== j && weight > 0) add(i, j, weight);
    }
  }

  // points left without weight that do have edges
  const { rowStart, neighbours } = makeAdjacency(size, triangles);
  const isEmpty = Uint8Array.from(diagonal, (d) => (d > 0 ? 0 : 1));
  for (let i = 0; i < size; i++) {
    if (!isEmpty[i]) continue;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const j = neighbours[e];
      if (!isEmpty[j] || j > i) add(i, j, UNIFORM_WEIGHT);
    }
  }

  const own = diagonal.slice();
  for (let n = 0; n + 1 < links.length; n += 2) {
    const i = links[n];
    const j = links[n + 1];
    const weight = LINK_RATIO * Math.min(own[i], own[j]);
    add(i, j, weight > 0 ? weight : UNIFORM_WEIGHT);
  }
  for (let i = 0; i < size; i++) {
    rows.push(i);
    columns.push(i);
    values.push(diagonal[i]);
  }
  return makeSparseSymmetric(size, rows, columns, values);
}
