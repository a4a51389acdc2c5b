// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import type { SkinnedModel } from '../../../../core/model/asset.ts';
import { type Clip, frameCountOf, makeTimes } from '../../../../core/model/clip/clip.ts';
import { poseOf } from '../../../../core/model/clip/motion.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { checkSkin, maxInfluencesOf } from '../../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../../../deformers/linear-blend/make-linear-blend.ts';
import { measureError } from '../../../../measure/error/measure-error.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import type { SsdrOptions } from '../options.ts';
import { ssdr } from '../ssdr.ts';

/** The model played at its own frames. */
function play(clip: Clip, model: SkinnedModel): Clip {
  const deformer = makeLinearBlend(model.mesh, model.skin, model.skeleton.names.length);
  const positions = new Float32Array(clip.positions.length);
  const stride = clip.mesh.positions.length;
  for (let k = 0; k < frameCountOf(clip); k++)
    deformer.deformInto({ bones: poseOf(model.motions[0], k) }, positions.subarray(k * stride, (k + 1) * stride));
  return { ...clip, positions };
}

function checkRotations(model: SkinnedModel): void {
  const { matrices } = model.motions[0];
  for (let o = 0; o < matrices.length; o += 16) {
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        let dot = 0;
        for (let r = 0; r < 3; r++) dot += matrices[o + 4 * a + r] * matrices[o + 4 * b + r];
        expect(dot).toBeCloseTo(a === b ? 1 : 0, 10);
      }
    }
  }
}

/** A clip moved by x → s R x + t, rest and frames alike, its vertices listed backwards. */
function transformClip(clip: Clip): Clip {
  const turn = (from: Float32Array): Float32Array => {
    const to = new Float32Array(from.length);
    const count = from.length / 3;
    for (let i = 0; i < count; i++) {
      const [x, y, z] = from.subarray(3 * i, 3 * i + 3);
      to.set([2.5 * (0.6 * x - 0.8 * z) + 30, 2.5 * y - 4, 2.5 * (0.8 * x + 0.6 * z) + 7], 3 * (count - 1 - i));
    }
    return to;
  };
  const stride = clip.mesh.positions.length;
  const positions = new Float32Array(clip.positions.length);
  for (let k = 0; k < frameCountOf(clip); k++)
    positions.set(turn(clip.positions.subarray(k * stride, (k + 1) * stride)), k * stride);
  const triangles = clip.mesh.triangles.map((v) => stride / 3 - 1 - v);
  return { ...clip, mesh: makeMesh(turn(clip.mesh.positions), triangles), positions };
}

