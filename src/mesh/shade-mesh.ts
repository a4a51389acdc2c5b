// SPDX-License-Identifier: MIT
import type { Mesh } from '../model/mesh.ts';
import { weldVertices } from './weld.ts';

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
  const edges = [new Float64Array(3), new Float64Array(3), new Float64Array(3)];
  for (let t = 0; t < triangles.length; t += 3) {
    // edge c leads from corner c to the next one
    edges.forEach((edge, c) => {
      const [from, to] = [3 * triangles[t + c], 3 * triangles[t + ((c + 1) % 3)]];
      for (let r = 0; r < 3; r++) edge[r] = positions[to + r] - positions[from + r];
    });
    const [[ux, uy, uz], [vx, vy, vz]] = edges;
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const area = Math.hypot(...normal);
    if (!(area > 0)) continue;
    for (let c = 0; c < 3; c++) {
      const [a, b] = [edges[c], edges[(c + 2) % 3]];
      const angle = Math.atan2(area, -(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]));
      const o = 3 * pointOfVertex[triangles[t + c]];
      for (let r = 0; r < 3; r++) sums[o + r] += (angle * normal[r]) / area;
    }
  }
  const normals = new Float32Array(positions.length);
  for (let i = 0; i < positions.length / 3; i++) {
    const o = 3 * pointOfVertex[i];
    const length = Math.hypot(sums[o], sums[o + 1], sums[o + 2]);
    for (let r = 0; r < 3; r++) normals[3 * i + r] = length > CANCELLED ? sums[o + r] / length : r === 2 ? 1 : 0;
  }
  return normals;
}

/** Length of a sum of unit normals, weighted by angles, that is rounding: opposite faces of a folded surface cancel. */
const CANCELLED = 1e-12;
