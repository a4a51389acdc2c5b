// SPDX-License-Identifier: MIT
// Keys of an animation as samples of USD, which are linear in between; rotations go along the shorter arc. Keys of LINEAR tracks are exact samples. A jump is two
// samples: at its key, and at the 32-bit number before it; splines get as many as their tolerance needs.
import { sampleTrackInto, sizeOfTrack } from '../../../../core/keyframes/sample-track.ts';
import { slerpInto } from '../../../../core/math/quaternion.ts';
import type { Track } from '../../../../core/model/clip/animation.ts';

/** Halvings of the time between two keys of a spline. */
const MAX_HALVINGS = 12;
/**
 * Times at which tracks need samples, rising.
 * @param toleranceOf maximum error of values between samples
 */
export function listUsdSampleTimes(tracks: readonly Track[], toleranceOf: (track: Track) => number): number[] {
  const times = new Set<number>();
  for (const track of tracks) {
    for (const time of track.times) times.add(time);
    if (track.interpolation === 'CUBICSPLINE')
      for (const time of listSplineTimes(track, toleranceOf(track))) times.add(time);
    if (track.interpolation !== 'STEP') continue;
    const size = sizeOfTrack(track);
    for (let k = 1; k < track.times.length; k++)
      if (!isSameKey(track.values, k, size)) times.add(floatBefore(track.times[k]));
  }
  return [...times].sort((a, b) => a - b);
}

/** The largest 32-bit number below a positive one. */
function floatBefore(time: number): number {
  const bits = new Uint32Array(Float32Array.of(time).buffer);
  bits[0]--;
  return new Float32Array(bits.buffer)[0];
}

function isSameKey(values: Float32Array, k: number, size: number): boolean {
  for (let c = 0; c < size; c++) if (values[k * size + c] !== values[(k - 1) * size + c]) return false;
  return true;
}

/** Times between the keys of a spline from which it differs by at most the tolerance if the values between are linear. */
function listSplineTimes(track: Track, tolerance: number): number[] {
  const size = sizeOfTrack(track);
  const out: number[] = [];
  const read = (time: number): Float64Array => {
    const value = new Float64Array(Math.max(4, size));
    sampleTrackInto(track, time, value);
    return value;
  };
  const isStraight = (from: number, to: number, a: Float64Array, b: Float64Array): boolean =>
    [0.25, 0.5, 0.75].every((ratio) => {
      const value = read(from + ratio * (to - from));
      const line = mix(a, b, ratio, track.path === 'rotation');
      return differenceOf(value, line, track.path === 'rotation') <= tolerance;
    });
  for (let k = 0; k + 1 < track.times.length; k++) {
    const stack = [{ from: track.times[k], to: track.times[k + 1], depth: 0 }];
    for (let span = stack.pop(); span; span = stack.pop()) {
      const { from, to, depth } = span;
      if (depth >= MAX_HALVINGS || isStraight(from, to, read(from), read(to))) continue;
      const middle = (from + to) / 2;
      out.push(middle);
      stack.push({ from, to: middle, depth: depth + 1 }, { from: middle, to, depth: depth + 1 });
    }
  }
  return out;
}

function mix(a: Float64Array, b: Float64Array, ratio: number, isRotation: boolean): Float64Array {
  const out = new Float64Array(a.length);
  if (isRotation) slerpInto(a, b, ratio, out);
  else for (let c = 0; c < a.length; c++) out[c] = a[c] + ratio * (b[c] - a[c]);
  return out;
}

/** The largest difference of numbers; of rotations, the angle. */
function differenceOf(a: Float64Array, b: Float64Array, isRotation: boolean): number {
  if (!isRotation) return a.reduce((most, x, c) => Math.max(most, Math.abs(x - b[c])), 0);
  const near = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]);
  const far = Math.hypot(a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]);
  return 2 * Math.min(near, far);
}
