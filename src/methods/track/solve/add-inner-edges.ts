// SPDX-License-Identifier: MIT
// Couples the nodes of a deformation graph across the inside of a body.
//
// A graph whose edges are all on the surface is a shell: where a limb bends, its outer side stretches, and a shell spreads that stretch along the limb by sliding. A body is a solid: its cross-sections stay. So each node
// is coupled with the node on the opposite side as well. A ray from a node along its inward normal finds the place where it leaves the body, the first triangle that faces along the ray (T. Möller, B. Trumbore,
// "Fast, minimum storage ray/triangle intersection", 1997), and there the node with the largest influence. An open surface has no such place, and gets no edge.

import type { ScanSurface } from '../register/make-scan-surface.ts';
import { type DeformationGraph, GRAPH_INFLUENCES } from './make-deformation-graph.ts';

/** Minimum length of a ray, relative to the box diagonal: the triangles of the node itself are at zero. */
const MIN_LENGTH = 1e-6;

/**
 * Returns the graph with edges across the inside.
 * @param normals pointCount x 3: outward, of the surface
 */
export function addInnerEdges(
  graph: DeformationGraph,
  surface: Pick<ScanSurface, 'positions' | 'triangles'>,
  normals: Float32Array,
): DeformationGraph {
  const { nodeCount, points, nodes, edges } = graph;
  const keys = new Set<number>();
  for (let e = 0; e < edges.length; e += 2) keys.add(edges[e] * nodeCount + edges[e + 1]);
  for (let j = 0; j < nodeCount; j++) {
    const opposite = findOpposite(surface, normals, points[j]);
    const k = opposite < 0 ? j : nodes[GRAPH_INFLUENCES * opposite];
    if (k !== j) keys.add(Math.min(j, k) * nodeCount + Math.max(j, k));
  }
  const sorted = [...keys].sort((a, b) => a - b);
  return { ...graph, edges: Uint32Array.from(sorted.flatMap((key) => [Math.floor(key / nodeCount), key % nodeCount])) };
}

/** The point nearest to where a ray from a point leaves the body; -1 if it does not. */
function findOpposite(
  { positions: p, triangles }: Pick<ScanSurface, 'positions' | 'triangles'>,
  normals: Float32Array,
  point: number,
): number {
  const o = 3 * point;
  const [dx, dy, dz] = [-normals[o], -normals[o + 1], -normals[o + 2]];
  let [nearest, found] = [Number.POSITIVE_INFINITY, -1];
  for (let f = 0; f < triangles.length; f += 3) {
    const a = 3 * triangles[f];
    const b = 3 * triangles[f + 1];
    const c = 3 * triangles[f + 2];
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const hx = dy * vz - dz * vy;
    const hy = dz * vx - dx * vz;
    const hz = dx * vy - dy * vx;
    const determinant = ux * hx + uy * hy + uz * hz;
    // the normal of the triangle is along the ray
    if (!(determinant < 0)) continue;
    const sx = p[o] - p[a];
    const sy = p[o + 1] - p[a + 1];
    const sz = p[o + 2] - p[a + 2];
    const u = (sx * hx + sy * hy + sz * hz) / determinant;
    if (u < 0 || u > 1) continue;
    const qx = sy * uz - sz * uy;
    const qy = sz * ux - sx * uz;
    const qz = sx * uy - sy * ux;
    const v = (dx * qx + dy * qy + dz * qz) / determinant;
    if (v < 0 || u + v > 1) continue;
    const length = (vx * qx + vy * qy + vz * qz) / determinant;
    if (!(length > MIN_LENGTH && length < nearest)) continue;
    nearest = length;
    const w = 1 - u - v;
    found = triangles[f + (w >= u && w >= v ? 0 : u >= v ? 1 : 2)];
  }
  return found;
}
