// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import { pointTriangles } from '../../../../core/mesh/topology/weld.ts';
import { frameCountOf } from '../../../../core/model/clip/clip.ts';
import { fillDefaults } from '../../../../core/options/fill-defaults.ts';
import { SolveMonitor } from '../../../../core/progress/solve-monitor.ts';
import { normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import type { SkinFitOptions } from '../../../../fit/skin/skin-fit.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { SKELETON_OPTIONS } from '../../options.ts';
import { solve } from '../../solve.ts';
import { startClusters } from '../start-clusters.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

const { clip } = makeSample('creature', { resolution: 300, frames: 60, seed: 1 });
const fitOptions: SkinFitOptions = { influences: 4, transforms: 'rigid', ridge: 1e-9, sweeps: 2, support: 'exchange' };

describe('startClusters', () => {
  it('returns bones for a motion that bones explain almost exactly, and nothing if there are too few', async () => {
    const { trajectories, weld, size } = normalizeClip(compute, clip);
    const triangles = pointTriangles(clip.mesh.triangles, weld);
    const length = measureBounds(clip.mesh.positions).diagonal / size;
    const monitor = new SolveMonitor({});
    const start = (count: number) =>
      startClusters(compute, { trajectories, triangles, count, size: length, fitOptions, monitor });
    const many = await start(48);
    expect(many?.boneCount).toBeGreaterThan(30);
    expect(many?.bones).toHaveLength(12 * frameCountOf(clip) * (many?.boneCount ?? 0));
    expect(await start(4)).toBeUndefined();
  });
});

describe('extendFrames', () => {
  it('gives a skeleton for more frames than the search uses, with an invisible error in all of them', async () => {
    const decomposer = () => Promise.reject(new Error('not needed'));
    const settled = fillDefaults(SKELETON_OPTIONS, {});
    const { rmsePercent, model, joints } = await solve({ compute }, { clip, decomposer, noise: 0, seed: 0 }, settled, {
      strategy: 'whole',
      reads: 'clip',
      bytes: 0,
    });
    expect(model.motions[0].matrices).toHaveLength(16 * frameCountOf(clip) * (joints + 1));
    expect(rmsePercent).toBeLessThan(0.05);
  }, 60_000);
});
