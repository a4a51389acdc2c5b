// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { poseOf } from '../../core/model/clip/motion.ts';
import { checkRigidBones } from '../../deformers/direct-delta-mush/index.ts';
import { listPoseTimes, sampleAnimation } from '../../deformers/playback/index.ts';

/** Maximum number of poses to check. */
const CHECKED_POSES = 256;

/** Throws if an animation scales bones that a variant requires to be rigid. */
export function checkAssetPoses(asset: Asset, variant: number): void {
  if (variant !== 2 && variant !== 4) return;
  const { skeleton, skin } = asset.rig!;
  const isUsed = new Uint8Array(skeleton.names.length);
  for (const bone of skin.boneIndices) isUsed[bone] = 1;
  for (const { animation, times } of listPoseTimes(asset, CHECKED_POSES)) {
    const { motion } = sampleAnimation(asset, animation, times);
    for (let k = 0; k < times.length; k++) {
      const where = animation ? `"${animation.name}" at ${times[k].toFixed(2)} s` : 'the pose of the file';
      checkRigidBones(
        `direct delta mush v${variant}, ${where}`,
        poseOf(motion, k),
        isUsed,
        'use variant 0, 1, 3 or 5 for bones that are not rigid',
      );
    }
  }
}
