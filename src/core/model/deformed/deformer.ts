// SPDX-License-Identifier: MIT

/** Input of a deformer: bone transforms, and morph weights and coefficients if it has any. */
export interface Pose {
  /** boneCount x 16, column-major: rest to posed, model space */
  bones: Float64Array;
  /** One weight per morph target of the deformer. */
  morphs?: Float32Array;
  /** Coefficients of a skin correction: those of the displacements, then those of the normals. */
  corrections?: Float32Array;
}

/** Anything that computes a shape from a pose. */
export interface Deformer {
  /** Number of vertices of the shape. */
  readonly vertexCount: number;
  /** Number of bones of a pose. */
  readonly boneCount: number;
  /** Whether it computes in double precision. If so, deformInto also fills Float64Arrays. */
  readonly isDouble?: boolean;
  /**
   * Fills positions with the posed shape and, if given, normals with its unit normals.
   * @param positions vertexCount x 3
   * @param normals vertexCount x 3
   */
  deformInto(pose: Pose, positions: Float32Array, normals?: Float32Array): void;
}
