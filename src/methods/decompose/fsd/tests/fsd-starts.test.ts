// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { pointTriangles } from '../../../../core/mesh/topology/weld.ts';
import { SolveMonitor } from '../../../../core/progress/solve-monitor.ts';
import { type NormalizedClip, normalizeClip, selectTrajectories } from '../../../../fit/skin/normalize-clip.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { drawSpread } from '../fsd-search.ts';
import { fsdStarts, selectFrames } from '../fsd-starts.ts';

describe('fsdStarts', () => {
  let compute: Compute;
  let normalized: NormalizedClip;
  const { clip } = makeSample('quadruped', { resolution: 500, frames: 40 });
  beforeAll(async () => {
    compute = await makeCompute({ threads: 1 });
    normalized = normalizeClip(compute, clip);
  });
  afterAll(() => compute.dispose());
  const start = (boneCount: number, seed = 0, signal?: AbortSignal) => {
    const all = normalized.trajectories;
    const random = makeRandom(seed);
    const ids = drawSpread(all.vertexCount, 150, random);
    const triangles = pointTriangles(clip.mesh.triangles, normalized.weld);
    return fsdStarts(compute, all, { triangles, ids }, boneCount, new SolveMonitor({ signal }), random);
  };

  it('gives several clusterings of the sample, none with an empty cluster', async () => {
    const { labels } = await start(9);
    expect(labels.length).toBeGreaterThan(1);
    for (const each of labels) {
      expect(each.length).toBe(150);
      expect(Math.max(...each)).toBeLessThan(9);
    }
    // grown clusters cover all points, so a small one may miss the sample; those by error are made of the sample
    for (const each of labels.slice(1)) expect(new Set(each).size).toBe(9);
  });

  it('returns an error that falls with the number of clusters', async () => {
    const errors = [];
    for (const count of [1, 4, 12]) errors.push((await start(count)).error);
    expect(errors[1]).toBeLessThan(errors[0]);
    expect(errors[2]).toBeLessThan(errors[1]);
    expect(errors[2]).toBeGreaterThan(0);
  });

  it('gives the same clusters for the same seed, and other clusters by error for another', async () => {
    const [one, again, other] = [await start(6, 1), await start(6, 1), await start(6, 2)];
    expect(again).toEqual(one);
    expect(other.labels.slice(1)).not.toEqual(one.labels.slice(1));
  });

  it('returns only the grown clusters if stopped', async () => {
    expect((await start(6, 0, AbortSignal.abort())).labels.length).toBe(1);
  });

  it('selects evenly spaced frames, or all if there are fewer', () => {
    const all = normalized.trajectories;
    const part = selectTrajectories(compute, all, Uint32Array.of(3, 8));
    const few = selectFrames(compute, part, 4);
    expect(few.frameCount).toBe(4);
    const from = part.posed.view().slice(0, 120);
    expect([...few.posed.view().slice(0, 12)]).toEqual(
      [0, 10, 20, 30].flatMap((k) => [...from.slice(3 * k, 3 * k + 3)]),
    );
    expect(few.squares.view()[0]).toBeCloseTo(
      few.posed
        .view()
        .slice(0, 12)
        .reduce((sum, x) => sum + x * x, 0),
      12,
    );
    expect(selectFrames(compute, part, 1000).posed.view()).toEqual(part.posed.view());
  });
});
