// SPDX-License-Identifier: MIT
import { makeIdentities } from '../../core/math/mat4.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';

/**
 * Makes a deformer that is posed by some of the bones of another; the other bones stay at the identity.
 * @param bones by bone of the new deformer, the bone of the other; -1: it has no effect
 */
export function narrowDeformer(whole: Deformer, bones: Int32Array): Deformer {
  const all = { bones: makeIdentities(whole.boneCount) };
  return {
    vertexCount: whole.vertexCount,
    boneCount: bones.length,
    deformInto(pose, positions, normals) {
      bones.forEach((bone, j) => {
        if (bone >= 0) all.bones.set(pose.bones.subarray(16 * j, 16 * j + 16), 16 * bone);
      });
      whole.deformInto(all, positions, normals);
    },
  };
}
