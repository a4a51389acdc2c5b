// SPDX-License-Identifier: MIT
// What a clip was taken from, so that a result can be compared between the frames with what the input shows there.

import { justBefore, listJumps } from '../../core/keyframes/list-jumps.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { type Clip, frameOf } from '../../core/model/clip/clip.ts';
import { reorderClip } from '../../core/model/clip/reorder-clip.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { bakeAt } from './bake/bake-at.ts';
import { listKeyTimes } from './times/list-frame-times.ts';

/** The animation that shows the frames of a clip, and what is between them. */
export interface ClipSource {
  asset: Asset;
  animation: Animation | undefined;
  /** Seconds from a time of the clip to that of the animation. */
  shift: number;
  /** Default: the one of the asset. */
  deformer?: Deformer;
  /** By vertex of the clip, that of the asset. Default: the same. */
  order?: Uint32Array;
}

/** A clip with its source. Without one, the clip is all there is: its vertices move straight from frame to frame, as caches play. */
export interface PlayedClip {
  clip: Clip;
  source?: ClipSource;
}

/** A clip with its vertices in the order of a file (reorderClip), and its source. */
export function reorderPlayed({ clip, source }: PlayedClip, order: Uint32Array): PlayedClip {
  return { clip: reorderClip(clip, order), ...(source && { source: { ...source, order } }) };
}

/** Times of the keys of a source on the clock of its clip, ascending: where its motion may turn, and both sides of each jump. */
export function listSourceTimes({ animation, shift }: ClipSource): number[] {
  if (!animation) return [];
  const keys = animation.motion ? Array.from(animation.motion.times) : listKeyTimes(animation);
  const jumps = listJumps(animation);
  return [...keys, ...jumps, ...jumps.map(justBefore)].map((time) => time - shift).sort((a, b) => a - b);
}

/** Fills out with the positions of a clip at a time: straight between two frames, still before the first and after the last. */
export function sampleClipInto(clip: Clip, time: number, out: Float32Array): void {
  const { times } = clip;
  const last = times.length - 1;
  let low = 0;
  for (let high = last; low < high; ) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  const next = Math.min(low + 1, last);
  const span = times[next] - times[low];
  const ratio = span > 0 ? Math.min(1, Math.max(0, (time - times[low]) / span)) : 0;
  const [before, after] = [frameOf(clip, low), frameOf(clip, next)];
  for (let c = 0; c < before.length; c++) out[c] = before[c] + ratio * (after[c] - before[c]);
}

/** What a clip was taken from at given times: seconds on the clock of the clip, ascending. */
export function playSource({ clip, source }: PlayedClip, times: Float64Array): Clip {
  const stride = clip.mesh.positions.length;
  if (!source) {
    const positions = new Float32Array(times.length * stride);
    times.forEach((time, k) => {
      sampleClipInto(clip, time, positions.subarray(k * stride, (k + 1) * stride));
    });
    return { ...clip, times, positions };
  }
  const { asset, animation, shift, deformer, order } = source;
  const baked = bakeAt(
    asset,
    animation,
    times.map((time) => time + shift),
    deformer,
  );
  const { positions } = order ? reorderClip(baked, order) : baked;
  return { ...clip, times, positions };
}
