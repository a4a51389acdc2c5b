// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { normalizeBones, normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { SkinFit } from '../../../../fit/skin/skin-fit.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { dropBones } from '../../prune/drop-bones.ts';
import { addBone } from '../add-bone.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

const sample = makeSample('creature', { resolution: 300, frames: 12, seed: 1 });
const { names } = sample.skeleton!;

/** True bones without some of them. */
async function start(...missing: string[]) {
  const normalized = normalizeClip(compute, sample.clip);
  const all = new SkinFit(compute, normalized.trajectories, names.length, {
    ...{ influences: 4, transforms: 'rigid', ridge: 1e-9, sweeps: 2, support: 'exchange' },
  });
  const known = normalizeBones(normalized, sample.motion!.matrices, names.length);
  all.bones.view().set(known);
  await all.solveWeights('cold');
  const fit = dropBones(all, (j) => missing.includes(names[j]));
  await fit.solveWeights('both');
  return { fit, known };
}

describe('addBone', () => {
  it('appends a bone without weights, which the next weight solve uses', async () => {
    const { fit, known } = await start('Neck1');
    const j = names.indexOf('Neck1');
    const rows = 3 * fit.trajectories.frameCount;
    const motion = new Float64Array(4 * rows);
    for (let row = 0; row < rows; row++)
      motion.set(known.subarray(4 * (row * names.length + j), 4 * (row * names.length + j) + 4), 4 * row);
    const more = addBone(fit, motion);
    expect(more.boneCount).toBe(fit.boneCount + 1);
    expect(more.error).toBe(fit.error);
    expect(more.weights.weights.view()).toEqual(fit.weights.weights.view());
    const before = more.error;
    await more.solveWeights('both');
    expect(more.error).toBeLessThanOrEqual(before);
    const last = (more.boneCount - 1) * 4;
    for (let row = 0; row < rows; row++)
      expect(more.bones.view()[row * 4 * more.boneCount + last + 3]).toBe(motion[4 * row + 3]);
  });
});
