// SPDX-License-Identifier: MIT
// Interpolation as glTF 2.0, Appendix C, defines it.
import { normalizeQuaternion, slerpInto } from '../math/quaternion.ts';
import type { Track } from '../model/clip/animation.ts';

/** Numbers per key of a track (3, 4, or the number of morph weights of its node). */
export function sizeOfTrack(track: Track): number {
  const perKey = track.times.length === 0 ? 0 : track.values.length / track.times.length;
  return Math.floor(track.interpolation === 'CUBICSPLINE' ? perKey / 3 : perKey);
}

/**
 * Value of a track at a time, clamped outside its keys. Rotations are interpolated along the shorter arc and have unit length.
 * A track without keys does not write `out`.
 */
export function sampleTrackInto(track: Track, time: number, out: Float64Array, outOffset = 0): void {
  const { times, values, interpolation } = track;
  const keyCount = times.length;
  const size = sizeOfTrack(track);
  if (size === 0) return;
  const isCubic = interpolation === 'CUBICSPLINE';
  const stride = isCubic ? 3 * size : size;
  const value = isCubic ? size : 0; // offset of the value within a key
  const isRotation = track.path === 'rotation';

  const a = findKey(times, time);
  const b = Math.min(a + 1, keyCount - 1);
  const span = times[b] - times[a];
  const from = a * stride + value;
  const to = b * stride + value;
  const ratio = span > 0 ? Math.min(1, Math.max(0, (time - times[a]) / span)) : 0;
  if (interpolation === 'STEP' || ratio === 0 || ratio === 1) {
    const source = ratio === 1 ? to : from;
    for (let c = 0; c < size; c++) out[outOffset + c] = values[source + c];
  } else if (isCubic) {
    // Hermite basis; tangents are per second, so they are scaled by the key spacing.
    const t2 = ratio * ratio,
      t3 = t2 * ratio;
    const h00 = 2 * t3 - 3 * t2 + 1,
      h10 = (t3 - 2 * t2 + ratio) * span,
      h01 = -2 * t3 + 3 * t2,
      h11 = (t3 - t2) * span;
    const outTangent = a * stride + 2 * size;
    const inTangent = b * stride;
    for (let c = 0; c < size; c++) {
      out[outOffset + c] =
        h00 * values[from + c] + h10 * values[outTangent + c] + h01 * values[to + c] + h11 * values[inTangent + c];
    }
  } else if (isRotation) {
    slerpInto(values, values, ratio, out, from, to, outOffset);
  } else {
    for (let c = 0; c < size; c++) out[outOffset + c] = values[from + c] + ratio * (values[to + c] - values[from + c]);
  }
  // A spline through zero has no rotation there; use the identity.
  if (isRotation) normalizeQuaternion(out, out, outOffset, outOffset);
}

/** The last key at or before the time; 0 before the first. */
function findKey(times: Float32Array, time: number): number {
  let low = 0,
    high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
