// SPDX-License-Identifier: MIT
// Bones of connected joints: T of a root maps the mean of a frame to the mean of its targets, and T_a = T_p + (R_p − R_a) o_a for all others (tree-moments.ts).

import { NO_PARENT, type ResidentTree, type TreeMoments } from '../joints/tree-moments.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';

/**
 * A call that fills bones from rotations, joints and means.
 * @param rotations frameCount x 3 x 3 boneCount
 * @param bones 3 frameCount x 4 boneCount
 */
export function callPlaceBones(
  rotations: Resident<Float64Array>,
  { parents, order, joints, boneCount, rootCount }: ResidentTree,
  { means, centers }: TreeMoments,
  bones: Resident<Float64Array>,
): KernelCall {
  const args = { rotations, joints, means, centers, parents, order, bones, boneCount, rootCount };
  return callOf(placeBonesKernel, args, centers.length / (3 * rootCount));
}

/** One chunk per frame. */
export const placeBonesKernel = kernel(
  'placeBones',
  {
    rotations: 'f64',
    joints: 'f64',
    means: 'f64',
    centers: 'f64',
    parents: 'u32',
    order: 'u32',
    bones: 'f64',
    boneCount: 'int',
    rootCount: 'int',
  },
  ({ rotations, joints, means, centers, parents, order, bones, boneCount, rootCount }, k) => {
    for (let row = 3 * k; row < 3 * k + 3; row++) {
      const at = row * 3 * boneCount;
      const out = row * 4 * boneCount;
      let c = 0;
      for (const j of order) {
        const p = parents[j];
        let t = p === NO_PARENT ? centers[row * rootCount + c] : bones[out + 4 * p + 3];
        if (p === NO_PARENT) {
          for (let e = 0; e < 3 * boneCount; e++) t -= rotations[at + e] * means[e * rootCount + c];
          c++;
        }
        for (let x = 0; x < 3; x++) {
          bones[out + 4 * j + x] = rotations[at + 3 * j + x];
          if (p !== NO_PARENT) t += (rotations[at + 3 * p + x] - rotations[at + 3 * j + x]) * joints[3 * j + x];
        }
        bones[out + 4 * j + 3] = t;
      }
    }
  },
);
