// SPDX-License-Identifier: MIT
import type { Weld } from '../topology/weld.ts';

/**
 * A sum of triangle normals shorter than this ratio of the sum of their lengths is rounding, not a direction: opposite
 * faces of a folded surface cancel to about 1e-16 of their area in double precision.
 */
const CANCELLED = 1e-12;

/**
 * Fills unit normals: the sum of the normals of the triangles around a vertex, each weighted by its area. Degenerate
 * triangles add nothing. A vertex without a direction (no triangle, only degenerate ones, or opposite ones that cancel)
 * gets (0, 0, 1), never NaN.
 * @param positions vertexCount x 3
 * @param triangles triangleCount x 3
 * @param normals vertexCount x 3, filled
 * @param weld sums over welded points instead, so that the surface is smooth across UV seams
 * @param sums scratch memory, pointCount x 4: sum of area vectors, sum of their lengths. In double precision, since areas of float32 positions can exceed
 * the range of float32
 * @example
 * ```ts
 * import { vertexNormalsInto } from 'ossify/deform';
 *
 * deformer.deformInto({ bones }, positions);
 * const normals = new Float32Array(positions.length);
 * vertexNormalsInto(positions, mesh.triangles, normals);
 * ```
 */
export function vertexNormalsInto(
  positions: Float32Array | Float64Array,
  triangles: Uint32Array,
  normals: Float32Array,
  weld?: Pick<Weld, 'pointCount' | 'pointOfVertex'>,
  sums: Float64Array = new Float64Array((weld ? weld.pointCount : positions.length / 3) * 4),
): void {
  const vertexCount = positions.length / 3;
  const pointOfVertex = weld?.pointOfVertex;
  sums.fill(0);
  for (let c = 0; c < triangles.length; c += 3) {
    const ia = triangles[c];
    const ib = triangles[c + 1];
    const ic = triangles[c + 2];
    const ax = positions[3 * ia];
    const ay = positions[3 * ia + 1];
    const az = positions[3 * ia + 2];
    const bx = positions[3 * ib] - ax;
    const by = positions[3 * ib + 1] - ay;
    const bz = positions[3 * ib + 2] - az;
    const cx = positions[3 * ic] - ax;
    const cy = positions[3 * ic + 1] - ay;
    const cz = positions[3 * ic + 2] - az;
    const nx = by * cz - bz * cy;
    const ny = bz * cx - bx * cz;
    const nz = bx * cy - by * cx;
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (!(length > 0)) continue;
    for (let corner = 0; corner < 3; corner++) {
      const i = triangles[c + corner];
      const o = (pointOfVertex ? pointOfVertex[i] : i) * 4;
      sums[o] += nx;
      sums[o + 1] += ny;
      sums[o + 2] += nz;
      sums[o + 3] += length;
    }
  }
  for (let i = 0; i < vertexCount; i++) {
    const o = (pointOfVertex ? pointOfVertex[i] : i) * 4;
    const x = sums[o];
    const y = sums[o + 1];
    const z = sums[o + 2];
    const length = Math.sqrt(x * x + y * y + z * z);
    const isDirection = length > CANCELLED * sums[o + 3];
    normals[3 * i] = isDirection ? x / length : 0;
    normals[3 * i + 1] = isDirection ? y / length : 0;
    normals[3 * i + 2] = isDirection ? z / length : 1;
  }
}
