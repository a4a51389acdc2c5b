// SPDX-License-Identifier: MIT

import type { NamedAsset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { type FrameRange, selectFrames } from '../../core/model/clip/select-frames.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { InputError } from '../../core/model/errors.ts';
import { bakeClip } from './bake-clip.ts';
import { findMotion, listMotions } from './clip-pair.ts';

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

/** Also with another deformer than the file's. */
export interface PlayClipsOptions extends ListClipsOptions {
  deformer?: Deformer;
}

/**
 * Lists all motions of an input as frames of positions: its clips, or its baked animations. With an animation named: only that one.
 * Times start at zero or later, as glTF requires.
 */
export function listClips({ input, asset }: NamedAsset, options: PlayClipsOptions = {}): Clip[] {
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
  return chosen.map((animation) => {
    const clip = bakeClip(asset, {
      ...{ animation, fps: options.rate ?? options.fps },
      ...{ maxMemory: options.maxMemory, deformer: options.deformer },
    });
    return startAtZero(options.frames ? selectFrames(clip, options.frames) : clip);
  });
}

function startAtZero(clip: Clip): Clip {
  const [first = 0] = clip.times;
  return first < 0 ? { ...clip, times: clip.times.map((time) => time - first) } : clip;
}
