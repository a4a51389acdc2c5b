// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../../scripts/launch-gpu.ts';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { NO_TRIANGLE } from '../../../../core/kernels/search/nearest-points.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import type { SearchDevice } from '../../../../core/model/clip/triangle-search.ts';
import { DeviceSearch } from '../../../../methods/track/register/device-search.ts';
import type { PointSearch } from '../../../../methods/track/register/surface-search.ts';
import { SurfaceSearch } from '../../../../methods/track/register/surface-search.ts';
import { trackFrames } from '../../../../methods/track/track-frames.ts';
import { requestGpuDevice } from '../../gpu-device.ts';
import { createGpuSearch } from '../create-gpu-search.ts';

/** A software GPU on a busy machine. */
const TIME_LIMIT = 120_000;
const SIZE = 24;

let device: GPUDevice;
let gpu: SearchDevice;
beforeAll(async () => {
  device = await requestGpuDevice({ gpu: await launchGpu() });
  gpu = await createGpuSearch(device);
}, TIME_LIMIT);

/** A bent tube that is closed around, of a size near one. */
function makeTube(bend: number, columns = SIZE): { positions: Float32Array; triangles: Uint32Array } {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let r = 0; r < SIZE; r++)
    for (let c = 0; c < columns; c++) {
      const [angle, t] = [(2 * Math.PI * c) / columns, r / (SIZE - 1)];
      const radius = 0.1 + 0.05 * Math.sin(7 * t);
      const turn = bend * t * t;
      const [x, z] = [radius * Math.cos(angle) * (1 + 0.3 * t), radius * Math.sin(angle)];
      positions.push(x * Math.cos(turn) + t * Math.sin(turn), t * Math.cos(turn) - x * Math.sin(turn), z);
      const [i, j] = [r * columns + c, r * columns + ((c + 1) % columns)];
      if (r < SIZE - 1) triangles.push(i, i + columns, j, j, i + columns, j + columns);
    }
  return { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
}

const random = makeRandom(8);
const COUNT = 500;
/** Points around the tube with unit normals. */
const points = new Float64Array(6 * COUNT);
for (let n = 0; n < COUNT; n++) {
  const normal = [random.normal(), random.normal(), random.normal()];
  const place = [0.2 * random.normal(), random.next(), 0.2 * random.normal()];
  points.set([...place, ...normal.map((x) => x / Math.hypot(...normal))], 6 * n);
}

/** Distances of all points; infinity for none. */
async function measure(search: PointSearch, minCosine: number, maxDistance: number): Promise<number[]> {
  const { triangles, places } = await search.search(points, { minCosine, maxDistance });
  return Array.from(triangles, (f, n) => (f === NO_TRIANGLE ? Number.POSITIVE_INFINITY : Math.sqrt(places[3 * n + 2])));
}

describe('createGpuSearch', () => {
  it(
    'finds points at the distances of the CPU, within 1e-6 of the size, also after a fit',
    async () => {
      const [first, second] = [makeTube(0), makeTube(1)];
      const compute = await makeCompute({ kind: 'typescript' });
      const searches = [
        new SurfaceSearch(compute, Float64Array.from(first.positions), first.triangles),
        new DeviceSearch(gpu, Float64Array.from(first.positions), first.triangles),
      ];
      for (const [minCosine, maxDistance] of [
        [-1, 10],
        [0.5, 10],
        [0.5, 0.1],
      ]) {
        const [expected, found] = await Promise.all(searches.map((search) => measure(search, minCosine, maxDistance)));
        expect(found.filter(Number.isFinite).length).toBeGreaterThan(maxDistance < 1 ? 20 : 400);
        for (let n = 0; n < COUNT; n++)
          if (expected[n] !== found[n]) expect(Math.abs(found[n] - expected[n])).toBeLessThan(1e-6);
        for (const search of searches) search.fit(Float64Array.from(second.positions));
      }
      for (const search of searches) search.dispose();
    },
    TIME_LIMIT,
  );

  it(
    'tracks frames to the positions of the CPU, within 1e-4 of the size',
    async () => {
      const frames = [makeTube(0.2, 20), makeTube(0.4, 21), makeTube(0.6, 22)];
      const compute = await makeCompute({ threads: 1 });
      const expected = await trackFrames(compute, frames, { template: 0 });
      const found = await trackFrames(compute, frames, { template: 0, searchDevice: gpu });
      compute.dispose();
      let largest = 0;
      for (let c = 0; c < found.positions.length; c++)
        largest = Math.max(largest, Math.abs(found.positions[c] - expected.positions[c]));
      expect(largest).toBeLessThan(1e-4);
    },
    TIME_LIMIT,
  );

  it('has empty results for no points, and refuses a search after dispose', async () => {
    const { positions, triangles } = makeTube(0);
    const search = new DeviceSearch(gpu, Float64Array.from(positions), triangles);
    expect((await search.search(new Float64Array(0), { minCosine: 0, maxDistance: 1 })).triangles.length).toBe(0);
    search.dispose();
    await expect(search.search(points, { minCosine: 0, maxDistance: 1 })).rejects.toThrow('after dispose');
  });
});
