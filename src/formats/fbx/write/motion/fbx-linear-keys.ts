// SPDX-License-Identifier: MIT
// Keys for players that go from key to key in straight lines: three.js and Blender ignore the tangents and steps of FBX curves.
import { sampleTrackInto, sizeOfTrack } from '../../../../core/keyframes/sample-track.ts';
import type { Track } from '../../../../core/model/clip/animation.ts';

/** Keys of a property. */
export interface FbxKeys {
  /** keyCount, seconds, rising */
  times: number[];
  /** keyCount x size */
  values: number[];
  /** Whether a key holds until the next. The last key before a jump has the value before it, for players that know straight lines only. */
  isStepped: boolean;
}

/** Seconds that a jump takes in players without steps, and the same in roundings of the time as a 32-bit number. */
const JUMP = 1e-4;
const JUMP_ROUNDINGS = 4 * 2 ** -23;

/** Distance of a straight line from a spline, relative to the range of its values. */
const SPLINE_TOLERANCE = 5e-6;
/** Halvings of an interval between two keys, and its shortest part in seconds. */
const MAX_HALVINGS = 8;
const SHORTEST = 5e-4;

/** Makes keys of translations, scales or weights. */
export function makeLinearKeys(track: Track): FbxKeys {
  const size = sizeOfTrack(track);
  if (track.interpolation === 'STEP')
    return makeSteps(track.times, (k) => track.values.subarray(size * k, size * (k + 1)));
  if (track.interpolation === 'LINEAR')
    return { times: [...track.times], values: Array.from(track.values), isStepped: false };
  return makeSplineKeys(track, size);
}

/** Makes keys that hold until the next, with one more before each jump. */
export function makeSteps(times: ArrayLike<number>, valuesOf: (key: number) => ArrayLike<number>): FbxKeys {
  const out: FbxKeys = { times: [], values: [], isStepped: true };
  for (let k = 0; k < times.length; k++) {
    const value = Array.from(valuesOf(k));
    if (k > 0) {
      const before = Array.from(valuesOf(k - 1));
      const time = times[k] - Math.max(JUMP, JUMP_ROUNDINGS * times[k]);
      if (time > times[k - 1] && value.some((x, c) => x !== before[c])) {
        out.times.push(time);
        out.values.push(...before);
      }
    }
    out.times.push(times[k]);
    out.values.push(...value);
  }
  return out;
}

/** Straight lines between points of a spline. */
function makeSplineKeys(track: Track, size: number): FbxKeys {
  const { times } = track;
  const valueAt = (time: number): Float64Array => {
    const value = new Float64Array(size);
    sampleTrackInto(track, time, value);
    return value;
  };
  const first = valueAt(times[0]);
  const out: FbxKeys = { times: [times[0]], values: [...first], isStepped: false };
  const tolerance = SPLINE_TOLERANCE * rangeOf(track, size);
  const add = (t0: number, v0: Float64Array, t1: number, left: number): Float64Array => {
    const v1 = valueAt(t1);
    const isStraight = [0.25, 0.5, 0.75].every((ratio) =>
      valueAt(t0 + ratio * (t1 - t0)).every((x, c) => Math.abs(x - v0[c] - ratio * (v1[c] - v0[c])) <= tolerance),
    );
    if (isStraight || left === 0 || t1 - t0 < 2 * SHORTEST) {
      out.times.push(t1);
      out.values.push(...v1);
      return v1;
    }
    const middle = (t0 + t1) / 2;
    return add(middle, add(t0, v0, middle, left - 1), t1, left - 1);
  };
  let last = first;
  for (let k = 1; k < times.length; k++) last = add(times[k - 1], last, times[k], MAX_HALVINGS);
  return out;
}

/** Largest range of the values of an axis, tangents included: they bound how far a spline goes. */
function rangeOf({ values, times }: Track, size: number): number {
  let range = 0;
  for (let c = 0; c < size; c++) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let k = 0; k < times.length; k++) {
      const value = values[(3 * k + 1) * size + c];
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    range = Math.max(range, high - low, SPLINE_TOLERANCE * Math.abs(high));
  }
  return range;
}
