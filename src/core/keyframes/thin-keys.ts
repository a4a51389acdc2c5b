// SPDX-License-Identifier: MIT
// Finds the fewest keys for a motion within a tolerance. Kept keys are not changed, so a choice of keys is a path from the first to the last key. A step is
// allowed if the LINEAR interpolation of glTF is within tolerance of every key that it skips. The fewest keys are the shortest path:
// a breadth-first search, where level L has the keys that L steps reach. A longer step may be allowed when a shorter one is not, so
// the search looks some distance beyond the furthest key before it ends a level (a greedy furthest step would miss those).

import { normalizeQuaternion } from '../math/quaternion.ts';
import { sineOf } from '../math/sine.ts';

/** Keys of one property of one node, with linear interpolation. */
export interface KeyTrack {
  path: 'translation' | 'rotation' | 'scale';
  /** keyCount, seconds, ascending */
  times: ArrayLike<number>;
  /** keyCount x 3, or x 4 for rotations (x y z w, signs continuous) */
  values: Float32Array;
}

export interface ThinKeysOptions {
  /** Effect of an error in file units: a factor for translations; for rotations (per radian) and scales, the distance of the moved points. Default 1. */
  reach?: number | ArrayLike<number>;
  /** Keys up to this one are all kept. Default 0. */
  from?: number;
}

export const THIN_KEYS_DEFAULTS: Required<ThinKeysOptions> = { reach: 1, from: 0 };

/** Maximum step in keys. It limits the search on long tracks with little motion to some hundred tests per key. */
const LONGEST_STEP = 512;

/** Distance that a level looks beyond the furthest key: a number of keys, plus a ratio of the length of the level. */
const LOOK_AHEAD = 8;
const LOOK_AHEAD_RATIO = 0.5;

/**
 * Minimum dot product of the quaternions of a step that skips keys: a rotation of 120°. Close to 180°, rounding decides the direction of
 * rotation of a reader.
 */
const MIN_DOT = 0.5;

/**
 * Chooses keys such that interpolation between them is within tolerance of every removed key. The first and the last are kept.
 * Returns their indices, ascending.
 * @param tolerance file units, for all keys or one for each; an error e of key k is e x reach(k) long: a distance, an angle, or the largest |Δs|
 */
export function thinKeys(
  track: KeyTrack,
  tolerance: number | ArrayLike<number>,
  options: ThinKeysOptions = {},
): Uint32Array {
  const keyCount = track.times.length;
  const from = Math.min(options.from ?? THIN_KEYS_DEFAULTS.from, keyCount - 1);
  if (keyCount < 3) return Uint32Array.from({ length: keyCount }, (_, k) => k);
  const meter = makeStepMeter(track);
  const allowed = meter.limitsOf(allowedErrors(keyCount, tolerance, options.reach ?? THIN_KEYS_DEFAULTS.reach));

  /** By key: the previous key on the path; -1 if it is not reached yet. */
  const cameFrom = new Int32Array(keyCount).fill(-1);
  /** By key: the key at which its last step failed, which is tested first next time. */
  const failedAt = new Int32Array(keyCount).fill(-1);
  const holds = (a: number, b: number): boolean => {
    if (b - a === 1) return true;
    if (!meter.aim(a, b)) return false;
    const hint = failedAt[a];
    if (hint > a && hint < b && !(meter.errorAt(hint) <= allowed[hint])) return false;
    // Usually the middle of a step fails first.
    for (let n = 0, k = (a + b) >> 1; n < b - a - 1; n++, k = k + 1 < b ? k + 1 : a + 1) {
      if (meter.errorAt(k) <= allowed[k]) continue;
      failedAt[a] = k;
      return false;
    }
    return true;
  };

  let level = [from];
  while (cameFrom[keyCount - 1] < 0 && from < keyCount - 1) {
    const next: number[] = [];
    let furthest = level[level.length - 1];
    for (let b = level[0] + 1; b < keyCount; b++) {
      if (b - furthest > LOOK_AHEAD + LOOK_AHEAD_RATIO * (furthest - level[0])) break;
      if (cameFrom[b] >= 0) continue;
      for (let n = level.length - 1; n >= 0 && b - level[n] <= LONGEST_STEP; n--) {
        if (level[n] >= b || !holds(level[n], b)) continue;
        cameFrom[b] = level[n];
        next.push(b);
        furthest = Math.max(furthest, b);
        break;
      }
    }
    level = next;
  }

  const kept: number[] = [];
  for (let k = keyCount - 1; k > from; k = cameFrom[k]) kept.push(k);
  for (let k = from; k >= 0; k--) kept.push(k);
  return Uint32Array.from(kept.reverse());
}

/**
 * Fills errors (keyCount) with the error of the interpolation between kept keys at each key: a distance, an angle in radians, or the largest |Δs|.
 * A single kept key is the value of the whole track.
 */
