// SPDX-License-Identifier: MIT
// Local joint rotations of a pose, each in its own frame. With bind matrices B (their rotations only) and bones M, rest to posed,
//   R̄_j = Rⱼ⁻¹ (M_parent⁻¹ M_j) R_j,   R_j the rotation of B_j,
// is the rotation of joint j relative to its parent and to the bind pose: the identity at rest, and independent of the parent's pose.

import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import { nearestRotationInto } from '../../core/math/rotation.ts';
import { checkSkeleton, type Skeleton } from '../../core/model/skin/skeleton.ts';

/** Extracts local joint rotations from bone matrices. */
export interface PoseRotations {
  /** Number of bones. */
  readonly boneCount: number;
  /**
   * Fills the rotations of some joints, as unit quaternions x y z w with w not negative; allocates nothing. Scale is removed; a joint whose parent has
   * scale zero gets the identity.
   * @param bones boneCount x 16, column-major: rest to posed, model space
   * @param joints indices
   * @param out joints.length x 4
   */
  readInto(bones: Float64Array, joints: ArrayLike<number>, out: Float64Array): void;
}

const UNTURNED = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/**
 * Makes a function that extracts local joint rotations from the bones of a pose: the inverse of makeSkeletonPoser, relative to the bind pose.
 * @example
 * ```ts
 * import { makePoseRotations } from 'ossify/deform';
 *
 * const elbow = skeleton.names.indexOf('elbow.L');
 * const turn = new Float64Array(4);
 * makePoseRotations(skeleton).readInto(bones, [elbow], turn);
 * const angle = 2 * Math.acos(Math.min(1, turn[3])); // radians
 * ```
 */
export function makePoseRotations(skeleton: Skeleton): PoseRotations {
  checkSkeleton(skeleton);
  const boneCount = skeleton.names.length;
  const parents = skeleton.parents.slice();
  /** boneCount x 9: the rotation of each bind matrix */
  const frames = new Float64Array(9 * boneCount);
  for (let j = 0; j < boneCount; j++) {
    for (let c = 0; c < 9; c++) frames[9 * j + c] = skeleton.bindMatrices[16 * j + 4 * Math.floor(c / 3) + (c % 3)];
    nearestRotationInto(frames, frames, 9 * j, 9 * j);
  }
  const inverse = new Float64Array(9);
  const turn = new Float64Array(9);
  const moved = new Float64Array(9);
  const full = new Float64Array(16);
  return {
    boneCount,
    readInto(bones, joints, out) {
      for (let n = 0; n < joints.length; n++) {
        const j = joints[n];
        const p = parents[j];
        for (let c = 0; c < 9; c++) moved[c] = bones[16 * j + 4 * ((c / 3) | 0) + (c % 3)];
        if (p < 0) turn.set(moved);
        else if (invertLinear(bones, 16 * p, inverse)) multiply3(inverse, 0, moved, turn);
        else turn.set(UNTURNED);
        // into the joint's own frame: Rᵀ turn R
        multiply3(turn, 0, frames, moved, 9 * j);
        multiplyTransposed3(frames, 9 * j, moved, turn);
        nearestRotationInto(turn, turn);
        for (let c = 0; c < 9; c++) full[4 * ((c / 3) | 0) + (c % 3)] = turn[c];
        quaternionFromMatrix(full, out, 0, 4 * n);
      }
    },
  };
}

/** The inverse of the upper 3x3 of a 4x4, as 3x3 column-major; false if there is none. */
function invertLinear(m: Float64Array, o: number, out: Float64Array): boolean {
  const a = m[o],
    b = m[o + 1],
    c = m[o + 2],
    d = m[o + 4],
    e = m[o + 5],
    f = m[o + 6],
    g = m[o + 8],
    h = m[o + 9],
    i = m[o + 10];
  const inv = 1 / (a * (e * i - f * h) - d * (b * i - c * h) + g * (b * f - c * e));
  if (!Number.isFinite(inv)) return false;
  out[0] = (e * i - f * h) * inv;
  out[1] = (c * h - b * i) * inv;
  out[2] = (b * f - c * e) * inv;
  out[3] = (f * g - d * i) * inv;
  out[4] = (a * i - c * g) * inv;
  out[5] = (c * d - a * f) * inv;
  out[6] = (d * h - e * g) * inv;
  out[7] = (b * g - a * h) * inv;
  out[8] = (a * e - b * d) * inv;
  return true;
}

/** out = a b, 3x3 column-major; out must be another array. */
function multiply3(a: Float64Array, aOffset: number, b: Float64Array, out: Float64Array, bOffset = 0): void {
  for (let column = 0; column < 3; column++) {
    const b0 = b[bOffset + 3 * column],
      b1 = b[bOffset + 3 * column + 1],
      b2 = b[bOffset + 3 * column + 2];
    for (let row = 0; row < 3; row++)
      out[3 * column + row] = a[aOffset + row] * b0 + a[aOffset + 3 + row] * b1 + a[aOffset + 6 + row] * b2;
  }
}

/** out = aᵀ b */
function multiplyTransposed3(a: Float64Array, aOffset: number, b: Float64Array, out: Float64Array): void {
  for (let column = 0; column < 3; column++) {
    for (let row = 0; row < 3; row++) {
      const o = aOffset + 3 * row;
      out[3 * column + row] = a[o] * b[3 * column] + a[o + 1] * b[3 * column + 1] + a[o + 2] * b[3 * column + 2];
    }
  }
}
