// SPDX-License-Identifier: MIT
import {
  type Compute,
  type Resident,
  uploadFloat32,
  uploadFloat64,
  uploadUint32,
} from '../../../core/kernels/compute.ts';
import { callNearestPoints, NO_TRIANGLE } from '../../../core/kernels/search/nearest-points.ts';
import { BVH_STACK, makeTriangleBvh } from '../../../core/mesh/geometry/triangle-bvh.ts';

/** Stack of a traversal. */
const STACK_SIZE = BVH_STACK + 8;

/** Points on a surface. */
export interface SurfacePoints {
  /** pointCount x 3: corners of the triangle of each point */
  corners: Uint32Array;
  /** pointCount x 3: their weights; zero for a point without a triangle within the limits */
  shares: Float64Array;
}

/** Finds the nearest points of a surface among triangles that face the same way. */
export class NearestSurface {
  readonly #memory: Compute;
  readonly #triangles: Uint32Array;
  /** triangleCount: the triangle at each place of the hierarchy */
  readonly #order: Uint32Array;
  readonly #tree: {
    boxes: Resident<Float32Array>;
    children: Resident<Uint32Array>;
    corners: Resident<Float32Array>;
    /** triangleCount x 3: unit normals in the order of the hierarchy */
    normals: Resident<Float32Array>;
    stacks: Resident<Uint32Array>;
    squares: Resident<Float32Array>;
  };

  /**
   * @param memory keeps the hierarchy
   * @param positions pointCount x 3
   * @param triangles triangleCount x 3
   */
  constructor(memory: Compute, positions: Float64Array, triangles: Uint32Array) {
    this.#memory = memory;
    this.#triangles = triangles;
    const { boxes, children, corners, order } = makeTriangleBvh(Float32Array.from(positions), triangles);
    this.#order = order;
    this.#tree = {
      boxes: uploadFloat32(memory, boxes),
      children: uploadUint32(memory, children),
      corners: uploadFloat32(memory, corners),
      normals: uploadFloat32(memory, listNormals(corners)),
      stacks: memory.uint32(memory.threads * STACK_SIZE),
      squares: memory.float32(memory.threads * STACK_SIZE),
    };
  }

  /**
   * The nearest point of the surface for each point.
   * @param points pointCount x 6: position, unit normal
   * @param minCosine minimum cosine between the normals of a point and of its triangle
   * @param maxDistance maximum distance
   */
  find(points: Float64Array, minCosine: number, maxDistance: number): Promise<SurfacePoints> {
    const pointCount = points.length / 6;
    return this.#memory.scope(async (memory) => {
      const search = {
        ...this.#tree,
        ...{ points: uploadFloat64(memory, points), found: memory.uint32(pointCount) },
        ...{ places: memory.float64(3 * pointCount), pointCount, minCosine },
        ...{ maxSquare: maxDistance ** 2, stackSize: STACK_SIZE },
      };
      await memory.runAll([callNearestPoints(search, pointCount)]);
      return this.#list(search.found.view(), search.places.view());
    });
  }

  #list(found: Uint32Array, places: Float64Array): SurfacePoints {
    const corners = new Uint32Array(places.length);
    const shares = new Float64Array(places.length);
    for (let i = 0; i < found.length; i++) {
      if (found[i] === NO_TRIANGLE) continue;
      for (let r = 0; r < 3; r++) corners[3 * i + r] = this.#triangles[3 * this.#order[found[i]] + r];
      shares[3 * i] = 1 - places[3 * i] - places[3 * i + 1];
      shares[3 * i + 1] = places[3 * i];
      shares[3 * i + 2] = places[3 * i + 1];
    }
    return { corners, shares };
  }
}

/** triangleCount x 3: unit normals; zero for degenerate triangles. */
function listNormals(corners: Float32Array): Float32Array {
  const normals = new Float32Array(corners.length / 3);
  for (let o = 0; o < corners.length; o += 9) {
    const ux = corners[o + 3] - corners[o];
    const uy = corners[o + 4] - corners[o + 1];
    const uz = corners[o + 5] - corners[o + 2];
    const wx = corners[o + 6] - corners[o];
    const wy = corners[o + 7] - corners[o + 1];
    const wz = corners[o + 8] - corners[o + 2];
    const x = uy * wz - uz * wy;
    const y = uz * wx - ux * wz;
    const z = ux * wy - uy * wx;
    const length = Math.sqrt(x * x + y * y + z * z);
    if (!(length > 0)) continue;
    normals[o / 3] = x / length;
    normals[o / 3 + 1] = y / length;
    normals[o / 3 + 2] = z / length;
  }
  return normals;
}
