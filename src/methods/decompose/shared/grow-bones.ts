// SPDX-License-Identifier: MIT

import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { placeBone, RigidPatches } from '../../../fit/clusters/index.ts';

/** Default number of points of a new bone's patch; not tuned. */
const PATCH_POINTS = 12;

/**
 * Copies the bones of a solution and adds new ones at the points of the largest errors, apart from one another. The first bones that are added are
 * the same for every number.
 * @param from the solution: 3 frameCount x 4 count bones, and the error of each point
 * @param bones 3 frameCount x 4 boneCount: filled
 * @param options patches of the same points, given by callers that grow several times; and the number of points of a patch
 */
export function growBonesInto(
  points: Trajectories,
  from: { count: number; bones: Float64Array; distances: Float64Array },
  bones: Float64Array,
  boneCount: number,
  { patches = new RigidPatches(points), patchPoints = PATCH_POINTS } = {},
): void {
  const rows = 3 * points.frameCount;
  for (let row = 0; row < rows; row++) {
    bones.set(from.bones.subarray(row * 4 * from.count, (row + 1) * 4 * from.count), row * 4 * boneCount);
  }
  const left = from.distances.slice();
  const fresh = new Float64Array(4 * rows);
  for (let j = from.count; j < boneCount; j++) {
    let worst = 0;
    for (let i = 1; i < left.length; i++) if (left[i] > left[worst]) worst = i;
    const patch = patches.listNearest(worst, patchPoints);
    patches.fitInto(patch, fresh, 0, 1);
    placeBone(fresh, 0, 1, bones, j, boneCount);
    for (const i of patch) left[i] = 0;
  }
}
