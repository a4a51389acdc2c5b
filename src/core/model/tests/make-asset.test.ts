// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { bakeAt } from '../../../deformers/playback/bake/bake-at.ts';
import { sampleAnimation } from '../../../deformers/playback/sample-animation.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { makeIdentities } from '../../math/mat4.ts';
import type { SkinnedModel } from '../asset.ts';
import { makeAsset } from '../make-asset.ts';

function makeModel(): SkinnedModel {
  const { clip, skeleton, skin, motion } = makeSample('bar-bend', { frames: 5 });
  return { kind: 'skin', mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
}

describe('makeAsset', () => {
  it('keeps the frames of a clip', () => {
    const { clip } = makeSample('sheet', { frames: 3 });
    const asset = makeAsset(clip, { metresPerUnit: 0.01, up: 'z' });
    expect(asset.clips).toEqual([clip]);
    expect(asset).toMatchObject({ name: clip.name, metresPerUnit: 0.01, up: 'z', animations: [] });
  });

  it('plays the motions of a model at its frames, and straight between them', () => {
    const model = makeModel();
    const [motion] = model.motions;
    const asset = makeAsset(model);
    const boneCount = model.skeleton.names.length;
    const { motion: played } = sampleAnimation(asset, asset.animations[0], motion.times);
    expect(played.matrices).toEqual(motion.matrices);
    const half = (motion.times[1] + motion.times[2]) / 2;
    const between = sampleAnimation(asset, asset.animations[0], [half]).motion.matrices;
    for (let c = 0; c < 16 * boneCount; c++) {
      const mean = (motion.matrices[16 * boneCount + c] + motion.matrices[32 * boneCount + c]) / 2;
      expect(between[c]).toBeCloseTo(mean, 12);
    }
  });

  it('holds the first and the last frame before and after', () => {
    const model = makeModel();
    const asset = makeAsset(model);
    const [motion] = model.motions;
    const { matrices } = sampleAnimation(asset, asset.animations[0], [-1, 1e6]).motion;
    const stride = 16 * model.skeleton.names.length;
    expect(matrices.subarray(0, stride)).toEqual(motion.matrices.subarray(0, stride));
    expect(matrices.subarray(stride)).toEqual(motion.matrices.subarray(motion.matrices.length - stride));
  });

  it('gives the rest shape without an animation', () => {
    const model = makeModel();
    const { positions } = bakeAt(makeAsset({ ...model, motions: [] }), undefined, Float64Array.of(0));
    for (let c = 0; c < positions.length; c++) expect(positions[c]).toBeCloseTo(model.mesh.positions[c], 5);
    expect(sampleAnimation(makeAsset(model), undefined, [0]).motion.matrices).toHaveLength(
      makeIdentities(model.skeleton.names.length).length,
    );
  });
});
