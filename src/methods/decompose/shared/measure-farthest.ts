// SPDX-License-Identifier: MIT

import type { SkinnedModel } from '../../../core/model/asset.ts';
import { type Clip, frameCountOf, frameOf } from '../../../core/model/clip/clip.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { makeLinearBlend } from '../../../deformers/linear-blend/index.ts';

/** The largest distance of any vertex in any frame between a clip and a model of it with one motion, file units. */
export function measureFarthest(clip: Clip, model: SkinnedModel): number {
  const deformer = makeLinearBlend(model.mesh, model.skin, model.skeleton.names.length);
  const positions = new Float32Array(clip.mesh.positions.length);
  let farthest = 0;
  for (let k = 0; k < frameCountOf(clip); k++) {
    deformer.deformInto({ bones: poseOf(model.motions[0], k) }, positions);
    const frame = frameOf(clip, k);
    for (let c = 0; c < positions.length; c += 3) {
      farthest = Math.max(
        farthest,
        (positions[c] - frame[c]) ** 2 +
          (positions[c + 1] - frame[c + 1]) ** 2 +
          (positions[c + 2] - frame[c + 2]) ** 2,
      );
    }
  }
  return Math.sqrt(farthest);
}
