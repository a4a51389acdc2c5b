// SPDX-License-Identifier: MIT

/** Bone transforms over time. */
export interface Motion {
  /** Name of the animation. */
  name: string;
  /** frameCount, seconds, ascending */
  times: Float64Array;
  /** frameCount x boneCount x 16, column-major: rest to posed, both in model space (the identity gives the rest shape) */
  matrices: Float64Array;
}

/** Number of bones of a motion; 0 if it has no frames. */
export function boneCountOfMotion(motion: Motion): number {
  return motion.times.length === 0 ? 0 : motion.matrices.length / (16 * motion.times.length);
}

/**
 * Bone matrices of frame k, boneCount x 16: a view, not a copy.
 * @example
 * ```ts
 * import { poseOf } from 'ossify';
 * import { makeDeformer } from 'ossify/deform';
 *
 * const posed = new Float32Array(model.mesh.positions.length);
 * makeDeformer(model).deformInto({ bones: poseOf(model.motions[0], 10) }, posed);
 * ```
 */
export function poseOf(motion: Motion, k: number): Float64Array {
  const stride = motion.matrices.length / motion.times.length;
  return motion.matrices.subarray(k * stride, (k + 1) * stride);
}
