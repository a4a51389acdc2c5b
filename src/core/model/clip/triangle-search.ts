// SPDX-License-Identifier: MIT

/** Limits of a nearest-point search. */
export interface SearchLimits {
  /** Minimum cosine between the normals of a point and of the triangle found; -1: any. */
  minCosine: number;
  /** Maximum distance; finite. */
  maxDistance: number;
}

/** Boxes around the triangles of a surface, four children per node, nodes listed level by level (core/mesh/geometry/triangle-bvh.ts). */
export interface TriangleTree {
  pointCount: number;
  /** triangleCount x 3 point indices, in the order of the leaves */
  points: Uint32Array;
  /** nodeCount x 4: a node; or a leaf of one triangle, which has bit 31 and its place from bit 2 on; or 0xffffffff for none */
  children: Uint32Array;
  /** First nodes of the levels, and the number of nodes. */
  levels: readonly number[];
}

/** Finds nearest triangles of one surface on a device. */
export interface TriangleSearcher {
  /** Moves the surface: pointCount x 3. Call it before the first search. */
  fit(positions: Float32Array): void;
  /**
   * The place of the nearest triangle of each point in the tree, or 0xffffffff if there is none within the limits.
   * @param points pointCount x 8: position, 0, unit normal, 0
   */
  search(points: Float32Array, limits: SearchLimits): Promise<Uint32Array>;
  dispose(): void;
}

/** A device on which searches can run, such as a GPU (createGpuSearch of ossify/gpu). */
export interface SearchDevice {
  makeSearcher(tree: TriangleTree): TriangleSearcher;
}