describe('ssdr', () => {
  let compute: Compute;
  const clip = makeSample('quadruped', { resolution: 700, frames: 16 }).clip;
  beforeAll(async () => {
    compute = await makeCompute({ threads: 1 });
  });
  afterAll(() => compute.dispose());
  const run = (options: SsdrOptions, of: Clip = clip) => ssdr(compute, of, options);

  it('gives convex weights, rotations, and the error that it reports', async () => {
    const result = await run({ bones: 14 });
    const { model } = result;
    expect(model.skeleton.names.length).toBe(14);
    checkSkin(model.skin, 14);
    expect(maxInfluencesOf(model.skin)).toBeLessThanOrEqual(4);
    checkRotations(model);
    const measured = measureError(clip, play(clip, model));
    expect(measured.eRms).toBeCloseTo(result.eRms, 2);
    expect(result.eRms).toBeLessThan(result.eRmsBeforeRest);
    expect(result.eRms).toBeLessThan(8);
  });

  it('keeps the rest pose on request; then only the skin is new', async () => {
    const { model, eRms, eRmsBeforeRest } = await run({ bones: 8, keepRest: true });
    expect(model.mesh.positions).toEqual(clip.mesh.positions);
    expect(eRms).toBe(eRmsBeforeRest);
  });

  it('uses all bones, and at most the maximum number of influences', async () => {
    for (const influences of [1, 2, 6]) {
      const { model } = await run({ bones: 10, influences, iterations: 2 });
      expect(maxInfluencesOf(model.skin)).toBeLessThanOrEqual(influences);
      expect(new Set(model.skin.boneIndices).size).toBe(10);
    }
  });

  it('has lower errors with more general transformations', async () => {
    const errors: number[] = [];
    for (const transforms of ['rigid', 'similarity', 'affine'] as const)
      errors.push((await run({ bones: 8, transforms })).eRms);
    expect(errors[1]).toBeLessThan(errors[0]);
    expect(errors[2]).toBeLessThan(errors[1]);
  });

  it('recovers a skinned animation nearly exactly', async () => {
    const { clip: truth, skeleton } = makeSample('bar-bend', { resolution: 600, frames: 30 });
    const { eRms } = await run({ bones: skeleton?.names.length ?? 4 }, truth);
    expect(eRms).toBeLessThan(1);
  });

  it('is equivariant: follows a rotated, moved, scaled and re-indexed input', async () => {
    const a = await run({ bones: 12 });
    const b = await run({ bones: 12 }, transformClip(clip));
    expect(Math.abs(b.eRms / a.eRms - 1)).toBeLessThan(0.02);
  });

  it('gives the same bytes again, and on two threads', async () => {
    const options = { bones: 9, iterations: 3, seed: 5 };
    const one = await run(options);
    const again = await run(options);
    const two = await makeCompute({ threads: 2 });
    const threaded = await ssdr(two, clip, options);
    two.dispose();
    expect(again).toEqual(one);
    expect(threaded).toEqual(one);
  });

  it('never raises the error of accepted states over all vertices', async () => {
    const errors: number[] = [];
    await run({
      bones: 10,
      tolerance: 0,
      onProgress: (info) => info.phase === 'finish' && info.eRms && errors.push(info.eRms),
    });
    expect(errors.length).toBeGreaterThan(5);
    for (let n = 1; n < errors.length; n++) expect(errors[n]).toBeLessThanOrEqual(errors[n - 1] * (1 + 1e-9));
  });

  it('stops on request, with a complete model', async () => {
    const controller = new AbortController();
    const result = await run({
      bones: 12,
      signal: controller.signal,
      onProgress: (info) => info.phase === 'relocate' && controller.abort(),
    });
    expect(result.status).toBe('stopped');
    checkSkin(result.model.skin, 12);
    checkRotations(result.model);
  });

  it('accepts one vertex, one frame, no motion, and more bones than points', async () => {
    const triangle = makeMesh(Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]), Uint32Array.from([0, 1, 2]));
    const still: Clip = {
      kind: 'clip',
      name: 'still',
      mesh: triangle,
      positions: triangle.positions.slice(),
      times: makeTimes(1, 24),
    };
    const rigid = await run({ bones: 50 }, still);
    expect(rigid.model.skeleton.names.length).toBe(1);
    expect(rigid.eRms).toBeLessThan(1e-3);
    const stretched = await run({ bones: 50 }, { ...still, positions: triangle.positions.map((x, c) => x * (1 + c)) });
    expect(stretched.model.skeleton.names.length).toBe(3);
    expect(stretched.eRms).toBeLessThan(1e-3);
    const point = makeMesh(Float32Array.from([2, 3, 4]), new Uint32Array(0));
    const moving: Clip = {
      kind: 'clip',
      name: 'point',
      mesh: point,
      positions: Float32Array.from([5, 5, 5, 6, 6, 6]),
      times: makeTimes(2, 24),
    };
    expect((await run({ bones: 1 }, moving)).eRms).toBeLessThan(1e-3);
  });

  it('gives every point its own bone if there are as many bones', async () => {
    const triangle = makeMesh(Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]), Uint32Array.from([0, 1, 2]));
    const positions = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 3, 0, 0, 0, -2, 0.5]);
    const torn: Clip = { kind: 'clip', name: 'torn', mesh: triangle, positions, times: makeTimes(2, 24) };
    expect((await run({ bones: 3 }, torn)).eRms).toBeLessThan(1e-3);
  });

  it('finds the given number of bones in motion without rigid parts', async () => {
    const sheet = makeSample('sheet', { resolution: 500, frames: 8 }).clip;
    const { model } = await run({ bones: 27 }, sheet);
    expect(new Set(model.skin.boneIndices).size).toBe(27);
  });

  it('is not better with the rule of largest effects', async () => {
    const small = makeSample('quadruped', { resolution: 400, frames: 10 }).clip;
    const exchange = await run({ bones: 8, keepRest: true }, small);
    const effect = await run({ bones: 8, keepRest: true, support: 'effect' }, small);
    checkSkin(effect.model.skin, 8);
    expect(exchange.eRms).toBeLessThan(effect.eRms);
  });

  it('rejects invalid options', async () => {
    await expect(run({ bones: 0 })).rejects.toThrow('ssdr: bones must be a whole number, at least 1, got 0');
    await expect(run({ influences: 1.5 })).rejects.toThrow('ssdr: influences must be a whole number');
    await expect(run({ tolerance: -1 })).rejects.toThrow('ssdr: tolerance must not be negative');
    await expect(run({ effort: 0 })).rejects.toThrow('ssdr: effort must be above 0 and at most 1, got 0');
    await expect(run({}, { ...clip, times: new Float64Array(0), positions: new Float32Array(0) })).rejects.toThrow(
      'ssdr: the clip has no frames',
    );
  });

  it('separates pieces that touch at rest but move apart', async () => {
    // two copies of one grid on top of one another; one stays, one turns away
    const random = makeRandom(1);
    const grid = Float32Array.from({ length: 90 }, () => random.normal());
    const rest = new Float32Array(180);
    rest.set(grid);
    rest.set(grid, 90);
    const positions = new Float32Array(360);
    positions.set(rest);
    for (let i = 0; i < 30; i++) {
      positions.set(grid.subarray(3 * i, 3 * i + 3), 180 + 3 * i);
      positions.set([-grid[3 * i + 1], grid[3 * i], grid[3 * i + 2] + 1], 270 + 3 * i);
    }
    const two: Clip = {
      kind: 'clip',
      name: 'two',
      mesh: makeMesh(rest, Uint32Array.from([0, 1, 2, 30, 31, 32])),
      positions,
      times: makeTimes(2, 24),
    };
    expect((await run({ bones: 2 }, two)).eRms).toBeLessThan(1e-3);
  });
});
