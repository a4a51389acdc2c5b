// SPDX-License-Identifier: MIT

import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { compose } from '../../../core/math/mat4.ts';
import type { Deformer } from '../../../core/model/deformed/deformer.ts';
import { makeLooseSkeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeCorrected } from '../../../deformers/corrections/corrected.ts';
import { makeDdm } from '../../../deformers/direct-delta-mush/make-ddm.ts';
import { makeLinearBlend } from '../../../deformers/linear-blend/make-linear-blend.ts';
import { makeLinearTwoLayer } from '../../../deformers/two-layer/linear-two-layer.ts';
import { makeTwoLayer } from '../../../deformers/two-layer/make-two-layer.ts';
import { compressDdm } from '../../../methods/compress/compress-ddm.ts';
import { precomputeDdm } from '../../../methods/mush/precompute-ddm.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import type { GpuModel } from '../../gpu/gpu-model.ts';
import { makeBoneBounds } from '../bone-bounds.ts';

const models: Record<string, { model: GpuModel; deformer: Deformer }> = {};
let boneCount = 0;

beforeAll(async () => {
  const { clip, skeleton, skin } = makeSample('creature', { resolution: 150, frames: 1 });
  const { mesh } = clip;
  boneCount = skeleton!.names.length;
  const ddm = await precomputeDdm(mesh, skeleton!, skin!);
  const layers = (await compressDdm(ddm, { virtualBones: 8, influences: 4, iterations: 1, poses: 4 })).model;
  const basis = mesh.positions.map((_, c) => 0.1 * Math.sin(c));
  const correction = { rank: 1, basis, normalRank: 0, tracks: [] };
  const pairs = Array.from({ length: 2 * boneCount }, (_, e) => ((e >> 1) + (e & 1)) % boneCount);
  const virtualBones = makeSkin(
    pairs,
    pairs.map((_, e) => 0.25 + (e & 1) / 2),
    2,
  );
  const linear = { kind: 'linear-two-layer' as const, mesh, skeleton: skeleton!, virtualBones, skin: skin! };
  const plain = { mesh, skeleton: skeleton!, skin: skin! };
  models['linear blending'] = { model: { kind: 'skin', ...plain }, deformer: makeLinearBlend(mesh, skin!, boneCount) };
  models.corrections = {
    model: { kind: 'corrected-skin', ...plain, correction },
    deformer: makeCorrected(mesh, skin!, boneCount, correction),
  };
  models['linear layers'] = { model: linear, deformer: makeLinearTwoLayer(linear) };
  models['multi-weights'] = { model: ddm, deformer: makeDdm(ddm) };
  models['two layers'] = { model: layers, deformer: makeTwoLayer(layers) };
});

/** Bones that turn and move on their own, as no skeleton would let them. */
const pose = fc
  .array(fc.tuple(fc.double({ min: -3, max: 3 }), fc.double({ min: -1, max: 1 })), { minLength: 31, maxLength: 31 })
  .filter((list) => list.flat().every(Number.isFinite));

describe('boxes of bones', () => {
  it.each(['linear blending', 'corrections', 'linear layers', 'multi-weights', 'two layers'])(
    'hold the shape in any pose: %s',
    (name) => {
      const { model, deformer } = models[name];
      const bounds = makeBoneBounds(model);
      const positions = new Float32Array(model.mesh.positions.length);
      const box = new Float64Array(6);
      fc.assert(
        fc.property(pose, (list) => {
          const bones = new Float64Array(16 * boneCount);
          for (let j = 0; j < boneCount; j++) {
            const [angle, shift] = list[j % list.length];
            const turn = [Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)];
            compose([shift, 0, -shift], turn, [1, 1, 1], bones, 0, 0, 0, 16 * j);
          }
          deformer.deformInto({ bones, corrections: Float32Array.of(-1) }, positions);
          bounds.boxInto(bones, box);
          for (let c = 0; c < positions.length; c++) {
            expect(positions[c]).toBeGreaterThan(box[c % 3] - 1e-5);
            expect(positions[c]).toBeLessThan(box[3 + (c % 3)] + 1e-5);
          }
        }),
        { numRuns: 15 },
      );
    },
  );

  it('are those of the vertices where a single bone moves all of them', () => {
    const positions = Float32Array.of(0, 0, 0, 1, 2, 3, -1, 0.5, 2);
    const { model } = models['linear blending'];
    const mesh = { ...model.mesh, positions };
    const skin = makeSkin([0, 0, 0], [1, 1, 1], 1);
    const bones = new Float64Array(16);
    compose([10, 0, 0], [0, 0, 0, 1], [2, 2, 2], bones);
    const box = new Float64Array(6);
    makeBoneBounds({ kind: 'skin', mesh, skeleton: makeLooseSkeleton(1), skin }).boxInto(bones, box);
    const expected = [8, 0, 0, 12, 4, 6];
    for (let c = 0; c < 6; c++) expect(Math.abs(box[c] - expected[c])).toBeLessThan(0.1);
  });
});
