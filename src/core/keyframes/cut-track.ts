// SPDX-License-Identifier: MIT
import type { Track } from '../model/clip/animation.ts';
import { sampleTrackInto, sizeOfTrack } from './sample-track.ts';

/**
 * The part of a track from one time to another, which begins at zero. Values between keys are those of the track: at each end a key is added if there is none, and a cubic
 * between two keys gets the slopes that it has there.
 */
export function cutTrack(track: Track, start: number, end: number): Track {
  const { times, interpolation } = track;
  if (times.length === 0) return track;
  const isCubic = interpolation === 'CUBICSPLINE';
  const size = sizeOfTrack(track);
  const stride = isCubic ? 3 * size : size;
  const inner = [...times.keys()].filter((k) => times[k] >= start && times[k] <= end);
  const keys: { time: number; values: Float64Array }[] = inner.map((k) => ({
    time: times[k],
    values: Float64Array.from(track.values.subarray(stride * k, stride * (k + 1))),
  }));
  // before the first key and after the last, it stays
  if (isCubic && start < times[0]) keys[0]?.values.fill(0, 0, size);
  if (isCubic && end > times[times.length - 1]) keys.at(-1)?.values.fill(0, 2 * size);
  if (keys[0]?.time !== start) keys.unshift({ time: start, values: keyAt(track, start, size) });
  // a step before the end holds until then
  if (interpolation !== 'STEP' && end > start && keys.at(-1)?.time !== end)
    keys.push({ time: end, values: keyAt(track, end, size) });
  return {
    ...track,
    times: Float32Array.from(keys, ({ time }) => time - start),
    values: Float32Array.from(keys.flatMap(({ values }) => [...values])),
  };
}

/** A key at any time: the value, for a cubic between its slopes. */
function keyAt(track: Track, time: number, size: number): Float64Array {
  const { times, values, interpolation } = track;
  if (interpolation !== 'CUBICSPLINE') {
    const out = new Float64Array(size);
    sampleTrackInto(track, time, out);
    return out;
  }
  const out = new Float64Array(3 * size);
  let a = 0;
  while (a + 1 < times.length && times[a + 1] <= time) a++;
  const isOutside = time <= times[0] || a + 1 >= times.length;
  if (isOutside) {
    const k = time <= times[0] ? 0 : times.length - 1;
    out.set(values.subarray(3 * size * k + size, 3 * size * k + 2 * size), size);
    return out;
  }
  const span = times[a + 1] - times[a];
  const t = (time - times[a]) / span;
  const from = 3 * size * a;
  const to = from + 3 * size;
  for (let c = 0; c < size; c++) {
    const [p, m] = [values[from + size + c], span * values[from + 2 * size + c]];
    const [q, n] = [values[to + size + c], span * values[to + c]];
    const value = (2 * t ** 3 - 3 * t ** 2 + 1) * p + (t ** 3 - 2 * t ** 2 + t) * m + (3 * t ** 2 - 2 * t ** 3) * q;
    out[size + c] = value + (t ** 3 - t ** 2) * n;
    const slope = (6 * t ** 2 - 6 * t) * (p - q) + (3 * t ** 2 - 4 * t + 1) * m + (3 * t ** 2 - 2 * t) * n;
    out[c] = slope / span;
    out[2 * size + c] = slope / span;
  }
  return out;
}
