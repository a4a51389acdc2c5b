// SPDX-License-Identifier: MIT
import { NO_TRIANGLE, nearestPointsReference } from '../kernels/nearest-points.ts';
import { BVH_STACK, makeTriangleBvh, type TriangleBvh } from '../mesh/triangle-bvh.ts';

/** Points on a surface. */
export interface SurfacePoints {
  /** pointCount x 3: corners of the triangle of each point */
  corners: Uint32Array;
  /** pointCount x 3: their weights; zero for a point without a triangle within the limits */
  shares: Float64Array;
}

/** Finds the nearest points of a surface among triangles that face the same way. */
export class NearestSurface {
  readonly #triangles: Uint32Array;
  readonly #bvh: TriangleBvh;
  /** triangleCount x 3: unit normals in the order of the hierarchy */
  readonly #normals: Float32Array;
  readonly #stack = new Uint32Array(BVH_STACK + 4);
  readonly #squares = new Float64Array(BVH_STACK + 4);

  /**
   * @param positions pointCount x 3
   * @param triangles triangleCount x 3
   */
  constructor(positions: Float64Array, triangles: Uint32Array) {
    this.#triangles = triangles;
    this.#bvh = makeTriangleBvh(Float32Array.from(positions), triangles);
    const { corners } = this.#bvh;
    this.#normals = new Float32Array(corners.length / 3);
    for (let f = 0; 9 * f < corners.length; f++) {
      const [ux, uy, uz] = [0, 1, 2].map((r) => corners[9 * f + 3 + r] - corners[9 * f + r]);
      const [wx, wy, wz] = [0, 1, 2].map((r) => corners[9 * f + 6 + r] - corners[9 * f + r]);
      const n = [uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx];
      const length = Math.sqrt(n[0] ** 2 + n[1] ** 2 + n[2] ** 2);
      for (let r = 0; r < 3; r++) this.#normals[3 * f + r] = length > 0 ? n[r] / length : 0;
    }
  }

  /**
   * The nearest point of the surface for each point.
   * @param points pointCount x 6: position, unit normal
   * @param minCosine minimum cosine between the normals of a point and of its triangle
   * @param maxDistance maximum distance
   */
  find(points: Float64Array, minCosine: number, maxDistance: number): SurfacePoints {
    const count = points.length / 6;
    const found = new Uint32Array(count);
    const places = new Float64Array(3 * count);
    const { boxes, children, corners: at, order } = this.#bvh;
    const arrays = [points, boxes, children, at, this.#normals, found, places, this.#stack, this.#squares];
    nearestPointsReference([...arrays, count, minCosine, maxDistance ** 2, BVH_STACK + 4, count], 0);
    const corners = new Uint32Array(3 * count);
    const shares = new Float64Array(3 * count);
    for (let i = 0; i < count; i++) {
      if (found[i] === NO_TRIANGLE) continue;
      for (let r = 0; r < 3; r++) corners[3 * i + r] = this.#triangles[3 * order[found[i]] + r];
      const [s, t] = [places[3 * i], places[3 * i + 1]];
      shares.set([1 - s - t, s, t], 3 * i);
    }
    return { corners, shares };
  }
}
