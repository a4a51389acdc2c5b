// SPDX-License-Identifier: MIT

/** Bone transforms over time. */
export interface Motion {
  name: string;
  /** frameCount, seconds, rising */
  times: Float64Array;
  /** frameCount x boneCount x 16, column-major: rest to posed, both in model space (the identity leaves the rest shape) */
  matrices: Float64Array;
}

export function boneCountOfMotion(motion: Motion): number {
  return motion.times.length === 0 ? 0 : motion.matrices.length / (16 * motion.times.length);
}

/** Bones of frame k, a view without copying: boneCount x 16. */
export function poseOf(motion: Motion, k: number): Float64Array {
  const stride = motion.matrices.length / motion.times.length;
  return motion.matrices.subarray(k * stride, (k + 1) * stride);
}