export function keyErrorsInto(track: KeyTrack, kept: Uint32Array, errors: Float64Array): void {
  const meter = makeStepMeter(track);
  errors.fill(0);
  if (kept.length === 1) {
    const size = track.path === 'rotation' ? 4 : 3;
    constantErrorsInto(track, track.values.subarray(kept[0] * size, (kept[0] + 1) * size), errors);
  }
  for (let n = 1; n < kept.length; n++) {
    if (kept[n] - kept[n - 1] === 1) continue;
    meter.aim(kept[n - 1], kept[n]);
    for (let k = kept[n - 1] + 1; k < kept[n]; k++) errors[k] = meter.valueOf(meter.errorAt(k));
  }
}

/** Fills errors (keyCount) with the difference of one value from each key. */
export function constantErrorsInto(track: KeyTrack, value: ArrayLike<number>, errors: Float64Array): void {
  const size = track.path === 'rotation' ? 4 : 3;
  const keyCount = track.times.length;
  const both = new Float32Array((keyCount + 1) * size);
  for (let c = 0; c < size; c++) both[c] = value[c];
  both.set(track.values, size);
  const meter = makeStepMeter({ path: track.path, times: new Float32Array(keyCount + 1), values: both });
  meter.aim(0, 0);
  for (let k = 0; k < keyCount; k++) errors[k] = meter.valueOf(meter.errorAt(k + 1));
}

function allowedErrors(
  keyCount: number,
  tolerance: number | ArrayLike<number>,
  reach: number | ArrayLike<number>,
): Float64Array {
  const allowed = new Float64Array(keyCount);
  for (let k = 0; k < keyCount; k++) {
    const length = typeof tolerance === 'number' ? tolerance : tolerance[k];
    const by = typeof reach === 'number' ? reach : reach[k];
    allowed[k] = by > 0 ? length / by : length >= 0 ? Number.POSITIVE_INFINITY : 0;
  }
  return allowed;
}

interface StepMeter {
  /** Selects the step from key a to key b. False if this step may not skip keys. */
  aim(a: number, b: number): boolean;
  /** Error of the step at key k, in a measure that increases with the error. */
  errorAt(k: number): number;
  /** That measure in the track's own unit. */
  valueOf(error: number): number;
  /** Limits given in the track's own unit, in that measure. */
  limitsOf(allowed: Float64Array): Float64Array;
}

function makeStepMeter(track: KeyTrack): StepMeter {
  return track.path === 'rotation' ? makeTurnMeter(track) : makeLineMeter(track);
}

/** Straight lines; the measure is the distance of translations and the largest difference of scales. */
function makeLineMeter({ path, times, values }: KeyTrack): StepMeter {
  const isScale = path === 'scale';
  let from = 0;
  let to = 0;
  return {
    aim(a, b) {
      from = a;
      to = b;
      return true;
    },
    errorAt(k) {
      const ratio = to > from ? (times[k] - times[from]) / (times[to] - times[from]) : 0;
      let squared = 0;
      let largest = 0;
      for (let c = 0; c < 3; c++) {
        const start = values[3 * from + c];
        const d = start + ratio * (values[3 * to + c] - start) - values[3 * k + c];
        squared += d * d;
        largest = Math.max(largest, Math.abs(d));
      }
      return isScale ? largest : Math.sqrt(squared);
    },
    valueOf: (error) => error,
    limitsOf: (allowed) => allowed,
  };
}

/** Great arcs; the measure is the chord between unit quaternions, 2 sin(angle / 4), which needs no arc function and no cancellation. */
function makeTurnMeter({ times, values }: KeyTrack): StepMeter {
  const unit = new Float64Array(values.length);
  for (let o = 0; o < values.length; o += 4) normalizeQuaternion(values, unit, o, o);
  let from = 0;
  let to = 0;
  let angle = 0;
  let sine = 0;
  let sign = 1;
  return {
    aim(a, b) {
      from = 4 * a;
      to = 4 * b;
      let dot = 0;
      for (let c = 0; c < 4; c++) dot += unit[from + c] * unit[to + c];
      sign = dot < 0 ? -1 : 1;
      let apart = 0;
      let along = 0;
      for (let c = 0; c < 4; c++) {
        apart += (unit[from + c] - sign * unit[to + c]) ** 2;
        along += (unit[from + c] + sign * unit[to + c]) ** 2;
      }
      angle = 2 * Math.atan2(Math.sqrt(apart), Math.sqrt(along));
      sine = sineOf(angle);
      return dot >= MIN_DOT;
    },
    errorAt(k) {
      const start = times[from / 4];
      const ratio = to > from ? (times[k] - start) / (times[to / 4] - start) : 0;
      // Below this angle the sines are their arguments to double precision.
      const straight = !(angle > 1e-8);
      const fromA = straight ? 1 - ratio : sineOf((1 - ratio) * angle) / sine;
      const fromB = sign * (straight ? ratio : sineOf(ratio * angle) / sine);
      let minus = 0;
      let plus = 0;
      for (let c = 0; c < 4; c++) {
        const q = fromA * unit[from + c] + fromB * unit[to + c];
        minus += (q - unit[4 * k + c]) ** 2;
        plus += (q + unit[4 * k + c]) ** 2;
      }
      return Math.sqrt(Math.min(minus, plus));
    },
    valueOf: (chord) => 4 * Math.asin(Math.min(1, chord / 2)),
    limitsOf: (allowed) => allowed.map((radians) => (radians >= Math.PI ? 2 : 2 * sineOf(radians / 4))),
  };
}
