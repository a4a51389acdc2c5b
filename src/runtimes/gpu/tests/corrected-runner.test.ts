// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../scripts/launch-gpu.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import type { CorrectedSkin } from '../../../core/model/deformed/deformed-model.ts';
import type { Pose } from '../../../core/model/deformed/deformer.ts';
import type { NormalRule, SkinCorrection } from '../../../core/model/deformed/skin-correction.ts';
import { makeCorrected } from '../../../deformers/corrections/corrected.ts';
import { makeRestNormals } from '../../../deformers/linear-blend/rest-normals.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { createGpuDeformer, type GpuDeformer, type GpuDeformerOptions } from '../create-gpu-deformer.ts';
import { requestGpuDevice } from '../gpu-device.ts';

const FRAMES = 5;
const STORAGE = 0x80 | 0x4;

let device: GPUDevice;
beforeAll(async () => {
  device = await requestGpuDevice({ gpu: await launchGpu() });
});

/** A creature with three waves over its rest shape, and poses in which they move; one with a bone turned by half a turn. */
function makeModel(rule: NormalRule | undefined, normalRank: number): { model: CorrectedSkin; poses: Pose[] } {
  const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 150, frames: FRAMES });
  const mesh = { ...clip.mesh, normals: makeRestNormals(clip.mesh) };
  const size = mesh.positions.length;
  const wave = (count: number, scale: number) =>
    Float32Array.from(
      { length: count * size },
      (_, c) => scale * Math.sin(3 * mesh.positions[c % size] + c / size + (c % 3)),
    );
  const correction: SkinCorrection = {
    ...{ rank: 3, basis: wave(3, 0.05), normalRank, tracks: [] },
    ...(rule ? { normals: { rule, basis: wave(normalRank || 3, 0.4) } } : {}),
  };
  const poses = Array.from({ length: FRAMES }, (_, k): Pose => {
    const bones = poseOf(motion!, k).slice();
    if (k === 2) for (const c of [0, 1, 2, 4, 5, 6]) bones[16 + c] *= -1;
    return { bones, corrections: Float32Array.from({ length: 3 + normalRank }, (_, r) => Math.cos(k + 2 * r)) };
  });
  return { model: { kind: 'corrected-skin', mesh, skeleton: skeleton!, skin: skin!, correction }, poses };
}

async function run(deformer: GpuDeformer, poses: Pose[]) {
  deformer.writePoses(poses);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  deformer.encode(pass, undefined, poses.length);
  pass.end();
  device.queue.submit([encoder.finish()]);
  return deformer.readback(poses.length);
}

/** Farthest coordinates from the reference: of positions, in parts of the model's size of about one, and of normals. */
async function compare(
  { model, poses }: ReturnType<typeof makeModel>,
  options: GpuDeformerOptions = {},
): Promise<{ positions: number; normals: number }> {
  const deformer = await createGpuDeformer(device, model, { instances: poses.length, ...options });
  const { stride = 3, normals: withNormals = true } = options;
  const shown = await run(deformer, poses);
  const reference = makeCorrected(model.mesh, model.skin, model.skeleton.names.length, model.correction);
  const size = model.mesh.positions.length;
  const [positions, normals] = [new Float32Array(size), new Float32Array(size)];
  const far = { positions: 0, normals: 0 };
  poses.forEach((pose, k) => {
    reference.deformInto(pose, positions, normals);
    for (let c = 0; c < size; c++) {
      const at = (k * (size / 3) + Math.floor(c / 3)) * stride + (c % 3);
      far.positions = Math.max(far.positions, Math.abs(shown.positions[at] - positions[c]));
      if (withNormals) far.normals = Math.max(far.normals, Math.abs(shown.normals![at] - normals[c]));
    }
  });
  deformer.destroy();
  return far;
}

describe('corrected skins on the GPU', () => {
  it.each<[NormalRule | undefined, number]>([
    [undefined, 0],
    ['inverse-transpose', 2],
    ['blend', 2],
    ['blend', 0],
  ])('agree with the reference to 2e-5, normals by %s with %d coefficients of their own', async (rule, normalRank) => {
    const { positions, normals } = await compare(makeModel(rule, normalRank));
    expect(positions).toBeLessThan(2e-5);
    expect(normals).toBeLessThan(1e-3);
  });

  it('agree with four numbers per vertex, and without normals', async () => {
    expect((await compare(makeModel('blend', 0), { stride: 4 })).positions).toBeLessThan(2e-5);
    expect((await compare(makeModel(undefined, 0), { normals: false })).positions).toBeLessThan(2e-5);
  });

  it('write where they are told to in buffers of the caller', async () => {
    const { model, poses } = makeModel('blend', 0);
    const bytes = 4 * model.mesh.positions.length * poses.length;
    const normalsOffset = 256 * Math.ceil((bytes + 12) / 256);
    const shared = device.createBuffer({ size: normalsOffset + bytes, usage: STORAGE });
    const options = { positions: shared, positionsOffset: 12, normalsBuffer: shared, normalsOffset };
    const far = await compare({ model, poses }, options);
    expect(far.positions).toBeLessThan(2e-5);
    expect(far.normals).toBeLessThan(1e-3);
  });

  it('show the plain skin for poses without coefficients', async () => {
    const { model, poses } = makeModel(undefined, 0);
    const plain = poses.map(({ bones }) => ({ bones }));
    const one = await createGpuDeformer(device, model, { instances: FRAMES });
    const other = await createGpuDeformer(device, { ...model, kind: 'skin' }, { instances: FRAMES });
    await run(one, poses);
    const [a, b] = [await run(one, plain), await run(other, plain)];
    for (let c = 0; c < a.positions.length; c++) expect(a.positions[c]).toBeCloseTo(b.positions[c], 5);
    one.destroy();
    other.destroy();
  });

  it('refuse what does not fit, in one sentence', async () => {
    const { model, poses } = makeModel(undefined, 0);
    const short = { ...model.correction, basis: new Float32Array(3) };
    await expect(createGpuDeformer(device, { ...model, correction: short })).rejects.toThrow(/the basis has 3 numbers/);
    const deformer = await createGpuDeformer(device, model);
    expect(() => deformer.writePoses([{ ...poses[0], corrections: new Float32Array(7) }])).toThrow(
      /7 coefficients, expected 3/,
    );
    expect(() => deformer.writePoses(poses)).toThrow(/5 poses for 1 instances/);
    deformer.destroy();
  });
});
