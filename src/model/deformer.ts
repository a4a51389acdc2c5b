// SPDX-License-Identifier: MIT

/** What moves a deformer: bones, and morph weights where it has any. */
export interface Pose {
  /** boneCount x 16, column-major: rest to posed, model space */
  bones: Float64Array;
  /** One weight per morph target of the deformer. */
  morphs?: Float32Array;
  /** Coefficients of a skin correction: those of displacements, then those of normals. */
  corrections?: Float32Array;
}

/** Anything that turns a pose into a shape. */
export interface Deformer {
  readonly vertexCount: number;
  readonly boneCount: number;
  /** Whether it computes in double precision, and deformInto also fills arrays of doubles. */
  readonly isDouble?: boolean;
  /**
   * Fills positions (and normals, unit length, where given) with the posed shape.
   * @param positions vertexCount x 3
   * @param normals vertexCount x 3
   */
  deformInto(pose: Pose, positions: Float32Array, normals?: Float32Array): void;
}
