// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../scripts/launch-gpu.ts';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin, type Skin } from '../../../core/model/skin/skin.ts';
import { createGpuDeformer, type GpuDeformer } from '../create-gpu-deformer.ts';
import { requestGpuDevice } from '../gpu-device.ts';
import type { GpuModel } from '../gpu-model.ts';

let device: GPUDevice;
beforeAll(async () => {
  device = await requestGpuDevice({ gpu: await launchGpu() });
});

/** A fan of five triangles over two bones. */
function listModels(): { name: string; model: GpuModel }[] {
  const positions = Float32Array.from({ length: 21 }, (_, c) => Math.sin(c * 1.7));
  const mesh = makeMesh(
    positions,
    Uint32Array.from({ length: 15 }, (_, c) => [0, 1, 2][c % 3] + Math.floor(c / 3)),
  );
  mesh.normals = Float32Array.from({ length: 21 }, (_, c) => (c % 3 === 1 ? 1 : 0));
  const bonesOf = Array.from({ length: 14 }, (_, c) => c % 2);
  const skin = makeSkin(
    bonesOf,
    bonesOf.map((bone, c) => (bone === 0 ? c / 14 : 1 - c / 14)),
    2,
  );
  const skeleton = { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices: makeIdentities(2) };
  const virtualBones: Skin = makeSkin([0, 1, 0, 1], [1, 0, 0.5, 0.5], 2);
  const plain = { mesh, skeleton, skin };
  const correction = { rank: 1, basis: positions.map((x) => x / 10), normalRank: 0, tracks: [] };
  const rows = { rowStart: Uint32Array.from({ length: 8 }, (_, i) => i), boneIndices: new Uint32Array(7) };
  const omegas = Float64Array.from({ length: 70 }, (_, c) => [1, 0, 0, 0, 1, 0, 0, 1, 0, 1][c % 10]);
  const settings = { iterations: 1, lambda: 1, kappa: 0, alpha: 0 };
  return [
    { name: 'linear blend', model: { kind: 'skin', ...plain } },
    { name: 'dual quaternions', model: { kind: 'dual-quaternion', ...plain } },
    { name: 'a corrected skin', model: { kind: 'corrected-skin', ...plain, correction } },
    { name: 'two layers', model: { kind: 'linear-two-layer', mesh, skeleton, virtualBones, skin } },
    {
      name: 'variant 0',
      model: { kind: 'direct-delta-mush', mesh, skeleton, variant: 0, settings, multiWeights: { ...rows, omegas } },
    },
  ];
}

function deformBy(x: number, deformer: GpuDeformer) {
  const bones = makeIdentities(2);
  bones[12] = x;
  bones[16 + 13] = x;
  const pose = { bones, corrections: deformer.coefficients && Float32Array.of(x) };
  deformer.writePoses(new Array(deformer.instances).fill(pose));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  deformer.encode(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
  return deformer.readback();
}

describe('a fork', () => {
  it.each(listModels())('of $name has poses and outputs of its own, and outlives what it came from', async (given) => {
    const first = await createGpuDeformer(device, given.model);
    const second = first.fork();
    const alone = await createGpuDeformer(device, given.model);
    const expected = await deformBy(2, alone);
    const before = await deformBy(1, first);
    const other = await deformBy(2, second);
    expect(other).toEqual(expected);
    expect(other.positions).not.toEqual(before.positions);
    expect(await first.readback()).toEqual(before);
    first.destroy();
    first.destroy();
    expect(await deformBy(2, second)).toEqual(expected);
    expect(() => first.fork()).toThrow(/fork after destroy/);
    second.destroy();
    alone.destroy();
  });

  it.each(listModels())('of $name for more, or fewer, deforms all of them', async ({ model }) => {
    const one = await createGpuDeformer(device, model);
    const many = one.fork({ instances: 20 });
    const few = (await createGpuDeformer(device, model, { instances: 20 })).fork({ instances: 3 });
    const { positions } = await deformBy(2, one);
    for (const other of [many, few]) {
      const expected = Array.from({ length: other.instances }, () => [...positions]).flat();
      expect([...(await deformBy(2, other)).positions]).toEqual(expected);
    }
  });

  it('writes into buffers of the caller, and takes over none', async () => {
    const [{ model }] = listModels();
    const positions = device.createBuffer({ size: 512, usage: 0x80 | 0x4 });
    const first = await createGpuDeformer(device, model, { positions, positionsOffset: 256 });
    const [own, given] = [first.fork(), first.fork({ positions, positionsOffset: 0, instances: 2 })];
    expect(own.positions).not.toBe(positions);
    expect(given.positions).toBe(positions);
    expect(given.instances).toBe(2);
    expect(() => first.fork({ positions, positionsOffset: 500 })).toThrow(/has 512 bytes/);
    for (const one of [first, own, given]) one.destroy();
  });
});
