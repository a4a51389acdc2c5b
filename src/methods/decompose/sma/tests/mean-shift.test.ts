// SPDX-License-Identifier: MIT
import { afterAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { l1Distance } from '../../../../core/kernels/errors/l1-distance.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { L1Hash } from '../../lssp/l1-hash.ts';
import { meanShift } from '../mean-shift.ts';
import { triangleRotations } from '../triangle-rotations.ts';

/** Whole blocks of the distance; other widths are padded. */
const WIDTH = 32;

const compute = await makeCompute({ threads: 1 });
afterAll(() => compute.dispose());

/** Clouds of points about centres, and single points far from all of them. */
function makeClouds(sizes: number[], outliers: number, spread = 0.02, seed = 1) {
  const random = makeRandom(seed);
  const rows: number[] = [];
  const truth: number[] = [];
  const centers = sizes.map(() => Array.from({ length: WIDTH }, () => 2 * random.next() - 1));
  for (const [m, size] of sizes.entries()) {
    for (let n = 0; n < size; n++) {
      rows.push(...centers[m].map((x) => x + spread * random.normal()));
      truth.push(m);
    }
  }
  for (let n = 0; n < outliers; n++) {
    rows.push(...Array.from({ length: WIDTH }, () => 6 * random.next() - 3));
    truth.push(-1);
  }
  return { points: Float32Array.from(rows), truth, centers };
}

describe('L1Hash', () => {
  it('finds nearly all points within the radius, and far fewer than all', () => {
    const { points } = makeClouds(new Array(60).fill(10), 0);
    const count = points.length / WIDTH;
    const radius = 1;
    const hash = new L1Hash(points, WIDTH, Array(count).keys(), radius, makeRandom(3));
    for (let n = 0; n < count; n++) hash.add(n, points, n * WIDTH);
    let [near, found, looked] = [0, 0, 0];
    for (let n = 0; n < count; n++) {
      const list = new Set(hash.listNear(points, n * WIDTH));
      looked += list.size;
      for (let m = 0; m < count; m++) {
        if (l1Distance(points, n * WIDTH, points, m * WIDTH, WIDTH, 1e9) > radius) continue;
        near++;
        if (list.has(m)) found++;
      }
    }
    expect(found / near).toBeGreaterThan(0.99);
    expect(looked).toBeLessThan(0.5 * count * count);
  });
});

describe('meanShift', () => {
  it('finds clouds, their centers and their points among outliers', async () => {
    const { points, truth, centers } = makeClouds([80, 50, 30], 40);
    const bandwidth = 0.15 * WIDTH;
    const { modeCount, modes, labels, distances } = await meanShift(compute, points, WIDTH, bandwidth, { support: 20 });
    expect(modeCount).toBe(3);
    for (const [i, cloud] of truth.entries()) {
      if (cloud < 0) expect(distances[i]).toBeGreaterThan(bandwidth / 4);
      else expect([labels[i], distances[i] < bandwidth / 4]).toEqual([cloud, true]);
    }
    for (const [m, center] of centers.entries()) {
      const off = center.reduce((sum, x, c) => sum + Math.abs(x - modes[m * WIDTH + c]), 0);
      expect(off).toBeLessThan(0.05 * bandwidth);
    }
  });

  it('ignores clouds of fewer points than the support', async () => {
    const { points } = makeClouds([80, 50, 30], 0);
    expect((await meanShift(compute, points, WIDTH, 0.15 * WIDTH, { support: 40 })).modeCount).toBe(2);
    expect((await meanShift(compute, points, WIDTH, 0.15 * WIDTH, { support: 100 })).modeCount).toBe(0);
  });

  it('clusters rotation sequences like the exact method', async () => {
    const { clip } = makeSample('quadruped', { resolution: 400, frames: 6 });
    const { rotations, triangles } = triangleRotations(clip);
    const width = rotations.length / triangles.length;
    const bandwidth = 0.08 * width;
    const options = { support: 8 };
    const fast = await meanShift(compute, rotations, width, bandwidth, options);
    const slow = await meanShift(compute, rotations, width, bandwidth, { ...options, merge: 0, tables: 0 });
    expect(fast.modeCount).toBe(slow.modeCount);
    expect(fast.steps).toBeLessThan(slow.steps / 2);
    // the same triangles share a mode
    const partner = new Map<number, number>();
    let same = 0;
    const core = (result: typeof fast, f: number) => (result.distances[f] < bandwidth / 4 ? result.labels[f] : -1);
    for (let f = 0; f < triangles.length; f++) if (core(slow, f) >= 0) partner.set(core(slow, f), core(fast, f));
    partner.set(-1, -1);
    for (let f = 0; f < triangles.length; f++) if (partner.get(core(slow, f)) === core(fast, f)) same++;
    expect(same / triangles.length).toBeGreaterThan(0.93);
  });

  it('gives the same bits in every engine, on any number of threads', async () => {
    const { points } = makeClouds([40, 25], 20);
    // a width that needs padding
    const width = WIDTH - 5;
    const narrow = points.filter((_, e) => e % WIDTH < width);
    const results: unknown[] = [];
    for (const [kind, threads] of [
      ['typescript', 1],
      ['wasm', 1],
      ['wasm', 2],
    ] as const) {
      const engine = await makeCompute({ kind, threads });
      results.push(await meanShift(engine, narrow, width, 0.15 * width, { support: 10 }));
      engine.dispose();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
    expect(results[0]).toMatchObject({ modeCount: 2 });
  });

  it('stops on request, with the finished points', async () => {
    const { points } = makeClouds([80, 50, 30], 0);
    const { labels } = await meanShift(compute, points, WIDTH, 0.15 * WIDTH, { support: 20, onStep: () => true });
    expect(labels.length).toBe(160);
  });

  it('rejects a bandwidth that is not positive, and accepts an empty list of points', async () => {
    await expect(meanShift(compute, new Float32Array(0), WIDTH, 0)).rejects.toThrow('must be positive');
    expect((await meanShift(compute, new Float32Array(0), WIDTH, 1)).modeCount).toBe(0);
  });
});
