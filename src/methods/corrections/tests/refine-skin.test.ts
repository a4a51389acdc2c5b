// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { checkSkin } from '../../../core/model/skin/skin.ts';
import { makeCorrected } from '../../../deformers/corrections/corrected.ts';
import { measureError } from '../../../measure/error/measure-error.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { correctModel } from '../correct-model.ts';
import { isRigidMotion } from '../refine-motion.ts';

/** A creature that ripples, with bones that are a little off and weights a little wrong. */
function makeRough(): { clip: Clip; model: SkinnedModel } {
  const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 120, frames: 8 });
  const { mesh } = clip;
  const positions = clip.positions.map((x, c) => {
    const [k, v] = [Math.floor(c / mesh.positions.length), c % mesh.positions.length];
    return x + 0.03 * Math.sin(7 * mesh.positions[v - (v % 3)] + 5 * mesh.positions[v] * Math.cos(k) + 2 * k + v);
  });
  const matrices = motion!.matrices.map((x, c) => (c % 16 >= 12 && c % 16 < 15 ? x + 0.01 * Math.sin(c) : x));
  const model = { kind: 'skin' as const, mesh, skeleton: skeleton!, skin: skin!, motions: [{ ...motion!, matrices }] };
  return { clip: { ...clip, positions }, model };
}

describe('correctModel with refine', () => {
  it('lowers the error in every iteration, and does not change the input model', async () => {
    const { clip, model } = makeRough();
    const kept = structuredClone(model);
    let before = Number.POSITIVE_INFINITY;
    for (const refine of [0, 1, 2, 4]) {
      const { eRms } = await correctModel(clip, model, { rank: 2, refine, tolerance: 0, iterations: 10 });
      expect(eRms[2]).toBeLessThan(before);
      before = eRms[2];
    }
    expect(model).toEqual(kept);
  });

  it('returns the model that it measured: a skin, rigid bones, and their corrections', async () => {
    const { clip, model } = makeRough();
    const { model: own, correction, eRms } = await correctModel(clip, model, { rank: 2, refine: 4 });
    checkSkin(own.skin, own.skeleton.names.length);
    expect(isRigidMotion(own)).toBe(true);
    const deformer = makeCorrected(own.mesh, own.skin, own.skeleton.names.length, correction);
    const stride = own.mesh.positions.length;
    const positions = new Float32Array(clip.positions.length);
    for (let k = 0; k < clip.times.length; k++)
      deformer.deformInto(
        { bones: poseOf(own.motions[0], k), corrections: correction.tracks[0].values.subarray(2 * k, 2 * k + 2) },
        positions.subarray(k * stride, (k + 1) * stride),
      );
    expect(measureError(clip, { ...clip, positions }).eRms / eRms[2]).toBeCloseTo(1, 5);
  });

  it('recovers displaced bones', async () => {
    const { clip, model } = makeRough();
    const { clip: still } = makeSample('creature', { resolution: 120, frames: 8 });
    const plain = await correctModel({ ...clip, positions: still.positions }, model, { rank: 1 });
    const refined = await correctModel({ ...clip, positions: still.positions }, model, { rank: 1, refine: 20 });
    expect(refined.eRms[1]).toBeLessThan(0.2 * plain.eRms[1]);
  });

  it('changes no bone if some are not rigid', async () => {
    const { clip, model } = makeRough();
    const matrices = model.motions[0].matrices.map((x, c) => (c % 16 === 0 ? 1.1 * x : x));
    const scaled = { ...model, motions: [{ ...model.motions[0], matrices }] };
    expect(isRigidMotion(scaled)).toBe(false);
    const before = await correctModel(clip, scaled, { rank: 2 });
    const after = await correctModel(clip, scaled, { rank: 2, refine: 3 });
    expect(after.model.motions).toEqual(scaled.motions);
    expect(after.eRms[2]).toBeLessThan(before.eRms[2]);
  });

  it('removes collapsed blends if full rank or a maximum error requires it, and is then exact', async () => {
    const { clip, model } = makeRough();
    // every bone but the first turned by half a turn about its own z axis in one frame
    const matrices = model.motions[0].matrices.slice();
    const boneCount = model.skeleton.names.length;
    for (let j = 1; j < boneCount; j++)
      for (const c of [0, 1, 2, 4, 5, 6]) matrices[16 * (3 * boneCount + j) + c] *= j % 2 === 0 ? 1 : -1;
    const folded = { ...model, motions: [{ ...model.motions[0], matrices }] };
    const size = 3;
    const kept = await correctModel(clip, folded, { rank: 8 });
    expect(kept.singularCount).toBeGreaterThan(0);
    expect(kept.max.at(-1)).toBeGreaterThan(1e-3 * size);
    for (const options of [{ rank: 8 }, { maxError: 1e-5 * size }]) {
      const opened = await correctModel(clip, folded, { ...options, refine: 1 });
      expect(opened.singularCount).toBe(0);
      expect(opened.max.at(-1)).toBeLessThan(1e-5 * size);
      checkSkin(opened.model.skin, boneCount);
    }
  });

  it('has a smaller error with affine bones, and is finite if a bone has few points', async () => {
    const { clip, model } = makeRough();
    const rigid = await correctModel(clip, model, { rank: 2, refine: 3 });
    const affine = await correctModel(clip, model, { rank: 2, refine: 3, bones: 'affine' });
    expect(affine.eRms[2]).toBeLessThan(rigid.eRms[2]);
    expect(affine.model.motions[0].matrices.every(Number.isFinite)).toBe(true);
    expect(isRigidMotion(affine.model)).toBe(false);
  });

  it('rejects invalid numbers of iterations', async () => {
    const { clip, model } = makeRough();
    await expect(correctModel(clip, model, { refine: -1 })).rejects.toThrow(/refine must be a whole number/);
  });
});
