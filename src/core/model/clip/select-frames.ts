// SPDX-License-Identifier: MIT

import { UsageError } from '../errors.ts';
import { type Clip, frameCountOf, frameOf } from './clip.ts';

/** A range of frames, from 0; both ends are included. */
export interface FrameRange {
  first?: number;
  last?: number;
  step?: number;
}

/** The frames first, first + step … of a range. */
export interface FrameSpan {
  first: number;
  step: number;
  count: number;
}

/**
 * The frames of a range, without a list. It may end after the last frame; throws a UsageError when it starts there.
 * @param option the option that the range comes from, for the error
 */
export function spanOf(frameCount: number, range: FrameRange = {}, option = '--frames'): FrameSpan {
  const { first = 0, step = 1 } = range;
  const last = Math.min(range.last ?? frameCount - 1, frameCount - 1);
  if (first > last) throw new UsageError(option, `frame ${first} does not exist; the last frame is ${frameCount - 1}`);
  return { first, step, count: Math.floor((last - first) / step) + 1 };
}

/** The frames of a range, as spanOf. */
export function listFrames(frameCount: number, range?: FrameRange, option?: string): number[] {
  const { first, step, count } = spanOf(frameCount, range, option);
  return Array.from({ length: count }, (_, n) => first + n * step);
}

/** The frames of a clip that a range names, as a clip whose times are kept. */
export function selectFrames(clip: Clip, range: FrameRange): Clip {
  const frames = listFrames(frameCountOf(clip), range);
  const count = frames.length;
  if (count === frameCountOf(clip)) return clip;
  const stride = clip.mesh.positions.length;
  const [first] = frames;
  if ((range.step ?? 1) === 1) {
    return {
      ...clip,
      positions: clip.positions.subarray(first * stride, (first + count) * stride),
      times: clip.times.slice(first, first + count),
    };
  }
  const positions = new Float32Array(count * stride);
  const times = new Float64Array(count);
  for (const [n, k] of frames.entries()) {
    positions.set(frameOf(clip, k), n * stride);
    times[n] = clip.times[k];
  }
  return { ...clip, positions, times };
}
