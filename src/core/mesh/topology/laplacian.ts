// SPDX-License-Identifier: MIT
// The Laplacian of a triangle mesh, as a positive semi-definite matrix: L = D - W with W the symmetric edge weights and D
// their row sums, so every row sums to zero. The input is welded points; UV seams would cut the surface otherwise.
import { makeSparseSymmetric, type SparseSymmetric } from '../../algebra/sparse-matrix.ts';

export interface CotangentOptions {
  /**
   * Raise negative edge weights (half the sum of the two cotangents facing an edge) to zero. Then smoothing with the
   * matrix never overshoots; without it the matrix is the exact finite-element one.
   */
  clamp?: boolean;
}

export const COTANGENT_DEFAULTS: Required<CotangentOptions> = { clamp: false };

/**
 * Twice the area of a triangle over its longest edge squared, below which it is degenerate: rounding of float32
 * positions (6e-8 of their size) changes such a triangle's height considerably, so its cotangents, up to 1e6, are noise.
 */
const DEGENERATE_RATIO = 1e-6;

/**
 * The cotangent Laplacian: the weight of an edge is half the sum of the cotangents of the angles that face it (one angle
 * at a boundary). Degenerate triangles contribute nothing, and a point with no other triangle, or none at all, has an
 * empty row (diagonal 0); a caller that divides by the diagonal must handle it.
 * @param positions pointCount x 3
 * @param triangles triangleCount x 3 point indices
 */
export function makeCotangentLaplacian(
  positions: ArrayLike<number>,
  triangles: Uint32Array,
  options: CotangentOptions = {},
): SparseSymmetric {
  const clamp = options.clamp ?? COTANGENT_DEFAULTS.clamp;
  const pointCount = positions.length / 3;
  // Half a cotangent per half-edge, below the diagonal; a zero holds each place on the diagonal.
  const rows = new Uint32Array(pointCount + triangles.length);
  const columns = new Uint32Array(pointCount + triangles.length);
  const values = new Float64Array(pointCount + triangles.length);
  for (let i = 0; i < pointCount; i++) rows[i] = columns[i] = i;
  let entry = pointCount;
  const cotangents = new Float64Array(3);
  for (let c = 0; c < triangles.length; c += 3) {
    if (!cotangentsInto(positions, triangles, c, cotangents)) continue;
    for (let corner = 0; corner < 3; corner++) {
      const i = triangles[c + ((corner + 1) % 3)];
      const j = triangles[c + ((corner + 2) % 3)];
      rows[entry] = Math.max(i, j);
      columns[entry] = Math.min(i, j);
      values[entry++] = -cotangents[corner] / 2;
    }
  }
  const matrix = makeSparseSymmetric(
    pointCount,
    rows.subarray(0, entry),
    columns.subarray(0, entry),
    values.subarray(0, entry),
  );

  // The diagonal is computed from the summed edges, so rows sum to zero also where edges were clamped.
  const diagonal = new Float64Array(pointCount);
  for (let i = 0; i < pointCount; i++) {
    for (let e = matrix.columnStart[i]; e < matrix.columnStart[i + 1]; e++) {
      const row = matrix.rowIndices[e];
      if (row === i) continue;
      if (clamp && matrix.values[e] > 0) matrix.values[e] = 0;
      diagonal[i] -= matrix.values[e];
      diagonal[row] -= matrix.values[e];
    }
  }
  for (let i = 0; i < pointCount; i++) {
    for (let e = matrix.columnStart[i]; e < matrix.columnStart[i + 1]; e++) {
      if (matrix.rowIndices[e] === i) matrix.values[e] = diagonal[i];
    }
  }
  return matrix;
}

/** Cotangents of the three angles of the triangle whose corners begin at c; false when it is degenerate. */
function cotangentsInto(
  positions: ArrayLike<number>,
  triangles: Uint32Array,
  c: number,
  cotangents: Float64Array,
): boolean {
  const ia = 3 * triangles[c];
  const ib = 3 * triangles[c + 1];
  const ic = 3 * triangles[c + 2];
  const ux = positions[ib] - positions[ia];
  const uy = positions[ib + 1] - positions[ia + 1];
  const uz = positions[ib + 2] - positions[ia + 2];
  const vx = positions[ic] - positions[ia];
  const vy = positions[ic + 1] - positions[ia + 1];
  const vz = positions[ic + 2] - positions[ia + 2];
  const uu = ux * ux + uy * uy + uz * uz;
  const vv = vx * vx + vy * vy + vz * vz;
  const uv = ux * vx + uy * vy + uz * vz;
  const ww = (vx - ux) ** 2 + (vy - uy) ** 2 + (vz - uz) ** 2;
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const doubleArea = Math.sqrt(nx * nx + ny * ny + nz * nz);
  if (!(doubleArea > DEGENERATE_RATIO * Math.max(uu, vv, ww))) return false;
  cotangents[0] = uv / doubleArea;
  cotangents[1] = (uu - uv) / doubleArea;
  cotangents[2] = (vv - uv) / doubleArea;
  return true;
}
