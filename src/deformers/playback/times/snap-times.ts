// SPDX-License-Identifier: MIT

/** A frame this close to a key, relative to the interval between frames, and in seconds, is at the key: files round times to milliseconds. */
const SNAP_RATIO = 0.05;
const SNAP_SECONDS = 1e-3;

/**
 * Frame times, with those beside a key moved to it: what a frame shows where the motion jumps must not hang on a rounding.
 * @param keys seconds, ascending
 */
export function snapTimes(times: Float64Array, keys: readonly number[]): Float64Array {
  let next = 0;
  const out = times.map((time, k) => {
    const step = Math.min(
      time - (times[k - 1] ?? Number.NEGATIVE_INFINITY),
      (times[k + 1] ?? Number.POSITIVE_INFINITY) - time,
    );
    while (next + 1 < keys.length && Math.abs(keys[next + 1] - time) <= Math.abs(keys[next] - time)) next++;
    const isBeside = keys.length > 0 && Math.abs(keys[next] - time) <= Math.min(SNAP_SECONDS, SNAP_RATIO * step);
    return isBeside ? keys[next] : time;
  });
  return out;
}
