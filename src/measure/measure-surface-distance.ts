// SPDX-License-Identifier: MIT
import { makeDistanceScratch, squaredDistanceTo, triangleDistance } from '../core/mesh/geometry/squared-distance-to.ts';
import { fitTriangleBvh, makeTriangleBvh, type TriangleBvh } from '../core/mesh/geometry/triangle-bvh.ts';
import { FanTree, listFans } from './fan-tree.ts';

/** A triangle surface in some pose. */
interface Surface {
  /** vertexCount x 3 */
  positions: Float32Array;
  /** triangleCount x 3 */
  triangles: Uint32Array;
}

/** Distances between two surfaces, sampled, in file units. */
export interface SurfaceDistance {
  /** The Hausdorff distance: the maximum over both directions. */
  max: number;
  /** Mean over the samples of both directions. */
  mean: number;
}

/**
 * Measures the distance between two surfaces in many poses: from the vertices of each, and from the midpoints of edges and the centers of triangles
 * of the coarser one, to the nearest point of the other. Its trees are made once, for the first pose.
 */
export class SurfaceMeter {
  readonly #triangles: readonly [Uint32Array, Uint32Array];
  #trees?: readonly [SurfaceTree, SurfaceTree];

  constructor(reference: Uint32Array, result: Uint32Array) {
    this.#triangles = [reference, result];
  }

  /**
   * Distances in one pose.
   * @param reference positions of the first surface, vertexCount x 3
   * @param result positions of the second surface
   */
  measure(reference: Float32Array, result: Float32Array): SurfaceDistance {
    const [first, second] = this.#triangles;
    this.#trees ??= [new SurfaceTree(reference, first), new SurfaceTree(result, second)];
    this.#trees[0].fit(reference);
    this.#trees[1].fit(result);
    // the vertices of the finer surface are dense enough; triangles of the coarser one are sampled inside
    const [toFirst, toSecond] = [this.#trees[0].startSearch(), this.#trees[1].startSearch()];
    const a = measureOneWay({ positions: reference, triangles: first }, toSecond, first.length < second.length);
    const b = measureOneWay({ positions: result, triangles: second }, toFirst, second.length <= first.length);
    return { max: Math.max(a.max, b.max), mean: (a.sum + b.sum) / Math.max(1, a.count + b.count) };
  }
}

/** The trees of a surface: boxes, and cones for its large fans. */
class SurfaceTree {
  readonly #triangles: Uint32Array;
  readonly #boxes: TriangleBvh;
  readonly #fans: readonly FanTree[];
  readonly #scratch = makeDistanceScratch();
  /** By point of the last search, the place of its nearest triangle: a search in the next pose starts there, and skips almost all boxes. */
  readonly #nearest: number[] = [];

  constructor(positions: Float32Array, triangles: Uint32Array) {
    const { fans, others } = listFans(positions, triangles);
    this.#triangles = others;
    this.#boxes = makeTriangleBvh(positions, others);
    this.#fans = fans.map((fan) => new FanTree(positions, fan));
  }

  fit(positions: Float32Array): void {
    fitTriangleBvh(this.#boxes, positions, this.#triangles);
    for (const fan of this.#fans) fan.fit(positions);
  }

  /** The squared distance of one point after another: the same points in each pose. */
  startSearch(): (x: number, y: number, z: number) => number {
    const { corners } = this.#boxes;
    const [scratch, nearest] = [this.#scratch, this.#nearest];
    const hasTriangles = this.#triangles.length > 0;
    let n = 0;
    return (x, y, z) => {
      // the first time, the point before is near in most cases
      if (n < nearest.length) scratch.found = nearest[n];
      const limit = hasTriangles ? triangleDistance(corners, 9 * scratch.found, x, y, z) : Number.POSITIVE_INFINITY;
      let least = squaredDistanceTo(this.#boxes, x, y, z, scratch, limit);
      nearest[n++] = scratch.found;
      for (const fan of this.#fans) least = fan.squaredDistanceTo(x, y, z, least);
      return least;
    };
  }
}

function measureOneWay(
  { positions, triangles }: Surface,
  squareAt: (x: number, y: number, z: number) => number,
  hasInside: boolean,
) {
  let [max, sum, count] = [0, 0, 0];
  const add = (x: number, y: number, z: number): void => {
    const distance = Math.sqrt(squareAt(x, y, z));
    max = Math.max(max, distance);
    sum += distance;
    count++;
  };
  const isUsed = new Uint8Array(positions.length / 3);
  for (const i of triangles) isUsed[i] = 1;
  for (let i = 0; i < isUsed.length; i++)
    if (isUsed[i]) add(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
  for (let t = 0; hasInside && t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const blend = (u: number, v: number, w: number): void =>
      add(
        u * positions[a] + v * positions[b] + w * positions[c],
        u * positions[a + 1] + v * positions[b + 1] + w * positions[c + 1],
        u * positions[a + 2] + v * positions[b + 2] + w * positions[c + 2],
      );
    blend(1 / 3, 1 / 3, 1 / 3);
    // the edge from the smaller to the larger index is sampled by one of its triangles, or by its only one
    if (a < b) blend(1 / 2, 1 / 2, 0);
    if (b < c) blend(0, 1 / 2, 1 / 2);
    if (c < a) blend(1 / 2, 0, 1 / 2);
  }
  return { max, sum, count };
}
