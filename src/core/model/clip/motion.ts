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

/** The motion of some bones. */
export function pickMotion(motion: Motion, bones: ArrayLike<number>): Motion {
  const boneCount = boneCountOfMotion(motion);
  const matrices = new Float64Array(motion.times.length * bones.length * 16);
  for (let k = 0; k < motion.times.length; k++) {
    for (let n = 0; n < bones.length; n++) {
      const from = (k * boneCount + bones[n]) * 16;
      matrices.set(motion.matrices.subarray(from, from + 16), (k * bones.length + n) * 16);
    }
  }
  return { ...motion, matrices };
}

/** Bones of frame k, a view without copying: boneCount x 16. */
export function poseOf(motion: Motion, k: number): Float64Array {
  const stride = motion.matrices.length / motion.times.length;
  return motion.matrices.subarray(k * stride, (k + 1) * stride);
}
