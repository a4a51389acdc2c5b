// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { type Clip, frameOf, makeTimes } from '../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { measureError } from '../../error/measure-error.ts';
import { measureBetween } from '../measure-between.ts';

const REST = Float32Array.of(1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0);
const TRIANGLES = Uint32Array.of(0, 1, 2, 0, 2, 3);

/** A square of corners on the unit circle, moved as told at each time. */
function clipOf(times: Float64Array, move: (t: number, x: number, y: number) => number[]): Clip {
  const positions = new Float32Array(times.length * REST.length);
  times.forEach((t, k) => {
    for (let i = 0; i < 4; i++) positions.set(move(t, REST[3 * i], REST[3 * i + 1]), k * REST.length + 3 * i);
  });
  return { kind: 'clip', name: 'square', mesh: makeMesh(REST, TRIANGLES), positions, times };
}

const turn = (t: number, x: number, y: number): number[] => [
  x * Math.cos(t) - y * Math.sin(t),
  x * Math.sin(t) + y * Math.cos(t),
  0,
];

describe('measureBetween', () => {
  it('finds no error in a result that moves straight between frames, however uneven they are', () => {
    const slide = (t: number, x: number, y: number): number[] => [x + t, y - 2 * t, 3 * t];
    const reference = clipOf(Float64Array.of(0, 0.5, 0.75, 2), slide);
    const report = measureBetween(reference, (times) => clipOf(times, slide));
    expect(report.frameCount).toBe(3);
    expect([...report.perFrame.times]).toEqual([0.25, 0.625, 1.375]);
    expect(report.max).toBeLessThan(1e-6);
  });

  it('gives the height of the arc over the chord for a turn, in every metric', () => {
    const step = 0.4;
    const times = Float64Array.from({ length: 80 }, (_, k) => k * step); // more than one batch
    const report = measureBetween(clipOf(times, turn), (at) => clipOf(at, turn));
    const height = 1 - Math.cos(step / 2);
    expect(report.rmse).toBeCloseTo(height, 6);
    expect(report.max).toBeCloseTo(height, 6);
    // The rest square has a smallest enclosing ball of radius one.
    expect(report.eRms).toBeCloseTo((1000 * height) / Math.sqrt(3), 3);
    expect(report.perFrame.rms).toHaveLength(79);
  });

  it('compares with the source of the clip where it is given, and with straight lines otherwise', () => {
    const times = Float64Array.from({ length: 6 }, (_, k) => k * 0.4);
    const reference = clipOf(times, turn);
    const source = (at: Float64Array) => clipOf(at, turn);
    expect(measureBetween(reference, source, { source }).max).toBeLessThan(1e-6);
    expect(measureBetween(reference, source).max).toBeCloseTo(1 - Math.cos(0.2), 6);
  });

  it('equals measureError on clips of the midpoints', () => {
    const reference = clipOf(makeTimes(40, 24), (t, x, y) => turn(t * t * 4, x, y + 0.3 * t));
    const middles = Float64Array.from({ length: 39 }, (_, k) => (k + 0.5) / 24);
    const result = clipOf(middles, (t, x, y) => turn(t * t * 4.1, x, y));
    const means = { ...reference, times: middles, positions: new Float32Array(39 * REST.length) };
    for (let c = 0; c < means.positions.length; c++)
      means.positions[c] = (reference.positions[c] + reference.positions[c + REST.length]) / 2;
    const asClips = measureError(means, result);
    const report = measureBetween(reference, (times) => {
      const first = middles.findIndex((t) => Math.abs(t - times[0]) < 1e-9);
      const frames = Array.from(times, (_, k) => frameOf(result, first + k));
      return { ...result, times, positions: Float32Array.from(frames.flatMap((frame) => [...frame])) };
    });
    expect(report.rmse).toBeCloseTo(asClips.rmse, 7);
    expect(report.eRms).toBeCloseTo(asClips.eRms, 4);
    expect(report.max).toBeCloseTo(asClips.max, 6);
    report.perFrame.max.forEach((max, k) => {
      expect(max).toBeCloseTo(asClips.perFrame.max[k], 6);
    });
  });

  it('returns zero for a single frame, and rejects a result with another number of frames', () => {
    const still = clipOf(Float64Array.of(0), turn);
    expect(measureBetween(still, () => still)).toMatchObject({ frameCount: 0, rmse: 0, max: 0, eRms: 0 });
    expect(() => measureBetween(clipOf(makeTimes(5, 24), turn), () => still)).toThrow(
      'evaluate returned 1 frames for 4 times',
    );
  });
});
