// SPDX-License-Identifier: MIT
import type { Compute, Resident } from '../kernels/compute.ts';
import { uploadUint32 } from '../kernels/compute.ts';
import { NO_TRIANGLE, nearestPoints } from '../kernels/nearest-points.ts';
import { BVH_STACK, fitTriangleBvh, makeTriangleBvh, type TriangleBvh } from '../mesh/triangle-bvh.ts';

/** Limits of a search. */
export interface SearchLimits {
  /** Minimum cosine between the normals of a point and of the triangle found; -1: any. */
  minCosine: number;
  /** Maximum distance; finite. */
  maxDistance: number;
}

/** The nearest points of a surface. Views, valid until the next search. */
export interface NearestFound {
  /** pointCount: triangle, or NO_TRIANGLE */
  triangles: Uint32Array;
  /** pointCount x 3: weights of the second and third corner, squared distance */
  places: Float64Array;
}

/** Finds nearest points on a surface whose positions may change. */
export class SurfaceSearch {
  readonly #compute: Compute;
  readonly #triangles: Uint32Array;
  readonly #bvh: TriangleBvh;
  readonly #positions: Float32Array;
  readonly #boxes: Resident<Float32Array>;
  readonly #children: Resident<Uint32Array>;
  readonly #corners: Resident<Float32Array>;
  readonly #normals: Resident<Float32Array>;
  readonly #stacks: Resident<Uint32Array>;
  readonly #squares: Resident<Float64Array>;
  #points: Resident<Float64Array>;
  #found: Resident<Uint32Array>;
  #places: Resident<Float64Array>;

  /**
   * @param compute freed by dispose() of this object
   * @param positions pointCount x 3
   */
  constructor(compute: Compute, positions: Float64Array, triangles: Uint32Array) {
    this.#compute = compute.child();
    this.#triangles = triangles;
    this.#positions = Float32Array.from(positions);
    this.#bvh = makeTriangleBvh(this.#positions, triangles);
    const own = this.#compute;
    this.#boxes = own.float32(this.#bvh.boxes.length);
    this.#children = uploadUint32(own, this.#bvh.children);
    this.#corners = own.float32(this.#bvh.corners.length);
    this.#normals = own.float32(triangles.length);
    this.#stacks = own.uint32(own.threads * (BVH_STACK + 4));
    this.#squares = own.float64(own.threads * (BVH_STACK + 4));
    this.#points = own.float64(0);
    this.#found = own.uint32(0);
    this.#places = own.float64(0);
    this.#upload();
  }

  /** Moves the surface. */
  fit(positions: Float64Array): void {
    this.#positions.set(positions);
    fitTriangleBvh(this.#bvh, this.#positions, this.#triangles);
    this.#upload();
  }

  /**
   * Finds the nearest point of the surface for each point.
   * @param points pointCount x 6: position, unit normal
   */
  async search(points: Float64Array, { minCosine, maxDistance }: SearchLimits): Promise<NearestFound> {
    const pointCount = points.length / 6;
    if (this.#found.length < pointCount) {
      this.#points = this.#compute.float64(6 * pointCount);
      this.#found = this.#compute.uint32(pointCount);
      this.#places = this.#compute.float64(3 * pointCount);
    }
    this.#points.view().set(points);
    await nearestPoints(this.#compute, {
      ...{ points: this.#points, boxes: this.#boxes, children: this.#children, corners: this.#corners },
      ...{ normals: this.#normals, found: this.#found, places: this.#places },
      ...{ stacks: this.#stacks, squares: this.#squares, stackSize: BVH_STACK + 4 },
      ...{ pointCount, minCosine, maxSquare: maxDistance * maxDistance },
    });
    const { order } = this.#bvh;
    const triangles = this.#found
      .view()
      .slice(0, pointCount)
      .map((place) => (place === NO_TRIANGLE ? NO_TRIANGLE : order[place]));
    return { triangles, places: this.#places.view().subarray(0, 3 * pointCount) };
  }

  dispose(): void {
    this.#compute.dispose();
  }

  #upload(): void {
    this.#boxes.view().set(this.#bvh.boxes);
    this.#corners.view().set(this.#bvh.corners);
    const [normals, corners] = [this.#normals.view(), this.#bvh.corners];
    for (let f = 0, o = 0; o < corners.length; f += 3, o += 9) {
      const ux = corners[o + 3] - corners[o];
      const uy = corners[o + 4] - corners[o + 1];
      const uz = corners[o + 5] - corners[o + 2];
      const vx = corners[o + 6] - corners[o];
      const vy = corners[o + 7] - corners[o + 1];
      const vz = corners[o + 8] - corners[o + 2];
      const x = uy * vz - uz * vy;
      const y = uz * vx - ux * vz;
      const z = ux * vy - uy * vx;
      const inverse = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
      normals[f] = x * inverse;
      normals[f + 1] = y * inverse;
      normals[f + 2] = z * inverse;
    }
  }
}
