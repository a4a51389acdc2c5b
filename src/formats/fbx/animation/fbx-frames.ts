// SPDX-License-Identifier: MIT
// When curves are sampled: at the frames of the file, and at keys between them where the motion would be another without them.
import { slerpInto } from '../../../core/math/quaternion.ts';
import { numberOfFbx } from '../syntax/fbx-node.ts';
import { type FbxObject, numberProperty, propertyOf } from '../syntax/fbx-object.ts';
import type { FbxObjects } from '../syntax/fbx-objects.ts';
import type { FbxAnimated, FbxModelTrack, FbxStack } from './fbx-animation.ts';
import { type FbxCurve, holdsFbxCurve, listFbxJumps, listFbxPairs } from './fbx-curve.ts';

/** Times of samples. */
export interface FbxTimes {
  /** Seconds of the file. */
  absolute: Float64Array;
  /** Seconds from the start. */
  relative: Float64Array;
  /** Whether it is a frame, and not a key between two. */
  onFrame: Uint8Array;
}

/** Frames per second by the file's time mode; 14 is a rate of its own. */
const FRAME_RATES = [30, 120, 100, 60, 50, 48, 30, 30, 29.97, 29.97, 25, 24, 1000, 23.976, 0, 96, 72, 59.94, 119.88];
const CUSTOM_MODE = 14;
const MAX_FRAME_RATE = 240;
/** Sparser keys are poses, not frames. */
const MIN_FRAME_RATE = 10;
/** Tolerance for a key on a frame, in frames. */
const ON_FRAME = 0.02;
/** Rounding of times, seconds, and relative to the time. */
const SAME_TIME = 1e-6;
/** Keys between frames that are sampled at most: per frame, and of an animation with few frames. */
const MAX_BETWEEN = 32;
const MIN_BETWEEN = 4096;
/** Samples in a row that a straight line may replace: each is checked again for every further one. */
const MAX_RUN = 256;

/** Seconds that a jump takes, where other keys of the property are joined by lines. */
const JUMP = 1e-4;

/** Frames of an animation. Longer ones have a pose per key. */
const MAX_FRAMES = 2 ** 16;

/** What a key between frames may change: an angle in radians, a length or scale relative to its range, a percentage. */
const TURN_TOLERANCE = 7e-6;
const LENGTH_TOLERANCE = 5e-6;
const PERCENT_TOLERANCE = 0.0025;

/** Frames per second that a file is made for. */
function frameRateOfFbx({ settings }: FbxObjects): number {
  const mode = numberProperty(settings, 'TimeMode', 0);
  const rate = mode === CUSTOM_MODE ? numberProperty(settings, 'CustomFrameRate', 0) : FRAME_RATES[mode];
  return rate >= 1 ? Math.min(rate, MAX_FRAME_RATE) : FRAME_RATES[0];
}

/**
 * Frames from the start of a stack, or its first key, to the last, at the file's rate, or at that of the keys if they are closer; and keys between
 * them. Undefined without keys.
 */
