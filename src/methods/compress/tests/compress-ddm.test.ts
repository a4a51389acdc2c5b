// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { type Motion, poseOf } from '../../../core/model/clip/motion.ts';
import type { DirectDeltaMush } from '../../../core/model/deformed/direct-delta-mush.ts';
import { checkTwoLayer, type TwoLayer } from '../../../core/model/deformed/two-layer.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin, maxInfluencesOf } from '../../../core/model/skin/skin.ts';
import { makeDdm } from '../../../deformers/direct-delta-mush/make-ddm.ts';
import { makeTwoLayer } from '../../../deformers/two-layer/make-two-layer.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { precomputeDdm } from '../../mush/precompute-ddm.ts';
import { compressDdm } from '../compress-ddm.ts';
import { makeDdmCompressor } from '../make-ddm-compressor.ts';

async function makeModel(name: string): Promise<{ ddm: DirectDeltaMush; motion: Motion }> {
  const { clip, skeleton, skin, motion } = makeSample(name, { resolution: 400, frames: 8 });
  if (!skeleton || !skin || !motion) throw new Error('the sample has bones');
  return { ddm: await precomputeDdm(clip.mesh, skeleton, skin, { lambda: 20 }), motion };
}

/** Errors over every frame, as a part of the height. */
function measure(ddm: DirectDeltaMush, model: TwoLayer, motion: Motion, height: number): { rms: number; max: number } {
  const count = ddm.mesh.positions.length;
  const a = new Float64Array(count);
  const b = new Float64Array(count);
  const truth = makeDdm(ddm);
  const result = makeTwoLayer(model);
  let sum = 0;
  let max = 0;
  for (let k = 0; k < motion.times.length; k++) {
    const bones = poseOf(motion, k);
    truth.deformInto({ bones }, a);
    result.deformInto({ bones }, b);
    for (let c = 0; c < count; c += 3) {
      const square = (a[c] - b[c]) ** 2 + (a[c + 1] - b[c + 1]) ** 2 + (a[c + 2] - b[c + 2]) ** 2;
      sum += square;
      max = Math.max(max, square);
    }
  }
  return { rms: Math.sqrt(sum / ((count / 3) * motion.times.length)) / height, max: Math.sqrt(max) / height };
}

