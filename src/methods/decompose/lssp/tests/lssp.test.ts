// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { reserveSkinMoments, skinMomentsInto } from '../../../../core/kernels/bones/skin-moments.ts';
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
import { lssp } from '../lssp.ts';
import { lsspBonesInto } from '../lssp-bones.ts';
import { lsspWeightsInto } from '../lssp-weights.ts';
import type { LsspOptions } from '../options.ts';

/** The model played at its own frames. */
function play(clip: Clip, model: SkinnedModel): Clip {
  const deformer = makeLinearBlend(model.mesh, model.skin, model.skeleton.names.length);
  const positions = new Float32Array(clip.positions.length);
  const stride = clip.mesh.positions.length;
  for (let k = 0; k < frameCountOf(clip); k++)
    deformer.deformInto({ bones: poseOf(model.motions[0], k) }, positions.subarray(k * stride, (k + 1) * stride));
  return { ...clip, positions };
}

describe('lssp', () => {
  let compute: Compute;
  const clip = makeSample('quadruped', { resolution: 500, frames: 12 }).clip;
  beforeAll(async () => {
    compute = await makeCompute({ threads: 1 });
  });
  afterAll(() => compute.dispose());
  const run = (options: LsspOptions, of: Clip = clip) => lssp(compute, of, options);

  it('gives convex weights, rotations, and the error that it reports', async () => {
    const result = await run({ bones: 8 });
    checkSkin(result.model.skin, 8);
    expect(measureError(clip, play(clip, result.model)).eRms).toBeCloseTo(result.eRms, 2);
    expect(result.eRms).toBeLessThan(20);
    const { matrices } = result.model.motions[0];
    for (let o = 0; o < matrices.length; o += 16) {
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b < 3; b++) {
          let dot = 0;
          for (let r = 0; r < 3; r++) dot += matrices[o + 4 * a + r] * matrices[o + 4 * b + r];
          expect(dot).toBeCloseTo(a === b ? 1 : 0, 8);
        }
      }
    }
    expect(result.eRms).toBe(result.eRmsSoft);
    expect(result.model.mesh.positions).toEqual(clip.mesh.positions);
  });

  it('limits influences only on request, and reports both errors', async () => {
    const soft = await run({ bones: 8 });
    const hard = await run({ bones: 8, influences: 2 });
    expect(maxInfluencesOf(hard.model.skin)).toBe(2);
    expect(maxInfluencesOf(soft.model.skin)).toBe(soft.influencesSoft);
    expect(soft.influencesSoft).toBeGreaterThan(2);
    expect(hard.eRmsSoft).toBe(soft.eRms);
    expect(hard.eRms).toBeGreaterThan(hard.eRmsSoft);
  });

  it('has fewer weights with a larger penalty', async () => {
    const few = await run({ bones: 8, iterations: 3, penalty: 0.1 });
    const many = await run({ bones: 8, iterations: 3, penalty: 0 });
    expect(few.blendsSoft).toBeLessThan(many.blendsSoft);
  });

  it('recovers rigid motion', async () => {
    const { clip: truth } = makeSample('bar-bend', { resolution: 300, frames: 10 });
    const turned = { ...truth, positions: truth.positions.slice() };
    const stride = truth.mesh.positions.length;
    for (let k = 0; k < frameCountOf(truth); k++) {
      for (let i = 0; i < stride; i += 3) {
        const [x, y, z] = truth.mesh.positions.subarray(i, i + 3);
        const [c, s] = [Math.cos(0.3 * k), Math.sin(0.3 * k)];
        turned.positions.set([c * x - s * y + k, s * x + c * y, z - 2 * k], k * stride + i);
      }
    }
    expect((await run({ bones: 1 }, turned)).eRms).toBeLessThan(0.01);
  });

  it('gives the same bytes again, and on two threads', async () => {
    const options = { bones: 6, iterations: 2, influences: 4 };
    const one = await run(options);
    const two = await makeCompute({ threads: 2 });
    const threaded = await lssp(two, clip, options);
    two.dispose();
    for (const other of [await run(options), threaded]) {
      expect(other.model.motions[0].matrices).toEqual(one.model.motions[0].matrices);
      expect(other.model.skin).toEqual(one.model.skin);
    }
  });

  it('stops on request, with a complete result', async () => {
    const stop = new AbortController();
    const result = await run({ bones: 5, signal: stop.signal, onProgress: () => stop.abort() });
    expect(result.status).toBe('stopped');
    checkSkin(result.model.skin, 5);
  });

  it('accepts one frame and more bones than points, and throws on invalid options', async () => {
    const one = { ...clip, positions: clip.positions.slice(0, clip.mesh.positions.length), times: Float64Array.of(0) };
    expect((await run({ bones: 3, iterations: 2 }, one)).eRms).toBeLessThan(200);
    const bar = makeSample('bar-bend', { resolution: 100, frames: 3 }).clip;
    checkSkin((await run({ bones: 500, iterations: 1 }, bar)).model.skin, 500);
    await expect(run({ bones: 0 })).rejects.toThrow('lssp: bones must be a whole number, at least 1, got 0');
    await expect(run({ penalty: 1 })).rejects.toThrow('lssp: penalty must be from 0 to below 1, got 1');
    await expect(run({ transforms: 'affine' })).rejects.toThrow('lssp: transforms must be rigid, got affine');
  });

  it('has the gradient of finite differences, for any sum of weights', async () => {
    const { trajectories } = normalizeClip(compute, clip);
    const { vertexCount, frameCount } = trajectories;
    const random = makeRandom(5);
    const ids = compute.uint32(2 * vertexCount);
    const weights = compute.float64(2 * vertexCount);
    for (let e = 0; e < 2 * vertexCount; e++) {
      ids.view()[e] = (e % 2) + (e % 3 === 0 ? 1 : 0);
      weights.view()[e] = random.next();
    }
    const moments = reserveSkinMoments(compute, 3, frameCount);
    await skinMomentsInto(compute, trajectories, ids, weights, 3, moments);
    const squares = new Float64Array(frameCount);
    const [posed, rest] = [trajectories.posed.view(), trajectories.rest.view()];
    for (let e = 0; e < posed.length; e++) squares[Math.floor((e % (3 * frameCount)) / 3)] += posed[e] ** 2;
    const bones = new Float64Array(12 * 3 * frameCount);
    for (let row = 0; row < 3 * frameCount; row++) for (let j = 0; j < 3; j++) bones[(row * 3 + j) * 4 + (row % 3)] = 1;
    const measure = (): number => {
      let sum = 0;
      for (let i = 0; i < vertexCount; i++) {
        for (let row = 0; row < 3 * frameCount; row++) {
          let value = -posed[i * 3 * frameCount + row];
          for (let e = 2 * i; e < 2 * i + 2; e++) {
            const o = (row * 3 + ids.view()[e]) * 4;
            let moved = bones[o + 3];
            for (let c = 0; c < 3; c++) moved += bones[o + c] * rest[3 * i + c];
            value += weights.view()[e] * moved;
          }
          sum += value * value;
        }
      }
      return sum;
    };
    const before = measure();
    const error = lsspBonesInto(bones, 3, moments, squares, 60);
    expect(error).toBeLessThan(before);
    expect(measure() / error).toBeCloseTo(1, 9);
    // a minimum: no small turn or shift of any bone of a frame goes lower
    for (let j = 0; j < 3; j++) {
      for (let axis = 0; axis < 6; axis++) {
        for (const sign of [-1, 1]) {
          const kept = bones.slice();
          const h = 1e-3 * sign;
          const [p, q] = [(axis + 1) % 3, (axis + 2) % 3];
          for (let c = 0; c < 4; c++) {
            if (axis >= 3) {
              if (c === 3) bones[((axis - 3) * 3 + j) * 4 + 3] += h;
              continue;
            }
            const [a, b] = [(p * 3 + j) * 4 + c, (q * 3 + j) * 4 + c];
            [bones[a], bones[b]] = [
              Math.cos(h) * kept[a] - Math.sin(h) * kept[b],
              Math.sin(h) * kept[a] + Math.cos(h) * kept[b],
            ];
          }
          expect(measure()).toBeGreaterThan(error * (1 - 1e-7));
          bones.set(kept);
        }
      }
    }
  });

  it('never raises the error of weights, and keeps a bone if the penalty would remove all', async () => {
    const { trajectories } = normalizeClip(compute, clip);
    const { vertexCount, frameCount } = trajectories;
    const bones = compute.float64(12 * 4 * frameCount);
    const random = makeRandom(8);
    for (let row = 0; row < 3 * frameCount; row++) {
      for (let j = 0; j < 4; j++) {
        bones.view()[(row * 4 + j) * 4 + (row % 3)] = 1;
        bones.view()[(row * 4 + j) * 4 + 3] = 0.2 * random.normal();
      }
    }
    const weights = new Float64Array(4 * vertexCount).fill(0.25);
    const first = await lsspWeightsInto(compute, trajectories, bones, 0, weights);
    const again = await lsspWeightsInto(compute, trajectories, bones, 0, weights);
    expect(again).toBeLessThanOrEqual(first * (1 + 1e-9));
    await lsspWeightsInto(compute, trajectories, bones, 0.999, weights);
    for (let i = 0; i < vertexCount; i++) expect(Math.max(...weights.subarray(4 * i, 4 * i + 4))).toBeGreaterThan(0);
  });
});
