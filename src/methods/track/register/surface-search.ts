// SPDX-License-Identifier: MIT
import type { Compute, KernelCall, Resident } from '../../../core/kernels/compute.ts';
import { uploadUint32 } from '../../../core/kernels/compute.ts';
import { type BvhFit, listFitCalls, listLevels } from '../../../core/kernels/search/fit-bvh.ts';
import { callNearestPoints, NO_TRIANGLE } from '../../../core/kernels/search/nearest-points.ts';
import { BVH_STACK, makeTriangleBvh } from '../../../core/mesh/geometry/triangle-bvh.ts';
import type { SearchLimits } from '../../../core/model/clip/triangle-search.ts';

/** The nearest points of a surface. Views, valid until the next search. */
export interface NearestFound {
  /** pointCount: triangle, or NO_TRIANGLE */
  triangles: Uint32Array;
  /** pointCount x 3: weights of the second and third corner, squared distance */
  places: Float64Array;
}

/** Finds nearest points on a surface whose positions may change. */
export interface PointSearch {
  /** Moves the surface. */
  fit(positions: Float64Array): void;
  /**
   * Finds the nearest point of the surface for each point.
   * @param points pointCount x 6: position, unit normal
   */
  search(points: Float64Array, limits: SearchLimits): Promise<NearestFound>;
  /** Searches points on this surface, and other points on another, which costs less than one after the other. */
  searchBoth(
    points: Float64Array,
    other: PointSearch,
    otherPoints: Float64Array,
    limits: SearchLimits,
  ): Promise<[NearestFound, NearestFound]>;
  dispose(): void;
}

const STACK = BVH_STACK + 8;

/** Searches by the kernels, on all threads. */
export class SurfaceSearch implements PointSearch {
  readonly #compute: Compute;
  readonly #order: Uint32Array;
  readonly #fit: BvhFit;
  readonly #stacks: Resident<Uint32Array>;
  readonly #squares: Resident<Float32Array>;
  #points: Resident<Float64Array>;
  #found: Resident<Uint32Array>;
  #places: Resident<Float64Array>;
  /** Whether positions have changed since the hierarchy was fitted. */
  #isMoved = true;

  /**
   * @param compute freed by dispose() of this object
   * @param positions pointCount x 3
   */
  constructor(compute: Compute, positions: Float64Array, triangles: Uint32Array) {
    const own = compute.child();
    this.#compute = own;
    const { children, order, boxes, corners } = makeTriangleBvh(Float32Array.from(positions), triangles, 1);
    this.#order = order;
    const points = own.uint32(triangles.length);
    const view = points.view();
    for (let n = 0; n < order.length; n++) for (let c = 0; c < 3; c++) view[3 * n + c] = triangles[3 * order[n] + c];
    this.#fit = {
      ...{ positions: own.float64(positions.length), points, children: uploadUint32(own, children) },
      ...{ corners: own.float32(corners.length + 1), normals: own.float32(triangles.length) },
      ...{ boxes: own.float32(boxes.length), levels: listLevels(children) },
    };
    this.#fit.positions.view().set(positions);
    this.#stacks = own.uint32(own.threads * STACK);
    this.#squares = own.float32(own.threads * STACK);
    this.#points = own.float64(0);
    this.#found = own.uint32(0);
    this.#places = own.float64(0);
  }

  fit(positions: Float64Array): void {
    this.#fit.positions.view().set(positions);
    this.#isMoved = true;
  }

  async search(points: Float64Array, limits: SearchLimits): Promise<NearestFound> {
    await this.#compute.runAll(this.#listCalls(points, limits));
    return this.#read(points.length / 6);
  }

  async searchBoth(
    points: Float64Array,
    other: PointSearch,
    otherPoints: Float64Array,
    limits: SearchLimits,
  ): Promise<[NearestFound, NearestFound]> {
    if (!(other instanceof SurfaceSearch))
      return Promise.all([this.search(points, limits), other.search(otherPoints, limits)]);
    await this.#compute.runAll([...this.#listCalls(points, limits), ...other.#listCalls(otherPoints, limits)]);
    return [this.#read(points.length / 6), other.#read(otherPoints.length / 6)];
  }

  dispose(): void {
    this.#compute.dispose();
  }

  #listCalls(points: Float64Array, { minCosine, maxDistance }: SearchLimits): KernelCall[] {
    const pointCount = points.length / 6;
    if (this.#found.length < pointCount) {
      for (const array of [this.#points, this.#found, this.#places]) array.free();
      this.#points = this.#compute.float64(6 * pointCount);
      this.#found = this.#compute.uint32(pointCount);
      this.#places = this.#compute.float64(3 * pointCount);
    }
    this.#points.view().set(points);
    const { boxes, children, corners, normals } = this.#fit;
    const fits = this.#isMoved ? listFitCalls(this.#fit) : [];
    this.#isMoved = false;
    const search = callNearestPoints({
      ...{ points: this.#points, boxes, children, corners, normals, found: this.#found, places: this.#places },
      ...{ stacks: this.#stacks, squares: this.#squares, stackSize: STACK },
      ...{ pointCount, minCosine, maxSquare: maxDistance * maxDistance },
    });
    return [...fits, search];
  }

  #read(pointCount: number): NearestFound {
    const triangles = this.#found.view().slice(0, pointCount);
    const order = this.#order;
    for (let n = 0; n < pointCount; n++) if (triangles[n] !== NO_TRIANGLE) triangles[n] = order[triangles[n]];
    return { triangles, places: this.#places.view().subarray(0, 3 * pointCount) };
  }
}
