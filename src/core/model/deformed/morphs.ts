// SPDX-License-Identifier: MIT

/** One morph target of a run of vertices. A target that spans several parts of the mesh is listed once per part. */
export interface MorphTarget {
  /** Name in the file. */
  name: string;
  /** Index into the node tree: the node whose weights drive it. */
  node: number;
  /** Index of its weight among those of the node. */
  weight: number;
  /** First vertex. */
  vertexStart: number;
  /** Number of vertices. */
  vertexCount: number;
  /** vertexCount x 3 displacements, in the rest space of the mesh, file units */
  positions: Float32Array;
  /** vertexCount x 3 differences of normals, if the file has them */
  normals?: Float32Array;
}

/** Morph targets of a mesh: rest + Σ weight x displacement. */
export interface Morphs {
  /** In the order of the file. */
  targets: MorphTarget[];
  /** Weights at rest, by node index: one number per target of that node. */
  restWeights: { node: number; weights: Float32Array }[];
}

/** Morph targets under a skin, and what they are in the frames of its motions. */
export interface SkinnedMorphs {
  morphs: Morphs;
  /** Per motion: frameCount x targetCount */
  weights: Float32Array[];
}
