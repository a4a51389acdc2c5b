// SPDX-License-Identifier: MIT
// Hard edges of a level whose vertices were merged across them. Each corner of a triangle gets the vertex of the input, among those that were merged, whose normal is nearest to
// the normal of the triangle: a box keeps its edges, and a mesh with a normal per triangle is shaded by the normals of the triangles that were there.
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { MeshLevel } from '../../core/model/mesh/mesh-level.ts';

/**
 * @param mesh the input
 * @param merged its triangles on merged vertices
 * @param level made of the merged vertices
 */
export function chooseNormals(mesh: Mesh, merged: Mesh, level: MeshLevel): MeshLevel {
  const { normals } = mesh;
  if (!normals) return level;
  const groups = groupVertices(mesh.triangles, merged.triangles);
  const { vertices, positions, triangles } = level;
  const corners = Uint32Array.from(triangles, (v) => vertices[v]);
  for (let t = 0; t < triangles.length; t += 3) {
    const face = faceNormal(positions, triangles, t);
    for (let c = t; c < t + 3; c++) corners[c] = findNearest(groups.get(corners[c]) ?? [corners[c]], normals, face);
  }
  const placeOf = new Map<number, number>();
  corners.forEach((vertex, c) => {
    placeOf.set(vertex, triangles[c]);
  });
  const used = Uint32Array.from(placeOf.keys()).sort();
  const indexOf = new Map(Array.from(used, (vertex, n) => [vertex, n]));
  const moved = new Float32Array(3 * used.length);
  used.forEach((vertex, n) => {
    const place = placeOf.get(vertex) ?? 0;
    moved.set(positions.subarray(3 * place, 3 * place + 3), 3 * n);
  });
  return { ...level, vertices: used, positions: moved, triangles: corners.map((vertex) => indexOf.get(vertex) ?? 0) };
}

/** The vertices that each merged vertex stands for. */
function groupVertices(own: Uint32Array, merged: Uint32Array): Map<number, number[]> {
  const sets = new Map<number, Set<number>>();
  merged.forEach((target, c) => {
    const set = sets.get(target) ?? new Set<number>();
    sets.set(target, set.add(own[c]));
  });
  return new Map([...sets].map(([target, set]) => [target, [...set].sort((a, b) => a - b)]));
}

function faceNormal(positions: Float32Array, triangles: Uint32Array, t: number): [number, number, number] {
  const at = (c: number, axis: number): number => positions[3 * triangles[t + c] + axis];
  const [ux, uy, uz] = [0, 1, 2].map((axis) => at(1, axis) - at(0, axis));
  const [vx, vy, vz] = [0, 1, 2].map((axis) => at(2, axis) - at(0, axis));
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
}

/** The first vertex whose normal has the largest product with a direction. */
function findNearest(vertices: readonly number[], normals: Float32Array, [x, y, z]: readonly number[]): number {
  let best = vertices[0];
  let most = Number.NEGATIVE_INFINITY;
  for (const i of vertices) {
    const product = normals[3 * i] * x + normals[3 * i + 1] * y + normals[3 * i + 2] * z;
    if (product > most) [best, most] = [i, product];
  }
  return best;
}
