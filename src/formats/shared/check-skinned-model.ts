// SPDX-License-Identifier: MIT
import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import type { SkinnedMorphs } from '../../core/model/deformed/morphs.ts';
import { InputError } from '../../core/model/errors.ts';
import { vertexCountOf } from '../../core/model/mesh/mesh.ts';
import { boneCountOf, checkSkeleton } from '../../core/model/skin/skeleton.ts';

/** Throws unless skeleton, skin and mesh of a model match. */
export function checkSkinnedModel({ mesh, skeleton, skin }: SkinnedModel): void {
  checkSkeleton(skeleton);
  if (boneCountOf(skeleton) === 0) throw new InputError('writeGlb', 'the skeleton has no bones');
  if (skin.rowStart.length !== vertexCountOf(mesh) + 1)
    throw new InputError(
      'writeGlb',
      `the skin has ${skin.rowStart.length - 1} vertices, the mesh has ${vertexCountOf(mesh)}`,
    );
}

/** Throws an InputError unless the weights fit the motions. */
export function checkSkinnedMorphs({ morphs, weights }: SkinnedMorphs, motions: Motion[], vertexCount: number): void {
  const targetCount = morphs.targets.length;
  if (weights.length !== motions.length)
    throw new InputError('writeGlb', `morph weights of ${weights.length} motions, there are ${motions.length}`);
  motions.forEach(({ name, times }, n) => {
    if (weights[n].length !== times.length * targetCount)
      throw new InputError(
        'writeGlb',
        `the motion "${name}" has ${times.length} frames and needs ${targetCount} morph weights in each`,
      );
  });
  for (const { name, vertexStart, vertexCount: count, positions } of morphs.targets) {
    if (positions.length !== 3 * count || vertexStart + count > vertexCount)
      throw new InputError('writeGlb', `the morph target "${name}" does not fit the mesh`);
  }
}
