// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { pointTriangles } from '../../../../core/mesh/topology/weld.ts';
import { SolveMonitor } from '../../../../core/progress/solve-monitor.ts';
import { normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { FsdFit } from '../fsd-fit.ts';
import { chooseCut, cutCoordinates, fsdReduce } from '../fsd-reduce.ts';
import { drawFirstPoints, drawSpread, fsdSearch } from '../fsd-search.ts';
import { fsdStarts } from '../fsd-starts.ts';

const FIT = { influences: 4, transforms: 'affine', ridge: 1e-9, sweeps: 2, support: 'exchange' } as const;

describe('fsdSearch', () => {
  let compute: Compute;
  beforeAll(async () => {
    compute = await makeCompute({ threads: 1 });
  });
  afterAll(() => compute.dispose());

  it('draws rising points from all parts of the shape', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 600 }),
        fc.nat(),
        (count, wanted, seed) => {
          const ids = drawSpread(count, wanted, makeRandom(seed));
          expect(ids.length).toBe(Math.min(count, wanted));
          const gap = Math.ceil(count / ids.length);
          let before = -1;
          for (const i of ids) {
            expect(i).toBeGreaterThan(before);
            expect(i - before).toBeLessThanOrEqual(2 * gap);
            before = i;
          }
          expect(before).toBeLessThan(count);
        },
      ),
    );
    const { ids, clusterCount } = drawFirstPoints(12, 12, makeRandom(0));
    expect([ids.length, clusterCount]).toEqual([12, 12]);
  });

  it('keeps the coordinates outside of which the tail is within the limit', async () => {
    const { trajectories } = normalizeClip(compute, makeSample('quadruped', { resolution: 300, frames: 90 }).clip);
    const reduced = await fsdReduce(compute, trajectories, trajectories, 1e-8, 1, makeRandom(0));
    if (!reduced) throw new Error('no basis');
    const squares = (t: typeof trajectories) => t.squares.view().reduce((sum, x) => sum + x, 0);
    const whole = squares(reduced.trajectories);
    let before = reduced.rank;
    for (const tail of [0, 1e-4, 1e-2, 1]) {
      const rank = chooseCut(reduced.trajectories, reduced.rank, tail);
      expect(rank % 4 === 0 || rank === reduced.rank).toBe(true);
      expect(rank).toBeLessThanOrEqual(before);
      expect(whole - squares(cutCoordinates(compute, reduced.trajectories, rank))).toBeLessThanOrEqual(tail + 1e-9);
      before = rank;
    }
    expect(before).toBeLessThan(reduced.rank);
  });

  it('has a lower error than any of its starts', async () => {
    const { clip } = makeSample('quadruped', { resolution: 500, frames: 16 });
    const { trajectories: all, weld } = normalizeClip(compute, clip);
    const random = makeRandom(0);
    const { ids, clusterCount } = drawFirstPoints(all.vertexCount, 6, random);
    expect(clusterCount).toBe(8);
    const monitor = new SolveMonitor({});
    const triangles = pointTriangles(clip.mesh.triangles, weld);
    const starts = await fsdStarts(compute, all, { triangles, ids }, clusterCount, monitor, random);
    const problem = { compute, all, reduced: undefined, boneCount: 6, fitOptions: FIT, monitor };
    const { bones } = await fsdSearch(problem, starts.labels, ids, random);
    const fit = new FsdFit(compute, all, 6, FIT);
    fit.bones.view().set(bones);
    await fit.solveWeights('cold');
    for (const labels of (await fsdStarts(compute, all, { triangles, ids }, 6, monitor, makeRandom(0))).labels) {
      const start = new FsdFit(compute, all, 6, FIT);
      start.weights.bones.view().fill(0);
      start.weights.weights.view().fill(0);
      labels.forEach((j, n) => {
        start.weights.bones.view()[4 * ids[n]] = j;
        start.weights.weights.view()[4 * ids[n]] = 1;
      });
      await start.solveJointBones();
      await start.solveWeights('cold');
      expect(fit.error).toBeLessThan(start.error);
    }
  });
});
