// SPDX-License-Identifier: MIT
// Joints between the neighbouring nodes of a graph: points that both move to the same place.
//
// A limb bends about its inside: its outer side stretches there, its inner side shrinks, and its center keeps its length. So the joint of two nodes is in the middle of the body, at the mean center (measure-medial-centers.ts) of
// the points on the border between the regions of both. Nodes without a common border, such as those on opposite sides of a body, have it between their own centers.

import type { ScanSurface } from '../register/make-scan-surface.ts';
import { type DeformationGraph, GRAPH_INFLUENCES } from '../solve/make-deformation-graph.ts';

/**
 * Places the joints of all edges of a graph: edgeCount x 3, in the rest shape.
 * @param centers pointCount x 3
 */
export function placeJoints(
  { edges, nodes, nodeCount, points }: DeformationGraph,
  { adjacency: { rowStart, neighbours } }: Pick<ScanSurface, 'adjacency'>,
  centers: Float64Array,
): Float64Array {
  const edgeOf = new Map<number, number>();
  for (let e = 0; e < edges.length; e += 2) edgeOf.set(edges[e] * nodeCount + edges[e + 1], e / 2);
  const joints = new Float64Array((3 * edges.length) / 2);
  const counts = new Uint32Array(edges.length / 2);
  for (let i = 0; i + 1 < rowStart.length; i++)
    for (let n = rowStart[i]; n < rowStart[i + 1]; n++) {
      const [j, k] = [nodes[GRAPH_INFLUENCES * i], nodes[GRAPH_INFLUENCES * neighbours[n]]];
      const edge = j === k ? undefined : edgeOf.get(Math.min(j, k) * nodeCount + Math.max(j, k));
      if (edge === undefined) continue;
      counts[edge]++;
      for (let a = 0; a < 3; a++) joints[3 * edge + a] += centers[3 * i + a];
    }
  for (let e = 0; e < counts.length; e++) {
    const [p, q] = [3 * points[edges[2 * e]], 3 * points[edges[2 * e + 1]]];
    for (let a = 0; a < 3; a++)
      joints[3 * e + a] = counts[e] > 0 ? joints[3 * e + a] / counts[e] : (centers[p + a] + centers[q + a]) / 2;
  }
  return joints;
}
