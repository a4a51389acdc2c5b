// SPDX-License-Identifier: MIT

import type { Animation } from '../model/animation.ts';
import type { Asset } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { joinClips } from '../model/join-clips.ts';
import { bakeAt } from './bake-at.ts';
import type { PoseTimes } from './list-pose-times.ts';

/** The animation at the same place in another reading of a file. */
export function sameAnimation(asset: Asset, input: Asset, { animation }: PoseTimes): Animation | undefined {
  return animation && asset.animations[input.animations.indexOf(animation)];
}

/** Poses of an input, played by another asset with the same animations: one clip after the other. */
export function playPoses(asset: Asset, input: Asset, poses: readonly PoseTimes[]): Clip {
  return joinClips(poses.map((pose) => bakeAt(asset, sameAnimation(asset, input, pose), pose.times)));
}
