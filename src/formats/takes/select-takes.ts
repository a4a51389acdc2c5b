// SPDX-License-Identifier: MIT
import { cutTrack } from '../../core/keyframes/cut-track.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { type FrameRange, listFrames } from '../../core/model/clip/select-frames.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { Remark } from '../../core/model/remark.ts';
import { findMotion, listFrameTimes } from '../../deformers/playback/index.ts';
import { changeMotion } from '../gltf/index.ts';

/** Which animations of a character are wanted, and which part of them. */
export interface TakeSelection {
  /** Name or index. Default: all. */
  animation?: string;
  /** Frames at the rate of the keys, from 0. Default: all. */
  frames?: FrameRange;
}

/** The asset with some of its animations, or a part of them that begins at zero. Keys are kept; at the ends of the part there are keys. */
export async function selectTakes(asset: Asset, { animation, frames }: TakeSelection, log?: Remark): Promise<Asset> {
  if (!asset.source || (animation === undefined && frames === undefined)) return asset;
  const chosen = animation === undefined ? asset.animations : [asset.animations[findMotion(asset, animation)]];
  if ((frames?.step ?? 1) !== 1)
    throw new UsageError('--frames', 'keeps keys, so it has no step here; give the first and the last frame, as 10:50');
  const cut = frames ? chosen.map((one) => cutAnimation(one, frames)) : chosen;
  return changeMotion(asset, { animations: cut }, { log });
}

function cutAnimation(animation: Animation, range: FrameRange): Animation {
  const times = listFrameTimes(animation);
  const chosen = listFrames(times.length, range);
  if (chosen.length === times.length) return animation;
  const [start, end] = [times[chosen[0]], times[chosen[chosen.length - 1]]];
  return {
    ...animation,
    duration: end - start,
    tracks: animation.tracks.map((track) => cutTrack(track, start, end)),
  };
}
