// SPDX-License-Identifier: MIT
import { makeIdentities } from '../../core/math/mat4.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { linearFormOf, withLinearForm } from '../../core/model/deformed/linear-form.ts';

/**
 * Makes a deformer that is posed by some of the bones of another; the other bones stay at the identity.
 * @param bones by bone of the new deformer, the bone of the other; -1: it has no effect
 */
export function narrowDeformer(whole: Deformer, bones: Int32Array): Deformer {
  const all = { bones: makeIdentities(whole.boneCount) };
  const widen = (given: Float64Array): void =>
    bones.forEach((bone, j) => {
      if (bone >= 0) all.bones.set(given.subarray(16 * j, 16 * j + 16), 16 * bone);
    });
  const form = linearFormOf(whole);
  const deformer: Deformer = {
    vertexCount: whole.vertexCount,
    boneCount: bones.length,
    deformInto(pose, positions, normals) {
      widen(pose.bones);
      whole.deformInto(all, positions, normals);
    },
  };
  return withLinearForm(
    deformer,
    form && {
      ...form,
      bonesInto(given, out) {
        widen(given);
        if (form.bonesInto) form.bonesInto(all.bones, out);
        else out.set(all.bones);
      },
    },
  );
}
