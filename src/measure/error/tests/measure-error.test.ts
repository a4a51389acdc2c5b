// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { smallestEnclosingBall } from '../../../core/mesh/geometry/enclosing-ball.ts';
import { type Clip, makeTimes } from '../../../core/model/clip/clip.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { measureError, measureFrames } from '../measure-error.ts';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');
const data = resolve(root, process.env.OSSIFY_DATA ?? '../shared', 'datasets');

function clipOf(rest: number[], frames: number[][], triangles: number[] = []): Clip {
  return {
    kind: 'clip',
    name: 'test',
    mesh: makeMesh(Float32Array.from(rest), Uint32Array.from(triangles)),
    positions: Float32Array.from(frames.flat()),
    times: makeTimes(frames.length, 24),
  };
}
// Two points on the x axis, two units apart (ball of radius 1), and a third one above: the box is 2 x 1 x 0.
const rest = [-1, 0, 0, 1, 0, 0, 0, 1, 0];
const moved = (dx: number): number[] => rest.map((value, c) => (c % 3 === 0 ? value + dx : value));

describe('errors between clips', () => {
  it('are zero for identical clips', () => {
    const clip = clipOf(rest, [moved(0), moved(1)], [0, 1, 2]);
    const report = measureError(clip, clip);
    for (const value of [report.eRms, report.distortion, report.rmse, report.rmsePercent, report.max, report.p99])
      expect(value).toBe(0);
    expect([report.normalDegrees, report.rmseOfHeight, report.maxOfHeight]).toEqual([0, 0, 0]);
    expect([...report.perFrame.q3]).toEqual([0, 0]);
    expect([...report.perVertex.max]).toEqual([0, 0, 0]);
  });

  it('are those of the hand-computed case', () => {
    // The reference moves by 0 and 2 along x: its average is 1, ‖P − P_avg‖² = 3 points x 2 frames x 1².
    const reference = clipOf(rest, [moved(0), moved(2)]);
    // In the second frame one vertex is off by (0, 3, 4): d = 5.
    const off = moved(2);
    off[4] += 3;
    off[5] += 4;
    const report = measureError(reference, clipOf(rest, [moved(0), off]));
    expect(report.pointCount).toBe(3);
    expect(report.ballRadius).toBeCloseTo(1, 6);
    expect(report.rmse).toBeCloseTo(Math.sqrt(25 / 6), 12);
    expect(report.eRms).toBeCloseTo(1000 * Math.sqrt(25 / 18), 3);
    expect(report.distortion).toBeCloseTo((100 * 5) / Math.sqrt(6), 9);
    expect(report.rmsePercent).toBeCloseTo((100 * Math.sqrt(25 / 6)) / Math.sqrt(5), 6);
    expect(report.height).toBe(1);
    expect(report.rmseOfHeight).toBeCloseTo(100 * Math.sqrt(25 / 6), 9);
    expect(report.max).toBe(5);
    expect(report.maxOfHeight).toBe(500);
    // Six distances, five of them zero: the place of 0.99 is 4.95, between 0 and 5.
    expect(report.p99).toBeCloseTo(0.95 * 5, 9);
    expect([...report.perFrame.rms]).toEqual([0, Math.sqrt(25 / 3)]);
    expect([...report.perFrame.median]).toEqual([0, 0]);
    expect([...report.perFrame.q3]).toEqual([0, 2.5]);
    expect([...report.perFrame.max]).toEqual([0, 5]);
    expect(report.perVertex.rms[1]).toBeCloseTo(Math.sqrt(12.5), 6);
    expect([...report.perVertex.max]).toEqual([0, 5, 0]);
  });

  it('use the height along the up axis', () => {
    const reference = clipOf(rest, [moved(0)]);
    const result = clipOf(rest, [moved(1)]);
    expect(measureError(reference, result, { up: 'x' }).rmseOfHeight).toBeCloseTo(50, 9);
    // Flat along z: there is no height to compare with.
    expect(measureError(reference, result, { up: 'z' }).rmseOfHeight).toBe(Number.POSITIVE_INFINITY);
  });

  it('are defined for a clip that does not move', () => {
    const still = clipOf(rest, [moved(0.1), moved(0.1), moved(0.1)]);
    expect(measureError(still, still).distortion).toBe(0);
    const other = clipOf(rest, [moved(0.1), moved(0.1), moved(0.2)]);
    expect(measureError(still, other).distortion).toBe(Number.POSITIVE_INFINITY);
  });

  it('count coincident vertices once, and a torn seam by its worst side', () => {
    const seam = [...rest, ...rest.slice(0, 3)];
    const reference = clipOf(seam, [seam, seam]);
    const torn = [...seam];
    torn[9] += 3; // the second copy of vertex 0 only
    const report = measureError(reference, clipOf(seam, [seam, torn]));
    expect(report.pointCount).toBe(3);
    expect(report.rmse).toBeCloseTo(Math.sqrt(9 / 6), 9);
    expect([...report.perVertex.max]).toEqual([0, 0, 0, 3]);
  });

  it('scale with the shape, or not at all', () => {
    const scale = (values: number[], f: number): number[] => values.map((v) => v * f);
    const a = measureError(clipOf(rest, [moved(0), moved(1)]), clipOf(rest, [moved(0.5), moved(1)]));
    const b = measureError(
      clipOf(scale(rest, 8), [scale(moved(0), 8), scale(moved(1), 8)]),
      clipOf(scale(rest, 8), [scale(moved(0.5), 8), scale(moved(1), 8)]),
    );
    expect(b.eRms).toBeCloseTo(a.eRms, 2);
    expect(b.distortion).toBeCloseTo(a.distortion, 9);
    expect(b.rmsePercent).toBeCloseTo(a.rmsePercent, 6);
    expect(b.rmse).toBeCloseTo(8 * a.rmse, 9);
  });

  it('include rotated normals, without points that have none', () => {
    // A triangle tilted by 30° about x, and a vertex on no triangle.
    const flat = [0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5];
    const tilted = [0, 0, 0, 1, 0, 0, 0, Math.cos(Math.PI / 6), Math.sin(Math.PI / 6), 5, 5, 5];
    const reference = clipOf(flat, [flat, flat], [0, 1, 2]);
    expect(measureError(reference, clipOf(flat, [tilted, tilted], [0, 1, 2])).normalDegrees).toBeCloseTo(30, 5);
    expect(measureError(reference, clipOf(flat, [flat, tilted], [0, 1, 2])).normalDegrees).toBeCloseTo(
      30 * Math.SQRT1_2,
      5,
    );
    const collapsed = [0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5, 5];
    expect(measureError(reference, clipOf(flat, [flat, collapsed], [0, 1, 2])).normalDegrees).toBeCloseTo(
      90 * Math.SQRT1_2,
      9,
    );
  });

  it('reject clips that cannot be compared', () => {
    const clip = clipOf(rest, [moved(0)]);
    expect(() => measureError(clip, clipOf(rest, [moved(0), moved(0)]))).toThrow('1 frames and the result 2');
    expect(() => measureError(clip, clipOf(rest.slice(3), [rest.slice(3)]))).toThrow('3 vertices and the result 2');
    expect(() => measureError(clip, clipOf(rest, [moved(Number.NaN)]))).toThrow('frame 0, vertex 0');
  });

  it('are defined for one vertex, one frame, and none', () => {
    const one = measureError(clipOf([1, 2, 3], [[1, 2, 3]]), clipOf([1, 2, 3], [[1, 2, 4]]));
    expect(one.rmse).toBe(1);
    expect(one.eRms).toBe(Number.POSITIVE_INFINITY);
    const none = measureError(clipOf([], []), clipOf([], []));
    expect([none.rmse, none.eRms, none.p99]).toEqual([0, 0, 0]);
  });
});

