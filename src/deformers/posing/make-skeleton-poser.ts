// SPDX-License-Identifier: MIT

import { compose, IDENTITY, invertAffine, multiply } from '../../core/math/mat4.ts';
import { InputError } from '../../core/model/errors.ts';
import { checkSkeleton, type Skeleton } from '../../core/model/skin/skeleton.ts';

/** Numbers per joint: translation 0, rotation x y z w, scale 0; the layout of GPU players. */
export const JOINT_SIZE = 12;
const ROTATION = 4;
const SCALE = 8;

/** Converts joint poses to bone matrices. */
export interface SkeletonPoser {
  /** Number of bones. */
  readonly boneCount: number;
  /**
   * Fills the bones for deformers and run-times; allocates nothing.
   * @param joints boneCount x 12: each joint to its parent, a root to model space; rotations of unit length
   * @param bones boneCount x 16, column-major: rest to posed, model space
   */
  poseInto(joints: ArrayLike<number>, bones: Float64Array): void;
}

/**
 * Makes a function that converts poses of a skeleton's joints to bones: bone j is world(j) · bind(j)⁻¹. A bone whose bind matrix has no inverse stays at rest, as in
 * sampleAnimation.
 * @example
 * ```ts
 * import { makeSkeletonPoser } from 'ossify/deform';
 *
 * const poser = makeSkeletonPoser(skeleton);
 * const joints = new Float64Array(12 * poser.boneCount); // translation 0, rotation x y z w, scale 0
 * for (let j = 0; j < poser.boneCount; j++) joints.set([0, 0.1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0], 12 * j);
 * poser.poseInto(joints, bones);
 * deformer.deformInto({ bones }, positions);
 * ```
 */
export function makeSkeletonPoser(skeleton: Skeleton): SkeletonPoser {
  checkSkeleton(skeleton);
  const boneCount = skeleton.names.length;
  const parents = skeleton.parents.slice();
  const inverseBinds = new Float64Array(16 * boneCount);
  const isInvertible = Uint8Array.from({ length: boneCount }, (_, j) =>
    Number(invertAffine(skeleton.bindMatrices, inverseBinds, 16 * j, 16 * j)),
  );
  const worlds = new Float64Array(16 * boneCount);
  const local = new Float64Array(16);
  return {
    boneCount,
    poseInto(joints, bones) {
      if (joints.length !== boneCount * JOINT_SIZE)
        throw new InputError(
          'skeleton pose',
          `${joints.length} numbers for ${boneCount} joints, expected ${JOINT_SIZE} for each`,
        );
      if (bones.length !== boneCount * 16)
        throw new InputError('skeleton pose', `bones must have ${boneCount} matrices, got ${bones.length / 16}`);
      // parents come before their children
      for (let j = 0; j < boneCount; j++) {
        const at = JOINT_SIZE * j;
        compose(joints, joints, joints, local, at, at + ROTATION, at + SCALE);
        if (parents[j] < 0) worlds.set(local, 16 * j);
        else multiply(worlds, local, worlds, 16 * parents[j], 0, 16 * j);
        if (isInvertible[j]) multiply(worlds, inverseBinds, bones, 16 * j, 16 * j, 16 * j);
        else bones.set(IDENTITY, 16 * j);
      }
    },
  };
}
