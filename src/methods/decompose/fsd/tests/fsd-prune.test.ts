// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import type { Trajectories } from '../../../../core/kernels/matrices/trajectories.ts';
import { normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { FsdFit } from '../fsd-fit.ts';
import { fsdPrune } from '../fsd-prune.ts';

const FIT = { influences: 4, transforms: 'affine', ridge: 1e-9, sweeps: 2, support: 'exchange' } as const;

describe('fsdPrune', () => {
  let compute: Compute;
  let trajectories: Trajectories;
  beforeAll(async () => {
    compute = await makeCompute({ threads: 1 });
    ({ trajectories } = normalizeClip(compute, makeSample('quadruped', { resolution: 300, frames: 12 }).clip));
  });
  afterAll(() => compute.dispose());

  /** Bones that follow stretches of the points. */
  const makeFit = async (count: number): Promise<FsdFit> => {
    const fit = new FsdFit(compute, trajectories, count, FIT);
    const influences = fit.weights.influences;
    fit.weights.bones.view().fill(0);
    fit.weights.weights.view().fill(0);
    for (let i = 0; i < trajectories.vertexCount; i++) {
      fit.weights.bones.view()[i * influences] = Math.floor((i * count) / trajectories.vertexCount);
      fit.weights.weights.view()[i * influences] = 1;
    }
    await fit.solveJointBones();
    await fit.solveWeights('cold');
    await fit.alternate(4);
    return fit;
  };

  it('keeps the wanted number of bones, with convex weights', async () => {
    for (const [from, to] of [
      [12, 9],
      [40, 5],
      [6, 2],
      [5, 5],
    ]) {
      const fit = await fsdPrune(await makeFit(from), to, () => false);
      expect(fit.boneCount).toBe(to);
      const { influences, bones, weights } = fit.weights;
      expect(influences).toBe(Math.min(4, to));
      for (let i = 0; i < trajectories.vertexCount; i++) {
        const row = weights.view().slice(i * influences, (i + 1) * influences);
        expect(row.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 6);
        expect(Math.min(...row)).toBeGreaterThanOrEqual(0);
      }
      expect(Math.max(...bones.view())).toBeLessThan(to);
    }
  });

  it('removes an unnecessary bone without raising the error', async () => {
    const whole = await makeFit(7);
    const wide = new FsdFit(compute, trajectories, 8, FIT);
    const [from, to] = [whole.bones.view(), wide.bones.view()];
    // the third bone twice
    const source = [0, 1, 2, 2, 3, 4, 5, 6];
    for (let row = 0; row < 3 * trajectories.frameCount; row++)
      source.forEach((j, n) => {
        to.set(from.slice(4 * (7 * row + j), 4 * (7 * row + j + 1)), 4 * (8 * row + n));
      });
    await wide.solveWeights('cold');
    const pruned = await fsdPrune(wide, 7, () => true);
    await whole.solveWeights('cold');
    expect(pruned.error).toBeLessThanOrEqual(whole.error * 1.001);
  });

  it('removes the surplus at once if stopped, and has a lower error if not', async () => {
    const stopped = await fsdPrune(await makeFit(20), 8, () => true);
    const settled = await fsdPrune(await makeFit(20), 8, () => false);
    expect(stopped.boneCount).toBe(8);
    expect(settled.error).toBeLessThan(stopped.error);
  });
});
