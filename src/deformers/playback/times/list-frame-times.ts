// SPDX-License-Identifier: MIT

import type { Animation, Track } from '../../../core/model/clip/animation.ts';
import { type FrameRange, spanOf } from '../../../core/model/clip/select-frames.ts';
import { InputError, UsageError } from '../../../core/model/errors.ts';
import { checkMemory } from '../check-memory.ts';

/** Frame rate if the keys have none. */
const DEFAULT_FPS = 30;
/** Tolerance for regular keys, seconds (files round to milliseconds). */
const STEADY_SECONDS = 1e-3;
/** The same, relative to a step, so that fast keys have a tighter tolerance. */
const STEADY_RATIO = 0.05;
/** Slower keys are poses, not frames: each step is then divided evenly. */
const SLOWEST_FRAME_RATE = 10;
const FASTEST_FRAME_RATE = 240;
/** Keys closer than this, relative to the largest time, are merged: single precision resolves a tenth of it. */
const SAME_TIME = 1e-6;

/** More frames than this are baked without a rate only if there are this many keys for them: a small file can have its last key at any time. Not tuned. */
const MAX_FREE_FRAMES = 10_000;
const MAX_FRAMES_PER_KEY = 100;

export interface FrameTimesOptions {
  fps?: number;
  keys?: boolean;
  start?: number;
  end?: number;
  /** The frames to list. Default: all. */
  frames?: FrameRange;
  /** Bytes that are needed per frame, besides its time. Default: 0. */
  bytesPerFrame?: number;
  /** Maximum bytes for all frames. Default: DEFAULT_MAX_MEMORY. */
  maxMemory?: number;
}

/** Of a frame's time itself. */
const BYTES_PER_TIME = 8;

/**
 * The frame times of an animation in seconds, ascending: a constant rate from start to end, both included (the last step is shorter
 * if the rate does not divide the span), or the times of the keys. Throws an InputError before it allocates more than the limit, and
 * for very many frames of few keys if no rate is given and frames take memory.
 */
export function listFrameTimes(animation: Animation, options: FrameTimesOptions = {}): Float64Array {
  const plan = planFrames(animation, options);
  const { bytesPerFrame = 0, maxMemory } = options;
  const { first, step, count: frameCount } = spanOf(plan.frameCount, options.frames);
  const work = `${frameCount} frames of ${describeSpan(plan)}`;
  checkMemory(work, frameCount * (BYTES_PER_TIME + bytesPerFrame), maxMemory, 'use a lower frame rate (--rate)');
  if (options.fps === undefined && bytesPerFrame > 0 && frameCount > MAX_FREE_FRAMES)
    checkDensity(animation, work, frameCount);
  const { keys } = plan;
  if (keys) return Float64Array.from({ length: frameCount }, (_, n) => keys[first + n * step]);
  const times = Float64Array.from({ length: frameCount }, (_, n) => plan.start + (first + n * step) / plan.fps);
  if (first + (frameCount - 1) * step === plan.frameCount - 1) times[frameCount - 1] = plan.end;
  return times;
}

/** The number of frames that listFrameTimes lists, without the list. */
export function countFrames(animation: Animation, options: FrameTimesOptions = {}): number {
  return spanOf(planFrames(animation, options).frameCount, options.frames).count;
}

interface FramePlan {
  start: number;
  end: number;
  fps: number;
  frameCount: number;
  /** The times, if they are those of keys. */
  keys?: readonly number[];
}

