// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { keepBonesInto } from '../keep-bones.ts';
import { normalizeBones, normalizeClip } from '../normalize-clip.ts';
import { SkinFit } from '../skin-fit.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

describe('bones that are kept', () => {
  it('keep their motion and their part of the weights, and list the vertices that have none', async () => {
    const sample = makeSample('creature', { resolution: 200, frames: 4, seed: 1 });
    const normalized = normalizeClip(compute, sample.clip);
    const boneCount = sample.skeleton!.names.length;
    const options = { influences: 4, transforms: 'rigid', ridge: 1e-9, sweeps: 1, support: 'exchange' } as const;
    const fit = new SkinFit(compute, normalized.trajectories, boneCount, options);
    fit.bones.view().set(normalizeBones(normalized, sample.motion!.matrices, boneCount));
    await fit.solveWeights('cold');
    const kept = [5, 0, 2];
    const next = new SkinFit(compute, normalized.trajectories, kept.length, options);
    next.weights.weights.view().fill(0.7);
    const bare = new Set(keepBonesInto(fit, next, kept));
    for (let row = 0; row < 12; row++)
      kept.forEach((j, n) => {
        const at = 4 * (row * boneCount + j);
        expect(next.bones.view().slice(4 * (3 * row + n), 4 * (3 * row + n) + 4)).toEqual(
          fit.bones.view().slice(at, at + 4),
        );
      });
    const shareOf = (one: SkinFit, i: number, bone: number): number => {
      const influences = one.weights.influences;
      let sum = 0;
      for (let e = i * influences; e < (i + 1) * influences; e++)
        if (one.weights.bones.view()[e] === bone) sum += one.weights.weights.view()[e];
      return sum;
    };
    for (let i = 0; i < normalized.trajectories.vertexCount; i++) {
      const left = kept.reduce((sum, j) => sum + shareOf(fit, i, j), 0);
      expect(bare.has(i)).toBe(left === 0);
      kept.forEach((j, n) => {
        expect(shareOf(next, i, n)).toBeCloseTo(left > 0 ? shareOf(fit, i, j) / left : 0, 12);
      });
    }
    expect(bare.size).toBeGreaterThan(0);
    expect(bare.size).toBeLessThan(normalized.trajectories.vertexCount);
  });
});
