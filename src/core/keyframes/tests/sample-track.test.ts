// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Track } from '../../model/clip/animation.ts';
import { sampleTrackInto } from '../sample-track.ts';

const track = (
  path: Track['path'],
  interpolation: Track['interpolation'],
  times: number[],
  values: number[],
): Track => ({
  node: 0,
  path,
  interpolation,
  times: Float32Array.from(times),
  values: Float32Array.from(values),
});
const sample = (t: Track, time: number, size = 3): number[] => {
  const out = new Float64Array(size);
  sampleTrackInto(t, time, out);
  return [...out];
};

describe('sampling a track', () => {
  it('holds STEP values until the next key', () => {
    const t = track('translation', 'STEP', [1, 2], [1, 0, 0, 5, 0, 0]);
    expect([0, 1, 1.99, 2, 3].map((time) => sample(t, time)[0])).toEqual([1, 1, 1, 5, 5]);
  });

  it('interpolates LINEAR keys and clamps outside', () => {
    const t = track('scale', 'LINEAR', [1, 3], [0, 0, 0, 4, 8, 12]);
    expect(sample(t, 1.5)).toEqual([1, 2, 3]);
    expect(sample(t, 0)).toEqual([0, 0, 0]);
    expect(sample(t, 9)).toEqual([4, 8, 12]);
  });

  it('rotates along the shorter arc, for any signs of the quaternions', () => {
    // From 0 to 90° about z, the second written as −q.
    const s = Math.SQRT1_2;
    const [x, y, z, w] = sample(track('rotation', 'LINEAR', [0, 1], [0, 0, 0, 1, 0, 0, -s, -s]), 1 / 3, 4);
    expect(2 * Math.atan2(z, w)).toBeCloseTo(Math.PI / 6, 6);
    expect([x, y]).toEqual([0, 0]);
  });

  it('follows a cubic exactly: a Hermite spline with the tangents of t³ is t³', () => {
    // Keys at 0, 2 and 3; in-tangent, value, out-tangent, per second.
    const key = (t: number): number[] => [3 * t * t, 0, 0, t ** 3, 0, 0, 3 * t * t, 0, 0];
    const t = track('translation', 'CUBICSPLINE', [0, 2, 3], [...key(0), ...key(2), ...key(3)]);
    for (const time of [0, 0.5, 1.7, 2, 2.25, 3]) expect(sample(t, time)[0]).toBeCloseTo(time ** 3, 5);
  });

  it('gives unit quaternions from splines, also where they pass through zero', () => {
    const zero = [0, 0, 0, 0];
    const t = track('rotation', 'CUBICSPLINE', [0, 1], [...zero, 1, 0, 0, 0, ...zero, ...zero, -1, 0, 0, 0, ...zero]);
    fc.assert(
      fc.property(fc.double({ min: -1, max: 2, noNaN: true }), (time) => {
        expect(Math.hypot(...sample(t, time, 4))).toBeCloseTo(1, 9);
      }),
    );
    expect(sample(t, 0.5, 4)).toEqual([0, 0, 0, 1]);
  });

  it('does not change the value without keys', () => {
    const out = Float64Array.of(7, 8, 9);
    sampleTrackInto(track('translation', 'LINEAR', [], []), 1, out);
    expect([...out]).toEqual([7, 8, 9]);
  });

  it('uses the later of two keys at the same time', () => {
    const t = track('translation', 'LINEAR', [0, 1, 1, 2], [0, 0, 0, 1, 0, 0, 5, 0, 0, 6, 0, 0]);
    expect(sample(t, 1)[0]).toBe(5);
    expect(sample(t, 1.5)[0]).toBe(5.5);
  });
});
