// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeQuaternion, quaternionFromAxisAngle, slerpInto } from '../../math/quaternion.ts';
import { makeRandom } from '../../math/random.ts';
import { constantErrorsInto, type KeyTrack, keyErrorsInto, thinKeys } from '../thin-keys.ts';

function timesOf(keyCount: number): Float32Array {
  return Float32Array.from({ length: keyCount }, (_, k) => k / 24);
}

function translations(keyCount: number, at: (k: number) => number[]): KeyTrack {
  const values = new Float32Array(keyCount * 3);
  for (let k = 0; k < keyCount; k++) values.set(at(k), 3 * k);
  return { path: 'translation', times: timesOf(keyCount), values };
}

function rotations(keyCount: number, axis: number[], angle: (k: number) => number): KeyTrack {
  const values = new Float32Array(keyCount * 4);
  for (let k = 0; k < keyCount; k++) quaternionFromAxisAngle(axis, angle(k), values, 0, 4 * k);
  return { path: 'rotation', times: timesOf(keyCount), values };
}

/** Distance, angle or largest difference between the interpolation of kept keys and key k, written out anew. */
function errorAt({ path, times, values }: KeyTrack, kept: Uint32Array, k: number): number {
  const n = kept.findIndex((key) => key >= k);
  if (kept[n] === k) return 0;
  const [a, b] = [kept[n - 1], kept[n]];
  const ratio = (times[k] - times[a]) / (times[b] - times[a]);
  if (path === 'rotation') {
    const q = new Float64Array(4);
    const at = new Float64Array(4);
    slerpInto(values, values, ratio, q, 4 * a, 4 * b);
    normalizeQuaternion(q, q);
    normalizeQuaternion(values, at, 4 * k);
    // The arc tangent keeps the digits of small angles, which an arc cosine of a number next to one has lost.
    const apart = (sign: number) => Math.hypot(...q.map((x, c) => x - sign * at[c]));
    return 4 * Math.atan2(Math.min(apart(1), apart(-1)), Math.max(apart(1), apart(-1)));
  }
  const d = [0, 1, 2].map((c) =>
    Math.abs(values[3 * a + c] * (1 - ratio) + values[3 * b + c] * ratio - values[3 * k + c]),
  );
  return path === 'scale' ? Math.max(...d) : Math.hypot(...d);
}

/** The same track, and how often the time of a key is read: once per step, and once per key that is compared. */
function countLooks(track: KeyTrack): { track: KeyTrack; looks(): number } {
  let count = 0;
  const times = new Proxy(track.times as Float32Array, {
    get(target, name) {
      if (name !== 'length') count++;
      return Reflect.get(target, name, target);
    },
  });
  return { track: { ...track, times }, looks: () => count };
}

/** The fewest keys, by trying every step. */
function fewest(track: KeyTrack, tolerance: number): number {
  const keyCount = track.times.length;
  const steps = new Array<number>(keyCount).fill(Number.POSITIVE_INFINITY);
  steps[0] = 0;
  for (let b = 1; b < keyCount; b++) {
    for (let a = 0; a < b; a++) {
      let holds = b - a === 1 || track.path !== 'rotation' || turnOf(track.values, a, b) <= (2 * Math.PI) / 3;
      for (let k = a + 1; k < b && holds; k++) holds = errorAt(track, Uint32Array.of(a, b), k) <= tolerance;
      if (holds) steps[b] = Math.min(steps[b], steps[a] + 1);
    }
  }
  return steps[keyCount - 1] + 1;
}

/** Angle between two keys along their path, in radians: more than half a turn where signs differ. */
function turnOf(values: Float32Array, a: number, b: number): number {
  let dot = 0;
  for (let c = 0; c < 4; c++) dot += values[4 * a + c] * values[4 * b + c];
  return 2 * Math.acos(Math.min(1, dot));
}

function wander(seed: number, keyCount: number, roughness: number, path: KeyTrack['path']): KeyTrack {
  const random = makeRandom(seed);
  const phases = Array.from({ length: 6 }, () => 6 * random.next());
  const wave = (k: number, c: number): number =>
    Math.sin(0.3 * k + phases[c]) + 0.3 * Math.sin(0.71 * k + phases[c + 3]) + roughness * (random.next() - 0.5);
  if (path === 'rotation') return rotations(keyCount, [1, 2, 2], (k) => wave(k, 0));
  return { ...translations(keyCount, (k) => [wave(k, 0), wave(k, 1), wave(k, 2)]), path };
}

