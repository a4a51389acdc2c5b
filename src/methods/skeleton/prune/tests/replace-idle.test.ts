// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { pointTriangles } from '../../../../core/mesh/topology/weld.ts';
import { SolveMonitor } from '../../../../core/progress/solve-monitor.ts';
import { normalizeBones, normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { SkinFit } from '../../../../fit/skin/skin-fit.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { type SolveStrictOptions, solveStrict } from '../../joints/solve-strict.ts';
import { listInside } from '../../place/place-inside.ts';
import { addBone } from '../../search/add-bone.ts';
import { dropBones } from '../drop-bones.ts';
import { replaceIdle } from '../replace-idle.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

const sample = makeSample('creature', { resolution: 300, frames: 12, seed: 1 });
const { names } = sample.skeleton!;

/** The true skeleton, solved without one of its bones. */
async function solveWithout(missing: string | undefined) {
  const normalized = normalizeClip(compute, sample.clip);
  const all = new SkinFit(compute, normalized.trajectories, names.length, {
    ...{ influences: 4, transforms: 'rigid', ridge: 1e-9, sweeps: 2, support: 'exchange' },
  });
  all.bones.view().set(normalizeBones(normalized, sample.motion!.matrices, names.length));
  await all.solveWeights('cold');
  const fit = dropBones(all, (j) => names[j] === missing);
  await fit.solveWeights('both');
  const strict: SolveStrictOptions = {
    ...{ iterations: 30, tolerance: 1e-3, jointSolver: 'soft', size: 2, tidy: false, anywhere: true },
    inside: listInside(normalized.trajectories, pointTriangles(sample.clip.mesh.triangles, normalized.weld), 2),
    monitor: new SolveMonitor({}),
  };
  return { solved: { ...(await solveStrict(fit, strict)), fit }, strict };
}

/** Of every bone, the largest weight that it has of a vertex. */
function listLargest({ weights, boneCount }: SkinFit): number[] {
  const maxWeights = new Array<number>(boneCount).fill(0);
  weights.bones.view().forEach((j, e) => {
    maxWeights[j] = Math.max(maxWeights[j], weights.weights.view()[e]);
  });
  return maxWeights;
}

describe('replaceIdle', () => {
  it('moves an idle bone to where a bone is missing', async () => {
    const { solved, strict } = await solveWithout('Neck1');
    const before = solved.fit.error;
    const idle = addBone(solved.fit, new Float64Array(12 * solved.fit.trajectories.frameCount));
    expect(Math.min(...listLargest(idle))).toBe(0);
    const { fit, tree } = await replaceIdle({ ...solved, fit: idle }, strict);
    expect([fit.boneCount, tree.boneCount]).toEqual([names.length, names.length]);
    expect(fit.error).toBeLessThan(before);
    expect(Math.min(...listLargest(fit))).toBeGreaterThan(0.1);
  });

  it('keeps a skeleton without idle bones', async () => {
    const { solved, strict } = await solveWithout(undefined);
    expect(await replaceIdle(solved, strict)).toBe(solved);
  });

  it('keeps an idle bone if there are fewer than two others', async () => {
    const { solved, strict } = await solveWithout(undefined);
    const one = dropBones(solved.fit, (j) => j > 0);
    const two = addBone(one, new Float64Array(12 * one.trajectories.frameCount));
    const given = { ...solved, fit: two };
    expect(await replaceIdle(given, strict)).toBe(given);
  });
});
