// SPDX-License-Identifier: MIT
// Frames at a constant rate miss what happens between them: keys at uneven times, STEP keys, splines. Here frames are added where the motion that the keys at the frames
// alone would make differs from that of the file. Where an animation has no key between its frames and no spline, nothing is evaluated.

import { isJump, justBefore, listJumps } from '../../../core/keyframes/list-jumps.ts';
import { sampleTrackInto, sizeOfTrack } from '../../../core/keyframes/sample-track.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../../core/model/asset.ts';
import type { Animation, Track } from '../../../core/model/clip/animation.ts';
import { type Clip, frameOf } from '../../../core/model/clip/clip.ts';
import type { Deformer } from '../../../core/model/deformed/deformer.ts';
import { checkMemory } from '../check-memory.ts';
import { listKeyTimes } from '../times/list-frame-times.ts';
import { snapTimes } from '../times/snap-times.ts';
import { bakeAt } from './bake-at.ts';

/** A frame is added where vertices would be off by more than this, relative to the box diagonal. */
const MAX_DEVIATION = 5e-4;
/** Maximum number of added frames, relative to the frames that there are, and at least: a few seconds of uneven keys. */
const MAX_ADDED_RATIO = 1;
const LEAST_ADDED = 64;
/** Each round halves the intervals that miss something. */
const ROUNDS = 6;
/** Keys between two frames that are tried in one round. */
const TRIED = 6;
export interface FillOptions {
  /** Maximum bytes of the frames. */
  maxMemory?: number;
  deformer?: Deformer;
}

/** A clip of an animation with frames added where those of its rate miss something. Frames beside a key are moved to it. */
export function fillClip(asset: Asset, animation: Animation, grid: Clip, options: FillOptions = {}): Clip {
  const times = fillTimes(asset, animation, grid, options.deformer);
  if (times.length === grid.times.length && times.every((time, k) => time === grid.times[k])) return grid;
  const bytes = times.length * 4 * asset.mesh.positions.length;
  checkMemory(`${times.length} frames at keys and jumps`, bytes, options.maxMemory, 'use a lower frame rate (--rate)');
  return { ...bakeAt(asset, animation, times, options.deformer), mesh: grid.mesh };
}

/**
 * Frame times of an animation: those of a clip, moved to keys beside them, with others where the motion between them is not what keys at the frames would make.
 * @param grid frames at a constant rate
 */
export function fillTimes(asset: Asset, animation: Animation, grid: Clip, deformer?: Deformer): Float64Array {
  if (grid.times.length < 2 || animation.motion) return grid.times;
  const keys = listKeyTimes(animation);
  const jumps = listJumps(animation);
  const stops = [...new Set([...keys, ...jumps, ...jumps.map(justBefore)])].sort((a, b) => a - b);
  const isCurved = animation.tracks.some(({ interpolation }) => interpolation === 'CUBICSPLINE');
  let times = snapTimes(grid.times, keys);
  const most = times.length + Math.max(LEAST_ADDED, MAX_ADDED_RATIO * times.length);
  const limit = MAX_DEVIATION * measureBounds(asset.mesh.positions).diagonal;
  let fresh: ReadonlySet<number> = new Set(times);
  for (let round = 0; round < ROUNDS && times.length < most; round++) {
    const tried = listTrials(times, fresh, stops, isCurved);
    if (tried.length === 0) break;
    const deviations = measureDeviations(asset, animation, times, tried, deformer);
    const added = chooseAdded(times, tried, deviations, limit).slice(0, most - times.length);
    fresh = new Set(added.flatMap((time) => [time, ...listPartners(stops, time)]));
    times = Float64Array.from(new Set([...times, ...fresh])).sort();
  }
  return times;
}

/** The other side of a jump. */
function listPartners(stops: readonly number[], time: number): number[] {
  return stops.filter((stop) => stop !== time && isJump(Math.min(stop, time), Math.max(stop, time)));
}

/**
 * Times to try between frames: keys and both sides of jumps, and where there are splines, the middle.
 * @param fresh frames that are new: only intervals beside them are tried
 */
function listTrials(
  times: Float64Array,
  fresh: ReadonlySet<number>,
  stops: readonly number[],
  isCurved: boolean,
): number[] {
  const tried: number[] = [];
  let next = 0;
  for (let k = 0; k + 1 < times.length; k++) {
    const [a, b] = [times[k], times[k + 1]];
    if (isJump(a, b) || !(fresh.has(a) || fresh.has(b))) continue;
    while (next < stops.length && stops[next] <= a) next++;
    const inside: number[] = [];
    for (; next < stops.length && stops[next] < b; next++) inside.push(stops[next]);
    const step = Math.max(1, inside.length / TRIED);
    for (let n = 0; n < inside.length; n += step) tried.push(inside[Math.floor(n)]);
    if (isCurved && inside.length === 0) tried.push((a + b) / 2);
  }
  return tried;
}

/** The largest distance at each time between the file and its keys at the frames alone. */
function measureDeviations(
  asset: Asset,
  animation: Animation,
  times: Float64Array,
  tried: readonly number[],
  deformer?: Deformer,
): Float64Array {
  const at = Float64Array.from(tried);
  const own = bakeAt(asset, animation, at, deformer);
  const framed = { ...animation, tracks: animation.tracks.map((track) => keyAt(track, times)) };
  const animations = asset.animations.map((one) => (one === animation ? framed : one));
  const other = bakeAt({ ...asset, animations }, framed, at, deformer);
  return at.map((_, k) => {
    const [a, b] = [frameOf(own, k), frameOf(other, k)];
    let largest = 0;
    for (let c = 0; c < a.length; c += 3) {
      const [x, y, z] = [a[c] - b[c], a[c + 1] - b[c + 1], a[c + 2] - b[c + 2]];
      largest = Math.max(largest, x * x + y * y + z * z);
    }
    return Math.sqrt(largest);
  });
}

/** A track with linear keys at some times. */
function keyAt(track: Track, times: Float64Array): Track {
  const size = sizeOfTrack(track);
  const values = new Float64Array(times.length * size);
  if (size > 0) for (let k = 0; k < times.length; k++) sampleTrackInto(track, times[k], values, k * size);
  return { ...track, interpolation: 'LINEAR', times: Float32Array.from(times), values: Float32Array.from(values) };
}

/** Of the times tried between two frames, the one with the largest deviation, if it is above the limit; the largest first. */
function chooseAdded(times: Float64Array, tried: readonly number[], deviations: Float64Array, limit: number): number[] {
  const best = new Map<number, number>();
  let k = 0;
  tried.forEach((time, n) => {
    while (k + 1 < times.length && times[k + 1] <= time) k++;
    const known = best.get(k);
    if (deviations[n] > limit && (known === undefined || deviations[n] > deviations[known])) best.set(k, n);
  });
  return [...best.values()].sort((a, b) => deviations[b] - deviations[a]).map((n) => tried[n]);
}
