// SPDX-License-Identifier: MIT
// Distances along the edges of a surface (E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959). They hardly depend on the pose of a body, so they compare its places although its limbs are bent. Parts that share no
// vertex are connected where they are nearest to each other (core/mesh/topology/link-parts.ts).
import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';
import { labelParts } from '../../../core/mesh/topology/label-parts.ts';
import { linkParts } from '../../../core/mesh/topology/link-parts.ts';
import { listEdges } from '../../../core/mesh/topology/list-edges.ts';

export class SurfaceGraph {
  /** Neighbours of the points, contacts of parts included. */
  readonly adjacency: Adjacency;
  /** Mean length of the edges of triangles. */
  readonly edgeLength: number;
  readonly #lengths: Float64Array;
  #queue?: PointQueue;

  /**
   * @param positions pointCount x 3
   * @param triangles triangleCount x 3
   */
  constructor(positions: Float64Array, triangles: Uint32Array) {
    const pointCount = positions.length / 3;
    const edges = Array.from(listEdges(triangles));
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
    const lengths = this.#lengths;
    const distances = new Float64Array(rowStart.length - 1).fill(Number.POSITIVE_INFINITY);
    this.#queue ??= new PointQueue(neighbours.length + 1);
    const queue = this.#queue;
    distances[start] = 0;
    queue.push(0, start);
    while (queue.size > 0) {
      const distance = queue.nearest;
      const i = queue.pop();
      if (distance > distances[i]) continue;
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const next = distance + lengths[e];
        if (next >= distances[neighbours[e]]) continue;
        distances[neighbours[e]] = next;
        queue.push(next, neighbours[e]);
      }
    }
    return distances;
  }
}

/** A binary heap of points by distance. */
class PointQueue {
  size = 0;
  readonly #distances: Float64Array;
  readonly #points: Uint32Array;

  /** @param capacity every edge adds its end at most once per direction */
  constructor(capacity: number) {
    this.#distances = new Float64Array(capacity);
    this.#points = new Uint32Array(capacity);
  }

  /** The smallest distance. */
  get nearest(): number {
    return this.#distances[0];
  }

  push(distance: number, point: number): void {
    const distances = this.#distances;
    const points = this.#points;
    let at = this.size++;
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!(distance < distances[up])) break;
      distances[at] = distances[up];
      points[at] = points[up];
      at = up;
    }
    distances[at] = distance;
    points[at] = point;
  }

  /** Removes the nearest point. */
  pop(): number {
    const distances = this.#distances;
    const points = this.#points;
    const top = points[0];
    const size = --this.size;
    const distance = distances[size];
    const point = points[size];
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && distances[child + 1] < distances[child]) child++;
      if (!(distances[child] < distance)) break;
      distances[at] = distances[child];
      points[at] = points[child];
      at = child;
    }
    distances[at] = distance;
    points[at] = point;
    return top;
  }
}