function planFrames(animation: Animation, options: FrameTimesOptions): FramePlan {
  const start = options.start ?? 0;
  const end = options.end ?? Math.max(animation.duration, start);
  if (!Number.isFinite(start) || !Number.isFinite(end) || end < start) {
    throw new InputError('bake', `start must not be after end, got ${start} s to ${end} s`);
  }
  if (options.keys) {
    const inside = listKeyTimes(animation).filter((time) => time >= start && time <= end);
    const keys = inside.length === 0 ? [start] : inside;
    return { start, end, fps: Number.NaN, frameCount: keys.length, keys };
  }
  const fps = options.fps ?? detectFrameRate(animation);
  if (!(fps > 0 && Number.isFinite(fps))) throw new UsageError('bake', `fps must be a positive number, got ${fps}`);
  const steps = (end - start) * fps;
  // With a tolerance: 1.6666666 s at 30 frames per second are 50 steps.
  const whole = Math.floor(steps + STEADY_RATIO);
  const hasRemainder = steps - whole > STEADY_RATIO;
  return { start, end, fps, frameCount: whole + 1 + (hasRemainder ? 1 : 0) };
}

/** Throws for keys that are so far apart that frames between them are probably not wanted. */
function checkDensity(animation: Animation, work: string, frameCount: number): void {
  const keyCount = listKeyTimes(animation).length;
  if (frameCount <= MAX_FRAMES_PER_KEY * keyCount) return;
  throw new InputError(
    'bake',
    `${work} are too many for keys at ${keyCount} times; use some of them (--frames 0:1000), or set a rate (--rate)`,
  );
}

function describeSpan({ start, end, fps, keys }: FramePlan): string {
  const span = `${Number((end - start).toPrecision(6))} s`;
  return keys ? span : `${span} at ${Number(fps.toPrecision(4))} frames per second`;
}

/** Times of all keys of all tracks, ascending, each once (equal to a millionth of the duration). */
export function listKeyTimes(animation: Animation): number[] {
  const lists = listDistinctTimes(animation);
  const count = lists.reduce((sum, times) => sum + times.length, 0);
  const all = new Float64Array(count);
  let o = 0;
  for (const times of lists) {
    all.set(times, o);
    o += times.length;
  }
  all.sort();
  const same = SAME_TIME * Math.max(Math.abs(all[0] ?? 0), Math.abs(all[count - 1] ?? 0));
  const times: number[] = [];
  for (const time of all) {
    if (times.length === 0 || time - times[times.length - 1] > same) times.push(time);
  }
  return times;
}

/** Times of the tracks, without those that equal the times of the track before: most files key all joints at the same times. */
function listDistinctTimes({ tracks }: Animation): Track['times'][] {
  return tracks.flatMap(({ times }, t) => (t > 0 && isEqual(times, tracks[t - 1].times) ? [] : [times]));
}

function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) if (a[k] !== b[k]) return false;
  return true;
}

/** Frames per second of an animation's keys if they are regular, otherwise 30. */
export function detectFrameRate(animation: Animation): number {
  const times = listKeyTimes(animation);
  const span = times.length > 1 ? times[times.length - 1] - times[0] : 0;
  if (!(span > 0)) return DEFAULT_FPS;
  let smallest = span;
  for (let n = 1; n < times.length; n++) smallest = Math.min(smallest, times[n] - times[n - 1]);
  // Rounded keys make the smallest gap a poor step: refine it over longer and longer runs of keys.
  let step = smallest;
  for (let n = 1; n < times.length; n++) {
    const run = times[n] - times[0];
    step = run / Math.max(1, Math.round(run / step));
  }
  const tolerance = Math.min(STEADY_SECONDS, STEADY_RATIO * step);
  for (const time of times) {
    const place = (time - times[0]) / step;
    if (Math.abs(place - Math.round(place)) * step > tolerance) return DEFAULT_FPS;
  }
  const rate = 1 / step;
  if (rate > FASTEST_FRAME_RATE) return DEFAULT_FPS;
  const beats = rate < SLOWEST_FRAME_RATE ? Math.ceil(DEFAULT_FPS / rate) : 1;
  const fps = rate * beats;
  // Times in single precision give 29.99998; round to 30 (but keep 29.97).
  const rounded = Math.round(fps);
  return Math.abs(fps - rounded) <= 2e-4 * fps ? rounded : fps;
}
