// SPDX-License-Identifier: MIT
// A solved fit and its tree as a body in file space.

import type { Clip } from '../../../core/model/clip/clip.ts';
import { makeSkinnedModel, type NormalizedClip, type SkinFit } from '../../../fit/skin/index.ts';
import type { SolvedBody } from '../body/solved-body.ts';
import { measureBlends } from '../joints/bone-blends.ts';
import { type JointTree, meanOfJoints } from '../joints/joint-tree.ts';

/** The position of a root, which the motion does not determine: the mean of its joints, as for the hips of a rig; with fewer than two joints, the center of its points. */
function placeRoot(tree: JointTree, centroids: Float64Array, root: number): ArrayLike<number> {
  const count = tree.parents.reduce((sum, p) => sum + Number(p === root), 0);
  return count > 1 ? meanOfJoints(tree, root) : centroids.subarray(3 * root, 3 * root + 3);
}

/** A solved fit and its tree in file space. */
export async function describeBody(
  clip: Clip,
  normalized: NormalizedClip,
  fit: SkinFit,
  tree: JointTree,
  newRest = false,
): Promise<SolvedBody> {
  const { trajectories, boneCount } = fit;
  await fit.measureMoments();
  const { centroids } = measureBlends(fit);
  const { skin, motions, mesh } = makeSkinnedModel(clip, normalized, fit, newRest);
  const joints = new Float64Array(3 * boneCount);
  for (let j = 0; j < boneCount; j++) {
    const from = tree.parents[j] < 0 ? placeRoot(tree, centroids, j) : tree.joints.subarray(3 * j, 3 * j + 3);
    for (let r = 0; r < 3; r++) joints[3 * j + r] = from[r] * normalized.size + normalized.restCenter[r];
  }
  return {
    boneCount,
    parents: tree.parents,
    released: tree.released,
    joints,
    matrices: motions[0].matrices,
    skin,
    ...(newRest ? { rest: mesh.positions } : {}),
    error: fit.error * normalized.size ** 2,
    samples: trajectories.vertexCount * trajectories.frameCount,
    boneCountBefore: boneCount,
    passes: 0,
    iterations: 0,
    outsideBefore: 0,
    outside: 0,
    status: 'converged',
    isRigid: false,
    isStill: false,
  };
}
