// SPDX-License-Identifier: MIT
import { bakeClip } from '../deform/bake-clip.ts';
import type { Clip } from '../model/clip.ts';
import { InputError } from '../model/errors.ts';
import { findMotion, listMotions } from './clip-pair.ts';
import type { OpenedInput } from './job.ts';
import { type FrameRange, selectFrames } from './select-frames.ts';

export interface ListClipsOptions {
  frames?: FrameRange;
  /** Name, or index as text. */
  animation?: string;
  /** Sampling rate of animations. */
  rate?: number;
  fps?: number;
  /** Maximum bytes of baked frames. */
  maxMemory?: number;
}

/**
 * Everything that an input plays, as frames of positions: its clips, or its animations baked; one of them where an animation is named.
 * Times start at zero or later, as glTF requires.
 */
export function listClips({ input, asset }: OpenedInput, options: ListClipsOptions = {}): Clip[] {
  const names = listMotions(asset);
  if (names.length === 0)
    throw new InputError(
      input,
      "does not move; give a clip (rest.obj+motion.pc2), a sequence ('frames/*.obj') or an animated glTF",
    );
  const chosen = options.animation === undefined ? names.map((_, n) => n) : [findMotion(asset, options.animation)];
  return chosen.map((animation) => {
    const clip = bakeClip(asset, { animation, fps: options.rate ?? options.fps, maxMemory: options.maxMemory });
    return startAtZero(options.frames ? selectFrames(clip, options.frames) : clip);
  });
}

function startAtZero(clip: Clip): Clip {
  const [first = 0] = clip.times;
  return first < 0 ? { ...clip, times: clip.times.map((time) => time - first) } : clip;
}
