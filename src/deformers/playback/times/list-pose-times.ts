// SPDX-License-Identifier: MIT

import type { Asset } from '../../../core/model/asset.ts';
import type { Animation } from '../../../core/model/clip/animation.ts';
import type { Motion } from '../../../core/model/clip/motion.ts';
import { sampleAnimation } from '../sample-animation.ts';
import { countFrames, listFrameTimes, listKeyTimes } from './list-frame-times.ts';
import { snapTimes } from './snap-times.ts';

/** An animation and times to sample it at. */
export interface PoseTimes {
  /** Absent for the rest pose of the nodes. */
  animation?: Animation;
  /** Seconds, rising */
  times: Float64Array;
}

/**
 * Lists frames of all animations of an asset, evenly spaced, or at keys beside, and at most this many (rounding aside). An asset without animations has one pose.
 * @example
 * ```ts
 * import { listPoseTimes, sampleAnimation } from 'ossify/deform';
 *
 * for (const { animation, times } of listPoseTimes(asset, 200)) {
 *   const { motion } = sampleAnimation(asset, animation, times);
 * }
 * ```
 */
export function listPoseTimes(asset: Asset, maxFrames: number): PoseTimes[] {
  if (asset.animations.length === 0) return [{ times: Float64Array.of(0) }];
  const total = asset.animations.reduce((sum, animation) => sum + countFrames(animation), 0);
  const every = Math.max(1, Math.ceil(total / maxFrames));
  return asset.animations.map((animation) => ({
    animation,
    times: snapTimes(listFrameTimes(animation, { frames: { step: every } }), listKeyTimes(animation)),
  }));
}

/** The motions of those frames, one per animation. */
export function sampleMotions(asset: Asset, maxFrames: number): Motion[] {
  return listPoseTimes(asset, maxFrames).map(({ animation, times }) => sampleAnimation(asset, animation, times).motion);
}
