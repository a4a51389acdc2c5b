// SPDX-License-Identifier: MIT
import { bakeClip } from '../deform/bake-clip.ts';
import type { Clip } from '../model/clip.ts';
import { findMotion, listMotions } from '../recipe/clip-pair.ts';
import { FrameRangeError, selectFrames } from '../recipe/select-frames.ts';
import type { FrameOptions } from './clip-options.ts';
import { faultOf, JobError, UsageError } from './exit-status.ts';
import type { OpenedInput } from './open-input.ts';

/**
 * Everything that an input plays, as frames of positions: its clips, or its animations baked; one of them where --animation
 * says which. Times do not start before zero, as glTF wants it.
 */
export function listClips({ input, asset }: OpenedInput, options: FrameOptions): Clip[] {
  const names = listMotions(asset);
  if (names.length === 0) {
    throw new JobError(
      `${input}: does not move; give a clip (rest.obj+motion.pc2), a sequence ('frames/*.obj') or an animated glTF`,
    );
  }
  const chosen = options.animation === undefined ? names.map((_, n) => n) : [findClip(input, asset, options.animation)];
  return chosen.map((animation) => {
    const clip = bake(input, asset, animation, options.rate ?? options.fps);
    return startAtZero(select(clip, options));
  });
}

function findClip(input: string, asset: OpenedInput['asset'], animation: string): number {
  try {
    return findMotion(asset, animation);
  } catch (error) {
    throw new UsageError(`${input}: ${(error as Error).message}`, { cause: error });
  }
}

function bake(input: string, asset: OpenedInput['asset'], animation: number, fps: number | undefined): Clip {
  try {
    return bakeClip(asset, { animation, fps });
  } catch (error) {
    throw new JobError(`${input}: ${faultOf(error as Error)}`, { cause: error });
  }
}

function select(clip: Clip, { frames }: FrameOptions): Clip {
  try {
    return frames ? selectFrames(clip, frames) : clip;
  } catch (error) {
    if (!(error instanceof FrameRangeError)) throw error;
    throw new UsageError(`--frames: ${faultOf(error)}`, { cause: error });
  }
}

function startAtZero(clip: Clip): Clip {
  const [first = 0] = clip.times;
  return first < 0 ? { ...clip, times: clip.times.map((time) => time - first) } : clip;
}
