// SPDX-License-Identifier: MIT
import type { Mesh } from '../../model/mesh/mesh.ts';
import { weldVertices } from '../topology/weld.ts';

/** How a mesh is shaded: smooth normals if it has none, no normals, or unchanged. */
export const SHADING_WORDS = ['smooth', 'flat', 'keep'] as const;
export type Shading = (typeof SHADING_WORDS)[number];

/**
 * Gives a mesh without normals smooth ones, or removes the normals of a mesh, since viewers then draw every triangle flat. Smooth normals
 * are the sum of the normals of the triangles around a point, weighted by their angles there, across UV seams and parts. A point without a
 * direction gets (0, 0, 1).
 */
export function shadeMesh(mesh: Mesh, shading: Shading): Mesh {
  if (shading === 'keep' || (shading === 'smooth') === (mesh.normals !== undefined)) return mesh;
  if (shading === 'smooth') return { ...mesh, normals: smoothNormals(mesh) };
  const { normals: _normals, ...bare } = mesh;
  // tangents have no meaning without normals
  return { ...bare, attributes: mesh.attributes.filter(({ name }) => name !== 'TANGENT') };
}

/** vertexCount x 3 */
function smoothNormals({ positions, triangles }: Mesh): Float32Array {
  const { pointCount, pointOfVertex } = weldVertices(positions);
  const sums = new Float64Array(3 * pointCount);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    // edges from each corner to the next one
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[b];
    const vy = positions[c + 1] - positions[b + 1];
    const vz = positions[c + 2] - positions[b + 2];
    const wx = positions[a] - positions[c];
    const wy = positions[a + 1] - positions[c + 1];
    const wz = positions[a + 2] - positions[c + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    const area = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (!(area > 0)) continue;
    for (let k = 0; k < 3; k++) {
      const across =
        k === 0 ? ux * wx + uy * wy + uz * wz : k === 1 ? vx * ux + vy * uy + vz * uz : wx * vx + wy * vy + wz * vz;
      const share = Math.atan2(area, -across) / area;
      const o = 3 * pointOfVertex[triangles[t + k]];
      sums[o] += share * nx;
      sums[o + 1] += share * ny;
      sums[o + 2] += share * nz;
    }
  }
  const normals = new Float32Array(positions.length);
  for (let c = 0; c < positions.length; c += 3) {
    const o = 3 * pointOfVertex[c / 3];
    const x = sums[o];
    const y = sums[o + 1];
    const z = sums[o + 2];
    const length = Math.sqrt(x * x + y * y + z * z);
    const isKnown = length > CANCELLED;
    normals[c] = isKnown ? x / length : 0;
    normals[c + 1] = isKnown ? y / length : 0;
    normals[c + 2] = isKnown ? z / length : 1;
  }
  return normals;
}

/** Length of a sum of unit normals, weighted by angles, that is rounding: opposite faces of a folded surface cancel. */
const CANCELLED = 1e-12;
