// SPDX-License-Identifier: MIT

import type { Asset } from '../../../core/model/asset.ts';
import type { Animation } from '../../../core/model/clip/animation.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import type { Deformer, Pose } from '../../../core/model/deformed/deformer.ts';
import { coefficientCountOf } from '../../../core/model/deformed/skin-correction.ts';
import { makeAssetDeformer } from '../make-asset-deformer.ts';
import { sampleAnimation } from '../sample-animation.ts';

/** Frames per batch of bone matrices: bounds memory for rigs with many bones and few vertices. */
const BATCH = 64;

/**
 * Evaluates a skinned or morphing asset at given times, for comparing two files frame by frame; bakeClip chooses the times itself.
 * Times outside the animation give its first or last pose. Clips of the asset are ignored.
 * @param times seconds, ascending
 * @param deformer default: the one of the file
 * @example
 * ```ts
 * import { makeTimes } from 'ossify';
 * import { bakeAt } from 'ossify/deform';
 *
 * const atFrames = bakeAt(asset, asset.animations[0], makeTimes(48, 24));
 * ```
 */
export function bakeAt(
  asset: Asset,
  animation: Animation | undefined,
  times: Float64Array,
  deformer: Deformer = makeAssetDeformer(asset),
): Clip {
  const stride = asset.mesh.positions.length;
  const targetCount = asset.morphs?.targets.length ?? 0;
  const coefficientCount = asset.correction ? coefficientCountOf(asset.correction) : 0;
  const positions = new Float32Array(times.length * stride);
  const pose: Pose = { bones: new Float64Array(0) };
  for (let first = 0; first < times.length; first += BATCH) {
    const last = Math.min(times.length, first + BATCH);
    const { motion, morphWeights, corrections } = sampleAnimation(asset, animation, times.subarray(first, last));
    for (let k = first; k < last; k++) {
      pose.bones = poseOf(motion, k - first);
      pose.morphs = morphWeights.subarray((k - first) * targetCount, (k - first + 1) * targetCount);
      pose.corrections = corrections.subarray((k - first) * coefficientCount, (k - first + 1) * coefficientCount);
      deformer.deformInto(pose, positions.subarray(k * stride, (k + 1) * stride));
    }
  }
  return { kind: 'clip', name: animation?.name || asset.name, mesh: asset.mesh, positions, times };
}
