// SPDX-License-Identifier: MIT
import { makeLinearBlend } from '../deform/make-linear-blend.ts';
import type { SkinnedModel } from '../model/asset.ts';
import { type Clip, frameCountOf, frameOf } from '../model/clip.ts';
import { poseOf } from '../model/motion.ts';

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
