// SPDX-License-Identifier: MIT
import type { SkinFit } from '../../../fit/skin/index.ts';

/** boneCount: 1 if a vertex mainly follows the bone, that is, has no larger weight. */
export function listFollowed({ weights, trajectories, boneCount }: SkinFit): Uint8Array {
  const [ids, values, influences] = [weights.bones.view(), weights.weights.view(), weights.influences];
  const isFollowed = new Uint8Array(boneCount);
  for (let i = 0; i < trajectories.vertexCount; i++) {
    let best = i * influences;
    for (let e = best + 1; e < (i + 1) * influences; e++) if (values[e] > values[best]) best = e;
    isFollowed[ids[best]] = 1;
  }
  return isFollowed;
}
