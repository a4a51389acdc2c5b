// SPDX-License-Identifier: MIT
import { isJump, justBefore, listJumps } from '../../core/keyframes/list-jumps.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { listKeyTimes, listSourceTimes, type PlayedClip } from '../../deformers/playback/index.ts';

/** Times closer than this are one, seconds, and relative to the time: files round them to 32 bits. The two keys of a jump are further apart. */
const SAME_TIME = 1e-6;
/** Maximum number of keys that are measured between frames, relative to the number of frames, and at least. Files of motion capture stay below it. */
const MAX_KEYS_RATIO = 6;
const LEAST_KEYS = 400;

/** Where a result is measured besides the frames of its clip. */
export interface BetweenTimes {
  /** Frames, and keys of the source and of the result: seconds, ascending. */
  stops: Float64Array;
  /** What is measured: stops that are no frames, and the middle of each interval between stops. Ascending. */
  times: Float64Array;
}

/**
 * Lists the times between the frames of a clip at which a result is measured: the keys of the source and of the result, both sides of their jumps, and
 * the middle between all of these. Between two stops, neither file has a key.
 */
export function listBetweenTimes({ clip, source }: PlayedClip, result: Animation | undefined): BetweenTimes {
  const frames = clip.times;
  if (frames.length < 2) return { stops: frames, times: new Float64Array(0) };
  const [start, end] = [frames[0], frames[frames.length - 1]];
  const jumps = result ? listJumps(result) : [];
  const keys = [
    ...(source ? listSourceTimes(source) : []),
    ...(result ? listKeyTimes(result) : []),
    ...jumps,
    ...jumps.map(justBefore),
  ].filter((time) => time > start && time < end);
  const stops = mergeTimes(frames, thin(keys, Math.max(LEAST_KEYS, MAX_KEYS_RATIO * frames.length)));
  const times: number[] = [];
  let next = 0;
  stops.forEach((time, n) => {
    if (time === frames[next]) next++;
    else times.push(time);
    if (n + 1 < stops.length && !isJump(time, stops[n + 1])) times.push((time + stops[n + 1]) / 2);
  });
  return { stops, times: Float64Array.from(times) };
}

/** Frames and other times, ascending; a time that is that of a frame is left out. */
function mergeTimes(frames: Float64Array, others: readonly number[]): Float64Array {
  const isFrame = new Set(frames);
  const all = [...frames, ...others].sort((a, b) => a - b);
  const out: number[] = [];
  for (const time of all) {
    const last = out[out.length - 1];
    if (out.length === 0 || time - last > SAME_TIME * Math.max(1, Math.abs(time))) out.push(time);
    else if (isFrame.has(time)) out[out.length - 1] = time;
  }
  return Float64Array.from(out);
}

/** At most this many of a list, evenly. */
function thin(times: readonly number[], most: number): readonly number[] {
  if (times.length <= most) return times;
  const sorted = [...times].sort((a, b) => a - b);
  return Array.from({ length: most }, (_, n) => sorted[Math.floor((n * sorted.length) / most)]);
}