describe('thinKeys', () => {
  it('keeps the ends of a straight line, and its corners', () => {
    expect([
      ...thinKeys(
        translations(200, (k) => [k, 2 * k, -k]),
        1e-3,
      ),
    ]).toEqual([0, 199]);
    const bent = translations(101, (k) => [k < 40 ? k : 80 - k, 0, 0]);
    expect([...thinKeys(bent, 1e-3)]).toEqual([0, 40, 100]);
  });

  it('keeps the ends of a steady turn, and no step of more than 120 degrees', () => {
    expect([
      ...thinKeys(
        rotations(100, [0, 1, 0], (k) => 0.02 * k),
        1e-4,
      ),
    ]).toEqual([0, 99]);
    const spin = rotations(100, [0, 1, 0], (k) => 0.2 * k);
    const kept = thinKeys(spin, 1e-4);
    expect(kept.length).toBe(Math.ceil((99 * 0.2) / ((2 * Math.PI) / 3)) + 1);
    for (let n = 1; n < kept.length; n++) {
      let dot = 0;
      for (let c = 0; c < 4; c++) dot += spin.values[4 * kept[n] + c] * spin.values[4 * kept[n - 1] + c];
      expect(dot).toBeGreaterThanOrEqual(0.5);
    }
  });

  it.each(['translation', 'rotation', 'scale'] as const)(
    'stays within tolerance of every key of a %s track, with as few keys as trying all steps finds',
    (path) => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 1e6 }),
          fc.integer({ min: 1, max: 48 }),
          fc.double({ min: 1e-3, max: 0.5, noNaN: true }),
          fc.constantFrom(0, 0.02),
          (seed, keyCount, tolerance, roughness) => {
            const track = wander(seed, keyCount, roughness, path);
            const kept = thinKeys(track, tolerance);
            expect(kept[0]).toBe(0);
            expect(kept[kept.length - 1]).toBe(keyCount - 1);
            expect([...kept]).toEqual([...new Set(kept)].sort((a, b) => a - b));
            const errors = new Float64Array(keyCount);
            keyErrorsInto(track, kept, errors);
            for (let k = 0; k < keyCount; k++) {
              expect(errorAt(track, kept, k)).toBeLessThanOrEqual(tolerance + 1e-6);
              expect(Math.abs(errors[k] - errorAt(track, kept, k))).toBeLessThan(1e-6);
            }
            expect(kept.length).toBeLessThanOrEqual(fewest(track, tolerance));
            expect([...thinKeys(track, tolerance)]).toEqual([...kept]);
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  it('takes the tolerance as a length: an angle counts by its reach, and each key by its own', () => {
    const track = rotations(60, [0, 0, 1], (k) => Math.sin(0.2 * k));
    const near = thinKeys(track, 0.01, { reach: 0.1 });
    const far = thinKeys(track, 0.01, { reach: 10 });
    expect(near.length).toBeLessThan(far.length / 3);
    expect([...thinKeys(track, 0.1, { reach: 1 })]).toEqual([...near]);
    const strict = thinKeys(
      track,
      Float64Array.from({ length: 60 }, (_, k) => (k < 30 ? 0 : 0.1)),
    );
    expect([...strict.subarray(0, 30)]).toEqual(Array.from({ length: 30 }, (_, k) => k));
    expect(strict.length).toBeLessThan(40);
  });

  it('keeps every key that is asked for, and all keys of a track without tolerance', () => {
    const line = translations(50, (k) => [k, 0, 0]);
    expect([...thinKeys(line, 1, { from: 1 })]).toEqual([0, 1, 49]);
    const rough = wander(5, 40, 0.1, 'translation');
    expect(thinKeys(rough, 0)).toHaveLength(40);
    expect([
      ...thinKeys(
        translations(1, () => [1, 2, 3]),
        1,
      ),
    ]).toEqual([0]);
    expect([
      ...thinKeys(
        translations(2, () => [1, 2, 3]),
        1,
      ),
    ]).toEqual([0, 1]);
  });

  it('looks at long tracks a bounded number of times per key, however still they are', () => {
    const drift = rotations(8000, [1, 0, 0], (k) => 1e-4 * Math.sin(0.1 * k));
    const still = countLooks(drift);
    expect(thinKeys(still.track, 1).length).toBeLessThan(20);
    expect(still.looks()).toBeLessThan(1000 * 8000);
    const moving = countLooks(wander(1, 8000, 0, 'rotation'));
    expect(thinKeys(moving.track, 0.1).length).toBeLessThan(4000);
    expect(moving.looks()).toBeLessThan(1000 * 8000);
  });

  it('measures one value against all keys', () => {
    const errors = new Float64Array(3);
    constantErrorsInto(
      translations(3, (k) => [k, 0, 0]),
      [1, 0, 0],
      errors,
    );
    expect([...errors]).toEqual([1, 0, 1]);
    const turn = rotations(3, [0, 0, 1], (k) => 0.5 * k);
    // The sign of a quaternion is no error.
    constantErrorsInto(turn, [-0, -0, -0, -1], errors);
    errors.forEach((error, k) => {
      expect(error).toBeCloseTo(0.5 * k, 6);
    });
  });
});
