// SPDX-License-Identifier: MIT
import type { Mesh } from '../model/mesh.ts';
import { type Weld, weldVertices } from './weld.ts';

/** Vertices that are connected by triangles. */
export interface ConnectedPart {
  /** Rising vertex indices. */
  vertices: Uint32Array;
  /** 0 for an unreferenced vertex. */
  triangleCount: number;
}

/**
 * Lists the connected parts of a mesh, ordered by their first vertex. Vertices of one welded point belong to one part, so
 * a UV seam does not cut a surface. An unreferenced vertex is a part of its own, or belongs to the point it is welded to.
 * @param weld which vertices coincide; by default those at exactly equal rest positions
 */
export function listConnectedParts(mesh: Mesh, weld: Weld = weldVertices(mesh.positions)): ConnectedPart[] {
  const { pointOfVertex, pointCount } = weld;
  const vertexCount = pointOfVertex.length;
  const parent = new Uint32Array(pointCount);
  for (let p = 0; p < pointCount; p++) parent[p] = p;
  const { triangles } = mesh;
  for (let c = 0; c < triangles.length; c += 3) {
    const root = join(parent, pointOfVertex[triangles[c]], pointOfVertex[triangles[c + 1]]);
    join(parent, root, pointOfVertex[triangles[c + 2]]);
  }

  // Number the roots by first vertex, count, then place.
  const partOfRoot = new Int32Array(pointCount).fill(-1);
  const sizes: number[] = [];
  for (let i = 0; i < vertexCount; i++) {
    const root = rootOf(parent, pointOfVertex[i]);
    if (partOfRoot[root] < 0) partOfRoot[root] = sizes.push(0) - 1;
    sizes[partOfRoot[root]]++;
  }
  const all = new Uint32Array(vertexCount);
  const parts: ConnectedPart[] = [];
  let start = 0;
  for (const size of sizes) {
    parts.push({ vertices: all.subarray(start, start + size), triangleCount: 0 });
    start += size;
  }
  sizes.fill(0);
  for (let i = 0; i < vertexCount; i++) {
    const part = partOfRoot[rootOf(parent, pointOfVertex[i])];
    parts[part].vertices[sizes[part]++] = i;
  }
  for (let c = 0; c < triangles.length; c += 3)
    parts[partOfRoot[rootOf(parent, pointOfVertex[triangles[c]])]].triangleCount++;
  return parts;
}

/** Root of a point, halving the path on the way. */
function rootOf(parent: Uint32Array, point: number): number {
  let p = point;
  while (parent[p] !== p) {
    parent[p] = parent[parent[p]];
    p = parent[p];
  }
  return p;
}

/** Joins two trees under the smaller root, and returns it. */
function join(parent: Uint32Array, a: number, b: number): number {
  const rootA = rootOf(parent, a);
  const rootB = rootOf(parent, b);
  const root = Math.min(rootA, rootB);
  parent[rootA] = root;
  parent[rootB] = root;
  return root;
}
