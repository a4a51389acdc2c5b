// SPDX-License-Identifier: MIT

/** Morph targets of a mesh: rest + Σ weight x delta. Targets of different parts are apart: each moves its own vertices only. */
export interface MorphTarget {
  name: string;
  /** Index into the node tree: the node whose weights drive it, and which of those weights. */
  node: number;
  weight: number;
  vertexStart: number;
  vertexCount: number;
  /** vertexCount x 3 displacements, in the rest space of the mesh, file units */
  positions: Float32Array;
  /** vertexCount x 3 differences of normals, where the file has them */
  normals?: Float32Array;
}

export interface Morphs {
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
