// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { normalizeBones, normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { HelperFit, weighTrajectories } from '../helper-fit.ts';

describe('HelperFit', () => {
  it('keeps the joints while helpers and weights alternate, and never raises the error, with weighted poses', async () => {
    const { clip, skeleton, motion } = makeSample('creature', { resolution: 150, frames: 8 });
    const compute = await makeCompute({ threads: 1 });
    await compute.scope(async (memory) => {
      const normalized = normalizeClip(memory, clip);
      const boneCount = skeleton!.names.length;
      const joints = normalizeBones(normalized, motion!.matrices, boneCount);
      const poseWeights = Float64Array.from({ length: 8 }, (_, k) => 1 + 6 * (k % 3));
      const roots = weighTrajectories(normalized.trajectories, poseWeights);
      const fit = new HelperFit(
        memory,
        normalized.trajectories,
        { roots, joints, helperCount: 2 },
        {
          ...{ influences: 3, transforms: 'similarity', ridge: 1e-9, sweeps: 2, support: 'exchange' },
        },
      );
      await fit.solveWeights('cold');
      const errors: number[] = [fit.error];
      await fit.alternate(6, () => {
        errors.push(fit.error);
        return false;
      });
      for (let n = 1; n < errors.length; n++) expect(errors[n]).toBeLessThanOrEqual(errors[n - 1] * (1 + 1e-9));
      const bones = fit.bones.view();
      for (let row = 0; row < 3 * 8; row++)
        for (let e = 0; e < 4 * boneCount; e++)
          expect(bones[row * 4 * fit.boneCount + e]).toBe(joints[row * 4 * boneCount + e]);
    });
    compute.dispose();
  });
});
