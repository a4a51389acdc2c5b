// SPDX-License-Identifier: MIT

/** Parts of an asset that have no visible effect. */
export interface Elimination {
  /** Indices into the node tree: joints. */
  nodes: number[];
  /** Morph targets: the node whose weights drive them, and the index of the weight. */
  shapes: { node: number; weight: number }[];
  /** Indices of triangles of the mesh, ascending. */
  triangles: number[];
}