export function listFbxTimes(objects: FbxObjects, stack: FbxObject, animated: FbxAnimated): FbxTimes | undefined {
  let [first, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let densest: FbxCurve | undefined;
  const keys = new Set<number>();
  const jumps: number[] = [];
  for (const curve of listCurves(animated)) {
    const last = curve.times.length - 1;
    first = Math.min(first, curve.times[0]);
    end = Math.max(end, curve.times[last]);
    if (last >= (densest?.times.length ?? 0)) densest = curve;
    for (const time of curve.times) keys.add(time);
    if (!holdsFbxCurve(curve)) for (const time of listFbxJumps(curve)) jumps.push(time - JUMP);
    for (const time of listFbxPairs(curve)) jumps.push(time);
  }
  if (!(end >= first)) return undefined;
  const start = startOf(objects, stack, first, end);
  const rate = chooseRate(frameRateOfFbx(objects), start, densest);
  const steps = (end - start) * rate;
  if (steps > MAX_FRAMES) return makeTimes([...keys], new Set(keys), start);
  const whole = Math.round(steps);
  // the last frame is the last key, also where the rate does not divide the span
  const count = Math.abs(steps - whole) < 0.05 ? whole + 1 : Math.ceil(steps) + 1;
  const grid = Array.from({ length: count }, (_, k) => (k === count - 1 ? end : start + k / rate));
  const frames = moveToKeys(grid, [...keys], new Set(jumps));
  const sampled = new Set(frames);
  const between = [...keys].filter((time) => time > start && time < end && !sampled.has(time));
  // what holds until a key has its value just before it
  for (const time of new Set(jumps.filter((one) => one > start))) between.push(time);
  const isUsable = between.length <= Math.max(MIN_BETWEEN, MAX_BETWEEN * count);
  return makeTimes(isUsable ? [...frames, ...between] : frames, new Set(frames), start);
}

/** Frames at the keys from which they differ by a rounding of 32-bit numbers: a jump may be between the two. */
function moveToKeys(frames: readonly number[], keys: readonly number[], before: ReadonlySet<number>): number[] {
  const sorted = keys.filter((key) => !before.has(key)).sort((a, b) => a - b);
  let next = 0;
  return frames.map((time) => {
    while (next + 1 < sorted.length && Math.abs(sorted[next + 1] - time) <= Math.abs(sorted[next] - time)) next++;
    const isSame = Math.abs(sorted[next] - time) <= SAME_TIME * Math.max(1, Math.abs(time));
    return isSame ? sorted[next] : time;
  });
}

function* listCurves(animated: FbxAnimated): Generator<FbxCurve> {
  for (const properties of animated.values())
    for (const layers of properties.values())
      for (const { curves } of layers) for (const curve of curves) if (curve) yield curve;
}

/** Where a stack starts, if its first key follows soon; else that key. */
function startOf({ ticksPerSecond }: FbxObjects, stack: FbxObject, first: number, end: number): number {
  const stated = numberOfFbx(propertyOf(stack, 'LocalStart')?.[0]);
  const start = stated === undefined ? Number.NaN : stated / ticksPerSecond;
  return start <= first && first - start <= end - first ? start : first;
}

/** Times as they are sampled, and from zero, where 32-bit floats must tell them apart. */
function makeTimes(times: readonly number[], frames: ReadonlySet<number>, start: number): FbxTimes {
  const sorted = [...times].sort((a, b) => a - b);
  const absolute = Float64Array.from(
    sorted.filter((time, k) => k === 0 || Math.fround(time - start) > Math.fround(sorted[k - 1] - start)),
  );
  return {
    absolute,
    relative: absolute.map((time) => time - start),
    onFrame: Uint8Array.from(absolute, (time) => (frames.has(time) ? 1 : 0)),
  };
}

/** The file's frame rate, or that of the curve with most keys where those are regular and fall between the file's frames. */
function chooseRate(rate: number, start: number, curve: FbxCurve | undefined): number {
  const last = (curve?.times.length ?? 0) - 1;
  if (!curve || last < 1) return rate;
  const { times } = curve;
  const isOn = (step: number, time: number): boolean => {
    const place = (time - start) * step;
    return Math.abs(place - Math.round(place)) < ON_FRAME;
  };
  const own = last / (times[last] - times[0]);
  if (times.every((time) => isOn(rate, time)) || !(own >= MIN_FRAME_RATE && own <= MAX_FRAME_RATE)) return rate;
  const rounded = Math.round(own);
  const found = Math.abs(own - rounded) < 1e-3 * own ? rounded : own;
  if (times.every((time) => isOn(found, time))) return found;
  // a few keys between the frames of the file do not make another rate
  const between = times.reduce((sum, time) => sum + (isOn(rate, time) ? 0 : 1), 0);
  return between > times.length / 2 && last / (times[last] - times[0]) > rate
    ? Math.max(rate, Math.min(MAX_FRAME_RATE, rounded))
    : rate;
}

/** Leaves out what was sampled between frames and lies on straight lines between its neighbours. */
export function thinFbxFrames(stack: FbxStack, onFrame: Uint8Array): FbxStack {
  if (!onFrame.includes(0)) return stack;
  const { times } = stack;
  const checks = [
    ...[...stack.models.values()].map((track) => checkTrack(track, times)),
    ...[...stack.percents].map(([id, values]) => checkList(values, 1, times, PERCENT_TOLERANCE, stack.stepped.has(id))),
  ];
  const kept: number[] = [];
  for (let k = 0; k < times.length; k++) {
    const before = kept.at(-1) ?? 0;
    // the line that would take its place passes all that were left out
    const isBetween = onFrame[k] === 0 && k + 1 < times.length && k - before <= MAX_RUN;
    const left = isBetween ? Array.from({ length: k - before }, (_, n) => k - n) : [];
    if (!isBetween || !left.every((n) => checks.every((check) => check(before, n, k + 1)))) kept.push(k);
  }
  if (kept.length === times.length) return stack;
  const pick = (list: Float64Array, size: number): Float64Array => {
    const out = new Float64Array(size * kept.length);
    kept.forEach((k, at) => {
      out.set(list.subarray(size * k, size * (k + 1)), size * at);
    });
    return out;
  };
  const models = [...stack.models].map(([m, track]): [number, FbxModelTrack] => [
    m,
    {
      ...track,
      translations: pick(track.translations, 3),
      rotations: pick(track.rotations, 4),
      scales: pick(track.scales, 3),
    },
  ]);
  const percents = [...stack.percents].map(([id, values]): [string, Float64Array] => [id, pick(values, 1)]);
  return { ...stack, times: pick(times, 1), models: new Map(models), percents: new Map(percents) };
}

/** Whether a sample may go: what is between two others, where those are joined by a straight line. */
type Check = (before: number, k: number, next: number) => boolean;

function checkTrack(
  { translations, rotations, scales, isMoved, isStepped }: FbxModelTrack,
  times: Float64Array,
): Check {
  const checks: Check[] = [];
  if (isMoved.translation)
    checks.push(checkList(translations, 3, times, toleranceOf(translations), isStepped?.translation));
  if (isMoved.scale) checks.push(checkList(scales, 3, times, toleranceOf(scales), isStepped?.scale));
  if (isMoved.rotation && isStepped?.rotation) checks.push(checkList(rotations, 4, times, TURN_TOLERANCE, true));
  else if (isMoved.rotation) {
    const turn = new Float64Array(4);
    checks.push((before, k, next) => {
      slerpInto(
        rotations,
        rotations,
        (times[k] - times[before]) / (times[next] - times[before]),
        turn,
        4 * before,
        4 * next,
      );
      let [near, far] = [0, 0];
      for (let c = 0; c < 4; c++) {
        near += (turn[c] - rotations[4 * k + c]) ** 2;
        far += (turn[c] + rotations[4 * k + c]) ** 2;
      }
      return 2 * Math.sqrt(Math.min(near, far)) <= TURN_TOLERANCE;
    });
  }
  return (before, k, next) => checks.every((check) => check(before, k, next));
}

function checkList(list: Float64Array, size: number, times: Float64Array, tolerance: number, isStepped = false): Check {
  return (before, k, next) => {
    const ratio = isStepped ? 0 : (times[k] - times[before]) / (times[next] - times[before]);
    for (let c = 0; c < size; c++) {
      const [a, b] = [list[size * before + c], list[size * next + c]];
      if (Math.abs(a + ratio * (b - a) - list[size * k + c]) > tolerance) return false;
    }
    return true;
  };
}

/** A small part of the range of a list. */
function toleranceOf(list: Float64Array): number {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const x of list) {
    low = Math.min(low, x);
    high = Math.max(high, x);
  }
  return LENGTH_TOLERANCE * (high - low);
}
