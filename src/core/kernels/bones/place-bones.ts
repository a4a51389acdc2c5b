// SPDX-License-Identifier: MIT
// Bones of connected joints: T_root maps the mean of a frame to the mean of its targets, and T_a = T_p + (R_p − R_a) o_a for all others (tree-moments.ts).
import type { KernelCall, Resident, ResidentArray } from '../compute.ts';
import { NO_PARENT, type ResidentTree, type TreeMoments } from '../joints/tree-moments.ts';

/**
 * A call that fills bones from rotations, joints and means.
 * @param rotations frameCount x 3 x 3 boneCount
 * @param bones 3 frameCount x 4 boneCount
 */
export function callPlaceBones(
  rotations: Resident<Float64Array>,
  { parents, order, joints, boneCount }: ResidentTree,
  { means, centers }: TreeMoments,
  bones: Resident<Float64Array>,
): KernelCall {
  return {
    kernel: 'placeBones',
    args: [rotations, joints, means, centers, parents, order, bones, boneCount],
    chunkCount: centers.length / 3,
  };
}

/** args: X, joints, means, centers, parents, order, bones, boneCount. One chunk per frame. */
export function placeBonesReference(args: readonly (ResidentArray | number)[], k: number): void {
  const [rotations, joints, means, centers] = args as Float64Array[];
  const [parents, order] = args.slice(4) as Uint32Array[];
  const bones = args[6] as Float64Array;
  const boneCount = args[7] as number;
  for (let row = 3 * k; row < 3 * k + 3; row++) {
    const at = row * 3 * boneCount;
    const out = row * 4 * boneCount;
    let root = centers[row];
    for (let e = 0; e < 3 * boneCount; e++) root -= rotations[at + e] * means[e];
    for (const j of order) {
      const p = parents[j];
      let t = p === NO_PARENT ? root : bones[out + 4 * p + 3];
      for (let c = 0; c < 3; c++) {
        bones[out + 4 * j + c] = rotations[at + 3 * j + c];
        if (p !== NO_PARENT) t += (rotations[at + 3 * p + c] - rotations[at + 3 * j + c]) * joints[3 * j + c];
      }
      bones[out + 4 * j + 3] = t;
    }
  }
}
