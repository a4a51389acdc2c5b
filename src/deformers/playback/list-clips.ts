// SPDX-License-Identifier: MIT

import type { Asset, NamedAsset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { type FrameRange, selectFrames } from '../../core/model/clip/select-frames.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { InputError } from '../../core/model/errors.ts';
import { bakeClip } from './bake/bake-clip.ts';
import { fillClip } from './bake/fill-clip.ts';
import { findMotion, listMotions } from './clip-pair.ts';
import type { PlayedClip } from './clip-source.ts';

export interface ListClipsOptions {
  frames?: FrameRange;
  /** Name, or index as text. */
  animation?: string;
  /** Sampling rate of animations. */
  rate?: number;
  fps?: number;
  /** Maximum bytes of baked frames. */
  maxMemory?: number;
  /** Frames also where the source has keys and jumps that the frames of its rate would miss (fillFrameTimes). Default: no. With a rate: no. */
  filled?: boolean;
}

/** Also with another deformer than the file's. */
export interface PlayClipsOptions extends ListClipsOptions {
  deformer?: Deformer;
}

/**
 * Lists all motions of an input as frames of positions: its clips, or its baked animations. With an animation named: only that one.
 * Times start at zero or later, as glTF requires.
 */
export function listClips(input: NamedAsset, options: PlayClipsOptions = {}): Clip[] {
  return listPlayedClips(input, options).map(({ clip }) => clip);
}

/** The same with the animations that the frames are taken from, which tell what is between them. */
export function listPlayedClips({ input, asset }: NamedAsset, options: PlayClipsOptions = {}): PlayedClip[] {
  if (asset.sequence)
    throw new InputError(
      input,
      `its ${asset.sequence.frames.length} frames have different vertices and faces; make a clip of them with ossify track`,
    );
  const names = listMotions(asset);
  if (names.length === 0)
    throw new InputError(
      input,
      "does not move; give a clip (cloth.abc, rest.obj+motion.pc2), a sequence ('frames/*.obj', a folder) or an animated glTF",
    );
  const chosen = options.animation === undefined ? names.map((_, n) => n) : [findMotion(asset, options.animation)];
  return chosen.map((index) => playClip(asset, index, options));
}

function playClip(asset: Asset, index: number, { frames, rate, fps, ...options }: PlayClipsOptions): PlayedClip {
  const { maxMemory, deformer, filled } = options;
  const grid = bakeClip(asset, { animation: index, fps: rate ?? fps, frames, maxMemory, deformer });
  if (asset.clips.length > 0) return { clip: startAtZero(frames ? selectFrames(grid, frames) : grid) };
  const animation = asset.animations[index];
  const isFilled = filled && rate === undefined && fps === undefined && (frames?.step ?? 1) === 1;
  const clip = isFilled ? fillClip(asset, animation, grid, { maxMemory, deformer }) : grid;
  const started = startAtZero(clip);
  const shift = clip.times.length > 0 ? clip.times[0] - started.times[0] : 0;
  return { clip: started, source: { asset, animation, shift, deformer } };
}

function startAtZero(clip: Clip): Clip {
  const [first = 0] = clip.times;
  return first < 0 ? { ...clip, times: clip.times.map((time) => time - first) } : clip;
}
