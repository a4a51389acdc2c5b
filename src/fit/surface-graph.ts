// SPDX-License-Identifier: MIT
// Distances along the edges of a surface (E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959). They hardly depend on the pose of a body, so they compare its places although its limbs are bent. Parts that share no
// vertex are connected where they are nearest to each other (mesh/link-parts.ts).
import { BinaryHeap } from '../cluster/binary-heap.ts';
import type { Adjacency } from '../mesh/adjacency.ts';
import { labelParts } from '../mesh/label-parts.ts';
import { linkParts } from '../mesh/link-parts.ts';
import { listEdges } from '../mesh/list-edges.ts';

export class SurfaceGraph {
  /** Neighbours of the points, contacts of parts included. */
  readonly adjacency: Adjacency;
  /** Mean length of the edges of triangles. */
  readonly edgeLength: number;
  readonly #lengths: Float64Array;

  /**
   * @param positions pointCount x 3
   * @param triangles triangleCount x 3
   */
  constructor(positions: Float64Array, triangles: Uint32Array) {
    const pointCount = positions.length / 3;
    const edges = [...listEdges(triangles)];
    const bare = edges.length / 2;
    const parts = labelParts(pointCount, triangles);
    if (parts.some((part) => part > 0)) for (const { a, b } of linkParts(positions, parts)) edges.push(a, b);
    const rowStart = new Uint32Array(pointCount + 1);
    for (const i of edges) rowStart[i + 1]++;
    for (let i = 0; i < pointCount; i++) rowStart[i + 1] += rowStart[i];
    const neighbours = new Uint32Array(edges.length);
    this.#lengths = new Float64Array(edges.length);
    const fill = rowStart.slice();
    let sum = 0;
    for (let e = 0; e < edges.length; e += 2) {
      const [a, b] = [edges[e], edges[e + 1]];
      const length = Math.hypot(
        positions[3 * a] - positions[3 * b],
        positions[3 * a + 1] - positions[3 * b + 1],
        positions[3 * a + 2] - positions[3 * b + 2],
      );
      if (e < 2 * bare) sum += length / bare;
      this.#lengths[fill[a]] = this.#lengths[fill[b]] = length;
      neighbours[fill[a]++] = b;
      neighbours[fill[b]++] = a;
    }
    this.adjacency = { rowStart, neighbours };
    this.edgeLength = sum;
  }

  /** pointCount: distances from a point; infinite where no path leads. */
  measureFrom(start: number): Float64Array {
    const { rowStart, neighbours } = this.adjacency;
    const distances = new Float64Array(rowStart.length - 1).fill(Number.POSITIVE_INFINITY);
    const heap = new BinaryHeap<[number, number]>((a, b) => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]));
    distances[start] = 0;
    heap.push([0, start]);
    for (let item = heap.pop(); item; item = heap.pop()) {
      const [distance, i] = item;
      if (distance > distances[i]) continue;
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const next = distance + this.#lengths[e];
        if (next >= distances[neighbours[e]]) continue;
        distances[neighbours[e]] = next;
        heap.push([next, neighbours[e]]);
      }
    }
    return distances;
  }
}
