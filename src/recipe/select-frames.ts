// SPDX-License-Identifier: MIT
import { type Clip, frameCountOf, frameOf } from '../model/clip.ts';

/** A run of frames, counted from 0; both ends are included. */
export interface FrameRange {
  first?: number;
  last?: number;
  step?: number;
}

/** The frames of a clip that a range names, as a clip whose times are kept. Throws when the range misses the clip. */
export function selectFrames(clip: Clip, range: FrameRange): Clip {
  const frameCount = frameCountOf(clip);
  const { first = 0, step = 1 } = range;
  const last = Math.min(range.last ?? frameCount - 1, frameCount - 1);
  if (first > last) {
    throw new Error(
      `selectFrames: frame ${first} does not exist, the last of the clip "${clip.name}" is ${frameCount - 1}`,
    );
  }
  const count = Math.floor((last - first) / step) + 1;
  if (count === frameCount) return clip;
  const stride = clip.mesh.positions.length;
  if (step === 1) {
    return {
      ...clip,
      positions: clip.positions.subarray(first * stride, (last + 1) * stride),
      times: clip.times.slice(first, last + 1),
    };
  }
  const positions = new Float32Array(count * stride);
  const times = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    positions.set(frameOf(clip, first + k * step), k * stride);
    times[k] = clip.times[first + k * step];
  }
  return { ...clip, positions, times };
}
