// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import type { SkinnedModel } from '../../../../core/model/asset.ts';
import { type Clip, frameCountOf } from '../../../../core/model/clip/clip.ts';
import { poseOf } from '../../../../core/model/clip/motion.ts';
import { checkSkin, maxInfluencesOf } from '../../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../../../deformers/linear-blend/make-linear-blend.ts';
import { normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { measureError } from '../../../../measure/error/measure-error.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { ssdr } from '../../ssdr/ssdr.ts';
import { fsd } from '../fsd.ts';
import { FsdFit } from '../fsd-fit.ts';
import { expandBonesInto, fsdReduce, projectBoneInto } from '../fsd-reduce.ts';
import type { FsdOptions } from '../options.ts';

/** The model played at its own frames. */
function play(clip: Clip, model: SkinnedModel): Clip {
  const deformer = makeLinearBlend(model.mesh, model.skin, model.skeleton.names.length);
  const positions = new Float32Array(clip.positions.length);
  const stride = clip.mesh.positions.length;
  for (let k = 0; k < frameCountOf(clip); k++)
    deformer.deformInto({ bones: poseOf(model.motions[0], k) }, positions.subarray(k * stride, (k + 1) * stride));
  return { ...clip, positions };
}

const FIT = { influences: 4, transforms: 'affine', ridge: 1e-9, sweeps: 1, support: 'exchange' } as const;

describe('fsd', () => {
  let compute: Compute;
  const clip = makeSample('quadruped', { resolution: 700, frames: 16 }).clip;
  const long = makeSample('quadruped', { resolution: 500, frames: 90 }).clip;
  beforeAll(async () => {
    compute = await makeCompute({ threads: 1 });
  });
  afterAll(() => compute.dispose());
  const run = (options: FsdOptions, of: Clip = clip) => fsd(compute, of, options);

  it('gives convex weights and the error that it reports', async () => {
    const result = await run({ bones: 12 });
    expect(result.model.skeleton.names.length).toBe(12);
    checkSkin(result.model.skin, 12);
    expect(maxInfluencesOf(result.model.skin)).toBeLessThanOrEqual(4);
    expect(measureError(clip, play(clip, result.model)).eRms).toBeCloseTo(result.eRms, 2);
    expect(result.eRms).toBeLessThan(result.eRmsBeforeRest);
  });

  it('is never worse than the same number of rigid bones', async () => {
    for (const bones of [6, 12]) {
      const rigid = await ssdr(compute, clip, { bones });
      expect((await run({ bones })).eRms).toBeLessThan(rigid.eRms);
    }
  });

  it('fits a long clip in fewer numbers per vertex, and reports the error of the frames', async () => {
    const result = await run({ bones: 10 }, long);
    expect(result.rank).toBeLessThan(3 * frameCountOf(long));
    expect(measureError(long, play(long, result.model)).eRms).toBeCloseTo(result.eRms, 2);
  });

  it('recovers affine motion exactly', async () => {
    const turned = { ...clip, positions: new Float32Array(clip.positions.length) };
    const stride = clip.mesh.positions.length;
    for (let k = 0; k < frameCountOf(clip); k++) {
      for (let i = 0; i < stride; i += 3) {
        const [x, y, z] = clip.mesh.positions.subarray(i, i + 3);
        turned.positions.set([x + 0.2 * k * y, (1 + 0.1 * k) * y + 3, z - 0.05 * k * x], k * stride + i);
      }
    }
    expect((await run({ bones: 1 }, turned)).eRms).toBeLessThan(1e-3);
  });

  it('keeps the rest pose on request', async () => {
    const { model, eRms, eRmsBeforeRest } = await run({ bones: 6, keepRest: true });
    expect(model.mesh.positions).toEqual(clip.mesh.positions);
    expect(eRms).toBe(eRmsBeforeRest);
  });

  it('gives the same bytes again, and on two threads', async () => {
    const options = { bones: 7, iterations: 6, seed: 3 };
    const one = await run(options, long);
    const two = await makeCompute({ threads: 2 });
    const threaded = await fsd(two, long, options);
    two.dispose();
    for (const other of [await run(options, long), threaded]) {
      expect(other.model.motions[0].matrices).toEqual(one.model.motions[0].matrices);
      expect(other.model.skin).toEqual(one.model.skin);
    }
  });

  it('stops on request, with a complete result', async () => {
    const stop = new AbortController();
    const result = await run({ bones: 8, signal: stop.signal, onProgress: () => stop.abort() });
    expect(result.status).toBe('stopped');
    checkSkin(result.model.skin, 8);
    expect(result.eRms).toBeLessThan(50);
  });

  it('accepts one frame and more bones than points, and throws on invalid options', async () => {
    const one = { ...clip, positions: clip.positions.slice(0, clip.mesh.positions.length), times: Float64Array.of(0) };
    expect((await run({ bones: 3 }, one)).eRms).toBeLessThan(20);
    const bar = makeSample('bar-bend', { resolution: 100, frames: 4 }).clip;
    expect((await run({ bones: 1000 }, bar)).eRms).toBeLessThan(1);
    await expect(run({ bones: 0 })).rejects.toThrow('fsd: bones must be a whole number, at least 1, got 0');
    await expect(run({ influences: 1.5 })).rejects.toThrow('fsd: influences must be a whole number');
  });

  it('solves all bones jointly as well as many sweeps', async () => {
    const { trajectories } = normalizeClip(compute, clip);
    const errors: number[] = [];
    for (const isJoint of [true, false]) {
      const fit = new FsdFit(compute, trajectories, 5, FIT);
      const random = makeRandom(4);
      const weights = fit.weights.weights.view();
      for (let e = 0; e < weights.length; e++) {
        fit.weights.bones.view()[e] = (e + (e >> 2)) % 5;
        weights[e] = random.next();
      }
      for (let o = 0; o < weights.length; o += 4) {
        const sum = weights[o] + weights[o + 1] + weights[o + 2] + weights[o + 3];
        for (let e = o; e < o + 4; e++) weights[e] /= sum;
      }
      const kept = [fit.weights.bones.view().slice(), weights.slice()] as const;
      if (isJoint) await fit.solveJointBones();
      else await fit.solveBones(3000);
      const locked = compute.uint32(trajectories.vertexCount);
      locked.view().fill(1);
      const judge = new FsdFit(compute, trajectories, 5, FIT, locked);
      judge.bones.view().set(fit.bones.view());
      judge.weights.bones.view().set(kept[0]);
      judge.weights.weights.view().set(kept[1]);
      await judge.solveWeights('warm');
      errors.push(judge.error);
    }
    expect(errors[0]).toBeLessThanOrEqual(errors[1] * (1 + 1e-6));
    expect(errors[0]).toBeGreaterThan(errors[1] * 0.9);
  });

  it('preserves squares and products with bones in the coordinates of its basis', async () => {
    const { trajectories } = normalizeClip(compute, long);
    const reduced = await fsdReduce(compute, trajectories, trajectories, 1e-6, 1e-6, makeRandom(0));
    expect(reduced).toBeDefined();
    if (!reduced) return;
    expect(reduced.tail).toBeLessThan(1e-6);
    const rows = 3 * trajectories.frameCount;
    const first = trajectories.posed.view().slice(0, rows);
    const columns = new Float64Array(4 * rows);
    for (let row = 0; row < rows; row++) columns[4 * row + 1] = first[row];
    const within = new Float64Array(12 * reduced.trajectories.frameCount);
    projectBoneInto(reduced, columns, within, 0, 1);
    for (let n = 0; n < reduced.rank; n++)
      expect(within[4 * n + 1]).toBeCloseTo(reduced.trajectories.posed.view()[n], 8);
    const back = new Float64Array(4 * rows);
    expandBonesInto(reduced, within, back, 1);
    for (let row = 0; row < rows; row++) expect(back[4 * row + 1]).toBeCloseTo(first[row], 3);
  });
});