describe('compressing a bar', async () => {
  const { ddm, motion } = await makeModel('bar-bend');
  const few = { virtualBones: 12, influences: 4, iterations: 6, poses: 6, threads: 1 };

  it('gives a valid model with a smaller error for more virtual bones', async () => {
    const errors: number[] = [];
    for (const virtualBones of [6, 12, 24]) {
      const {
        model,
        size: height,
        objective,
        rmseFit,
        rmseFitUndivided,
        status,
      } = await compressDdm(ddm, {
        ...few,
        virtualBones,
      });
      checkTwoLayer(model);
      expect(maxInfluencesOf(model.skin)).toBeLessThanOrEqual(4);
      expect(model.centers.length).toBe(3 * virtualBones);
      expect(rmseFitUndivided).toBeGreaterThan(rmseFit);
      expect(objective).toBeGreaterThan(0);
      expect(['converged', 'max-iterations']).toContain(status);
      const rest = new Float64Array(ddm.mesh.positions.length);
      makeTwoLayer(model).deformInto({ bones: makeIdentities(ddm.skeleton.names.length) }, rest);
      rest.forEach((v, c) => {
        expect(Math.abs(v - ddm.mesh.positions[c])).toBeLessThan(1e-6 * height);
      });
      errors.push(measure(ddm, model, motion, height).rms);
    }
    expect(errors[1]).toBeLessThan(0.7 * errors[0]);
    expect(errors[2]).toBeLessThan(0.9 * errors[1]);
  });

  it('never raises its objective without relocation', async () => {
    for (const objective of ['nonlinear', 'linear'] as const) {
      const { history } = await compressDdm(ddm, { ...few, objective, relocate: 0 });
      for (let n = 1; n < history.length; n++) expect(history[n]).toBeLessThanOrEqual(history[n - 1] * (1 + 1e-9));
    }
  });

  it('has a smaller error on frames that are given as examples', async () => {
    const rms = async (examples: number): Promise<number> => {
      const { model, size, history } = await compressDdm(ddm, { ...few, relocate: 0, examples, motions: [motion] });
      for (let n = 1; n < history.length; n++) expect(history[n]).toBeLessThanOrEqual(history[n - 1] * (1 + 1e-9));
      return measure(ddm, model, motion, size).rms;
    };
    const [without, some, much] = [await rms(0), await rms(1), await rms(100)];
    expect(some).toBeLessThan(0.95 * without);
    expect(much).toBeLessThan(some);
  });

  it('gives the same bytes for several counts from one compressor as one at a time', async () => {
    const compressor = makeDdmCompressor(ddm, { ...few, iterations: 2 });
    for (const virtualBones of [8, 14, 5]) {
      const { model } = await compressor.compress({ virtualBones });
      const alone = await compressDdm(ddm, { ...few, iterations: 2, virtualBones });
      expect(model.virtualBones).toEqual(alone.model.virtualBones);
      expect(model.skin).toEqual(alone.model.skin);
    }
    expect(compressor.pointCount).toBeLessThanOrEqual(ddm.mesh.positions.length / 3);
  });

  it('continues from a model with fewer virtual bones', async () => {
    const compressor = makeDdmCompressor(ddm, { ...few, iterations: 3 });
    const small = await compressor.compress({ virtualBones: 8 });
    const grown = await compressor.compress({ virtualBones: 14, from: small.model, iterations: 2 });
    checkTwoLayer(grown.model);
    expect(grown.model.centers.length).toBe(3 * 14);
    expect(grown.objective).toBeLessThan(small.objective);
    await expect(compressor.compress({ virtualBones: 4, from: small.model })).rejects.toThrow(/from must be a model/);
    const other = await compressDdm(ddm, { ...few, iterations: 1 });
    await expect(compressor.compress({ virtualBones: 14, from: other.model })).rejects.toThrow(/same compressor/);
  });

  it('gives the same bytes again', async () => {
    const a = await compressDdm(ddm, { ...few, iterations: 3, relocate: 0.2 });
    const b = await compressDdm(ddm, { ...few, iterations: 3, relocate: 0.2 });
    expect(a.model.virtualBones.omegas).toEqual(b.model.virtualBones.omegas);
    expect(a.model.skin).toEqual(b.model.skin);
  });

  it('keeps the sum of every virtual bone: weights one, first moments zero', async () => {
    const { model, size: height } = await compressDdm(ddm, few);
    const { rowStart, omegas } = model.virtualBones;
    for (let k = 0; k + 1 < rowStart.length; k++) {
      const sums = [3, 6, 8, 9].map((c) => {
        let sum = 0;
        for (let e = rowStart[k]; e < rowStart[k + 1]; e++) sum += omegas[10 * e + c];
        return sum;
      });
      expect(Math.abs(sums[3] - 1)).toBeLessThan(1e-9);
      for (const sum of sums.slice(0, 3)) expect(Math.abs(sum)).toBeLessThan(1e-9 * height);
    }
  });

  it('works with a single virtual bone, and with as many as there are vertices', async () => {
    const one = await compressDdm(ddm, { virtualBones: 1, iterations: 2, poses: 4, threads: 1 });
    checkTwoLayer(one.model);
    expect(Number.isFinite(one.objective)).toBe(true);
    const { clip, skeleton, skin } = makeSample('bar-bend', { resolution: 100, frames: 1 });
    const small = await precomputeDdm(clip.mesh, skeleton!, skin!, { lambda: 20 });
    const count = small.mesh.positions.length / 3;
    const all = await compressDdm(small, { virtualBones: count, influences: 1, iterations: 0, threshold: 0, poses: 4 });
    expect(all.objective).toBeLessThan(1e-6 * all.size);
  });

  it('supports ranges from motions and from a table', async () => {
    const auto = await compressDdm(ddm, { ...few, ranges: 'auto', motions: [motion] });
    expect(measure(ddm, auto.model, motion, auto.size).rms).toBeLessThan(0.02);
    await compressDdm(ddm, { ...few, iterations: 1, ranges: { '*': [[0, 90], 0, 0] } });
  });

  it('returns the best result so far when it is stopped', async () => {
    const controller = new AbortController();
    const { status, model } = await compressDdm(ddm, {
      ...few,
      iterations: 50,
      signal: controller.signal,
      onProgress: ({ fraction }) => {
        if (fraction > 0.2) controller.abort();
      },
    });
    expect(status).toBe('stopped');
    checkTwoLayer(model);
  });

  it('rejects invalid input and options', async () => {
    await expect(compressDdm(ddm, { virtualBones: 1e6 })).rejects.toThrow(
      /more than the model's \d+ distinct vertices/,
    );
    await expect(compressDdm(ddm, { virtualBones: 4, influences: 5 })).rejects.toThrow(
      '5 influences per vertex are more than 4',
    );
    await expect(compressDdm(ddm, { virtualBones: 0 })).rejects.toThrow('at least 1, got 0');
    await expect(compressDdm(ddm, { ...few, ranges: { tail: 3 } })).rejects.toThrow('there is no bone "tail"');
    await expect(compressDdm(ddm, { ...few, ranges: 'auto' })).rejects.toThrow('needs an animation');
    await expect(compressDdm(ddm, { ...few, threshold: 2 })).rejects.toThrow('threshold must be');
    await expect(compressDdm(ddm, { ...few, examples: 1 })).rejects.toThrow('examples above 0 requires an animation');
    await expect(compressDdm(ddm, { ...few, examples: -1 })).rejects.toThrow('a weight of at least 0, got -1');
    await expect(compressDdm(ddm, { ...few, examples: 1, objective: 'linear' })).rejects.toThrow(
      '--examples: requires --objective nonlinear',
    );
    await expect(compressDdm(ddm, { ...few, norm: 0.5 })).rejects.toThrow('norm must be from 1 to 8, or max, got 0.5');
  });
});

describe('compressing a plane', () => {
  it('gives finite numbers', async () => {
    const side = 9;
    const positions = new Float32Array(3 * side * side);
    const triangles: number[] = [];
    const bones: number[] = [];
    for (let i = 0; i < side * side; i++) {
      positions.set([i % side, 0, Math.floor(i / side)], 3 * i);
      bones.push(i % side < side / 2 ? 0 : 1);
      if (i % side < side - 1 && i < side * (side - 1))
        triangles.push(i, i + 1, i + side, i + 1, i + side + 1, i + side);
    }
    const bindMatrices = makeIdentities(2);
    bindMatrices[16 + 12] = side / 2;
    const skeleton = { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices };
    const ddm = await precomputeDdm(
      makeMesh(positions, Uint32Array.from(triangles)),
      skeleton,
      makeSkin(
        bones,
        bones.map(() => 1),
        1,
      ),
    );
    for (const objective of ['nonlinear', 'linear'] as const) {
      const {
        model,
        objective: reached,
        rmseFit,
      } = await compressDdm(ddm, { virtualBones: 5, influences: 3, iterations: 3, objective });
      checkTwoLayer(model);
      expect(Number.isFinite(reached) && Number.isFinite(rmseFit)).toBe(true);
    }
  });
});
