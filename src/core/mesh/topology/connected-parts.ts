// SPDX-License-Identifier: MIT
import type { Mesh } from '../../model/mesh/mesh.ts';
import { labelParts } from './label-parts.ts';
import { pointTriangles, type Weld, weldVertices } from './weld.ts';

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
  const labels = labelParts(pointCount, pointTriangles(mesh.triangles, weld));
  // number the parts by first vertex, count, then place
  const numbers = new Int32Array(pointCount).fill(-1);
  const sizes: number[] = [];
  const partOf = (vertex: number): number => numbers[labels[pointOfVertex[vertex]]];
  for (let i = 0; i < vertexCount; i++) {
    if (partOf(i) < 0) numbers[labels[pointOfVertex[i]]] = sizes.push(0) - 1;
    sizes[partOf(i)]++;
  }
  const all = new Uint32Array(vertexCount);
  const parts: ConnectedPart[] = [];
  let start = 0;
  for (const size of sizes) {
    parts.push({ vertices: all.subarray(start, start + size), triangleCount: 0 });
    start += size;
  }
  sizes.fill(0);
  for (let i = 0; i < vertexCount; i++) parts[partOf(i)].vertices[sizes[partOf(i)]++] = i;
  for (let c = 0; c < mesh.triangles.length; c += 3) parts[partOf(mesh.triangles[c])].triangleCount++;
  return parts;
}
