// SPDX-License-Identifier: MIT
// Helper bones driven by a rule: extra bones of a linear blend skin that are not part of poses. Each is attached to a joint and moves in its own rest frame
// as a function of the joint rotations,
//   M_h = M_ψ B_h T(t) R(r) S(s) B_h⁻¹,   (t, r, s) = drive(rotations of joints),
// M_ψ the parent joint (rest to posed), B_h the rest frame.

import { compose, invertAffine, multiply } from '../../core/math/mat4.ts';
import { quaternionFromRotationVector } from '../../core/math/quaternion.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { checkPose, makeLinearBlend } from '../linear-blend/index.ts';
import { makePoseRotations } from './pose-rotations.ts';

/** A helper bone that is driven by a function. */
export interface DrivenBone {
  /** Name of the bone, for errors. */
  name: string;
  /** The parent joint. */
  parent: number;
  /** 16 numbers, column-major: the rest frame, to model space */
  bindMatrix: ArrayLike<number>;
  /**
   * Computes its transformation in its own frame.
   * @param turns jointCount x 4: rotations of the joints relative to the bind pose, each in its own frame, unit quaternions x y z w with w not negative
   * @param out translation (3), rotation vector (3), scale (3); initially 0 0 0, 0 0 0, 1 1 1
   */
  drive(turns: Float64Array, out: Float64Array): void;
}

/** A linear blend skin over joints and driven bones. */
export interface DrivenRig {
  /** The rest shape. */
  mesh: Mesh;
  /** The joints, moved by poses. */
  skeleton: Skeleton;
  /** Over the joints, then the driven bones. */
  skin: Skin;
}

/**
 * Linear blend skinning over joints and driven bones; poses contain the joints only.
 * @example
 * ```ts
 * import { type DrivenBone, makeDrivenBones } from 'ossify/deform';
 *
 * // a biceps on joint 3 that grows when joint 4, the elbow, bends about x
 * const biceps: DrivenBone = {
 *   name: 'biceps',
 *   parent: 3,
 *   bindMatrix: skeleton.bindMatrices.subarray(16 * 3, 16 * 4),
 *   drive: (turns, out) => {
 *     out[7] = 1 + 0.4 * Math.abs(turns[4 * 4]);
 *   },
 * };
 * const driven = makeDrivenBones({ mesh, skeleton, skin }, [biceps]); // the skin has one bone more than the skeleton
 * ```
 */
export function makeDrivenBones({ mesh, skeleton, skin }: DrivenRig, helpers: readonly DrivenBone[]): Deformer {
  const jointCount = skeleton.names.length;
  const boneCount = jointCount + helpers.length;
  const binds = new Float64Array(16 * helpers.length);
  const inverseBinds = new Float64Array(16 * helpers.length);
  helpers.forEach(({ name, parent, bindMatrix }, h) => {
    if (!(Number.isInteger(parent) && parent >= 0 && parent < jointCount))
      throw new InputError(
        'driven bones',
        `the parent of "${name}" is joint ${parent}; there are ${jointCount} joints`,
      );
    if (bindMatrix.length !== 16)
      throw new InputError('driven bones', `the bind matrix of "${name}" must have 16 numbers`);
    binds.set(Array.from(bindMatrix), 16 * h);
    if (!invertAffine(binds, inverseBinds, 16 * h, 16 * h))
      throw new InputError('driven bones', `the bind matrix of "${name}" has no inverse`);
  });
  const blend = makeLinearBlend(mesh, skin, boneCount);
  const turnsOf = makePoseRotations(skeleton);
  const joints = Uint32Array.from({ length: jointCount }, (_, j) => j);
  const turns = new Float64Array(4 * jointCount);
  const bones = new Float64Array(16 * boneCount);
  const extended = { bones };
  const parts = new Float64Array(9);
  const rotation = new Float64Array(4);
  const local = new Float64Array(16);
  return {
    vertexCount: mesh.positions.length / 3,
    boneCount: jointCount,
    deformInto(pose, positions, normals) {
      checkPose('driven bones', pose, jointCount);
      turnsOf.readInto(pose.bones, joints, turns);
      bones.set(pose.bones);
      for (let h = 0; h < helpers.length; h++) {
        parts.fill(0, 0, 6);
        parts.fill(1, 6);
        helpers[h].drive(turns, parts);
        quaternionFromRotationVector(parts, rotation, 3);
        compose(parts, rotation, parts, local, 0, 0, 6);
        multiply(binds, local, local, 16 * h);
        multiply(local, inverseBinds, local, 0, 16 * h);
        multiply(pose.bones, local, bones, 16 * helpers[h].parent, 0, 16 * (jointCount + h));
      }
      blend.deformInto(extended, positions, normals);
    },
  };
}
