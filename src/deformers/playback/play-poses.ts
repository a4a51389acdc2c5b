// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { joinClips } from '../../core/model/clip/join-clips.ts';
import { bakeAt } from './bake/bake-at.ts';
import type { BakeSide } from './clip-pair.ts';
import type { PoseTimes } from './times/list-pose-times.ts';

/** The animation at the same place in another reading of a file. */
export function sameAnimation(asset: Asset, input: Asset, { animation }: PoseTimes): Animation | undefined {
  return animation && asset.animations[input.animations.indexOf(animation)];
}

/** Poses of an input, played by another asset with the same animations: one clip after the other. */
export function playPoses(asset: Asset, input: Asset, poses: readonly PoseTimes[]): Clip {
  return joinClips(poses.map((pose) => bakeAt(asset, sameAnimation(asset, input, pose), pose.times)));
}

/** The same, evaluated by a function of the caller, such as one that uses several threads. */
export async function playPosesWith(
  bake: BakeSide,
  asset: Asset,
  input: Asset,
  poses: readonly PoseTimes[],
  onProgress: (fraction: number) => void,
): Promise<Clip> {
  const total = poses.reduce((sum, { times }) => sum + times.length, 0);
  const clips: Clip[] = [];
  let done = 0;
  for (const pose of poses) {
    const tell = (fraction: number): void => onProgress((done + fraction * pose.times.length) / total);
    clips.push(await bake(asset, sameAnimation(asset, input, pose), pose.times, tell));
    done += pose.times.length;
    onProgress(done / total);
  }
  return joinClips(clips);
}
