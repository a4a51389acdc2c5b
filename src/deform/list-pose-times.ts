// SPDX-License-Identifier: MIT
import type { Animation } from '../model/animation.ts';
import type { Asset } from '../model/asset.ts';
import type { Motion } from '../model/motion.ts';
import { listFrameTimes } from './list-frame-times.ts';
import { sampleAnimation } from './sample-animation.ts';

/** An animation and times to sample it at. */
export interface PoseTimes {
  /** Absent for the rest pose of the nodes. */
  animation?: Animation;
  /** Seconds, rising */
  times: Float64Array;
}

/** Maximum frames of an animation; more mean that its rate or duration is wrong. */
export const MAX_ANIMATION_FRAMES = 1_000_000;

/** Lists frames of all animations of an asset, evenly spaced and at most this many (rounding aside). An asset without animations has one pose. */
export function listPoseTimes(asset: Asset, maxFrames: number): PoseTimes[] {
  if (asset.animations.length === 0) return [{ times: Float64Array.of(0) }];
  const all = asset.animations.map((animation) => ({
    animation,
    times: listFrameTimes(animation, {}, MAX_ANIMATION_FRAMES),
  }));
  const total = all.reduce((sum, { times }) => sum + times.length, 0);
  const step = Math.max(1, Math.ceil(total / maxFrames));
  return all.map(({ animation, times }) => ({ animation, times: times.filter((_, k) => k % step === 0) }));
}

/** The motions of those frames, one per animation. */
export function sampleMotions(asset: Asset, maxFrames: number): Motion[] {
  return listPoseTimes(asset, maxFrames).map(({ animation, times }) => sampleAnimation(asset, animation, times).motion);
}