/** The bytes of the data sets, read by the simplest means: OBJ with v and f lines, PC2 with a 32-byte header. */
function readData(name: string): Clip {
  const positions: number[] = [],
    triangles: number[] = [];
  for (const line of readFileSync(join(data, name, 'rest.obj'), 'utf8').split('\n')) {
    const words = line.trim().split(/\s+/);
    if (words[0] === 'v') positions.push(...words.slice(1, 4).map(Number));
    if (words[0] === 'f') triangles.push(...words.slice(1, 4).map((w) => Number.parseInt(w, 10) - 1));
  }
  const bytes = readFileSync(join(data, name, 'motion.pc2'));
  const frameCount = bytes.readUInt32LE(28);
  const frames = new Float32Array(bytes.buffer.slice(bytes.byteOffset + 32, bytes.byteOffset + bytes.length));
  return {
    kind: 'clip',
    name,
    mesh: makeMesh(Float32Array.from(positions), Uint32Array.from(triangles)),
    positions: frames,
    times: makeTimes(frameCount, 24),
  };
}

describe('errors on real data', () => {
  const has = (name: string): boolean => existsSync(join(data, name, 'motion.pc2'));

  it.skipIf(!has('horse-gallop'))(
    'equal plain sums for the horse held at its first frame (needs the data folder)',
    () => {
      const clip = readData('horse-gallop');
      const n = clip.mesh.positions.length / 3,
        frameCount = clip.times.length;
      expect([n, clip.mesh.triangles.length / 3, frameCount]).toEqual([8431, 16843, 48]);
      const first = clip.positions.slice(0, 3 * n);
      const report = measureFrames(clip, () => first);

      let error = 0,
        deviation = 0,
        max = 0;
      const distances: number[] = [];
      for (let i = 0; i < n; i++) {
        const average = [0, 0, 0];
        for (let k = 0; k < frameCount; k++)
          for (let c = 0; c < 3; c++) average[c] += clip.positions[(k * n + i) * 3 + c] / frameCount;
        for (let k = 0; k < frameCount; k++) {
          let squared = 0;
          for (let c = 0; c < 3; c++) {
            const p = clip.positions[(k * n + i) * 3 + c];
            squared += (p - first[3 * i + c]) ** 2;
            deviation += (p - average[c]) ** 2;
          }
          error += squared;
          max = Math.max(max, Math.sqrt(squared));
          distances.push(Math.sqrt(squared));
        }
      }
      distances.sort((a, b) => a - b);
      expect(report.pointCount).toBe(n);
      expect(report.ballRadius).toBeCloseTo(1, 3);
      expect(report.eRms / ((1000 * Math.sqrt(error / (3 * n * frameCount))) / report.ballRadius)).toBeCloseTo(1, 9);
      expect(report.distortion / (100 * Math.sqrt(error / deviation))).toBeCloseTo(1, 9);
      expect(report.rmse / Math.sqrt(error / (n * frameCount))).toBeCloseTo(1, 9);
      expect(report.max).toBeCloseTo(max, 6);
      const place = 0.99 * (distances.length - 1);
      const low = distances[Math.floor(place)],
        high = distances[Math.ceil(place)];
      expect(report.p99).toBeCloseTo(low + (place - Math.floor(place)) * (high - low), 6);
      expect(report.normalDegrees).toBeGreaterThan(5);
    },
  );

  it.skipIf(!has('samba'))('find the ball of samba at 0.877 (needs the data folder)', () => {
    const clip = readData('samba');
    expect(smallestEnclosingBall(clip.mesh.positions).radius).toBeCloseTo(0.877, 3);
  });
});
