// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../scripts/launch-gpu.ts';
import { compose, makeIdentities } from '../../../core/math/mat4.ts';
import type { Pose } from '../../../core/model/deformed/deformer.ts';
import type { TwoLayer } from '../../../core/model/deformed/two-layer.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeTwoLayer } from '../../../deformers/two-layer/make-two-layer.ts';
import { createGpuDeformer, type GpuDeformer } from '../create-gpu-deformer.ts';
import { requestGpuDevice } from '../gpu-device.ts';
import { writePalettesInto } from '../write-palettes.ts';

const VERTICES = 90;
const STORAGE = 0x80 | 0x8;

let device: GPUDevice;
beforeAll(async () => {
  device = await requestGpuDevice({ gpu: await launchGpu() });
});

/** A strip along x over two master bones: three virtual bones follow the first, both, the second. */
function makeStrip(isFlat = false): TwoLayer {
  const n = VERTICES;
  const positions = Float32Array.from({ length: 3 * n }, (_, c) => [c / 3 / n, (c % 2) * 0.2, 0][c % 3]);
  const triangles = Uint32Array.from({ length: 3 * (n - 2) }, (_, c) => Math.floor(c / 3) + (c % 3));
  const mesh = makeMesh(positions, triangles);
  mesh.normals = Float32Array.from({ length: 3 * n }, (_, c) => (c % 3 === 2 ? 1 : 0));
  const patch = (w: number, b: number) => [0.02 * w, 0, 0, b, 0.03 * w, 0, 0, isFlat ? 0 : 0.01 * w, 0, w];
  return {
    kind: 'two-layer',
    mesh,
    skeleton: { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices: makeIdentities(2) },
    virtualBones: {
      rowStart: Uint32Array.of(0, 1, 3, 4),
      boneIndices: Uint32Array.of(0, 0, 1, 1),
      omegas: Float64Array.from([...patch(1, 0), ...patch(0.6, -0.03), ...patch(0.4, 0.03), ...patch(1, 0)]),
    },
    centers: Float64Array.of(0.2, 0.1, 0, 0.5, 0.1, 0, 0.8, 0.1, 0),
    skin: makeSkin(
      Array.from({ length: 3 * n }, (_, c) => c % 3),
      Array.from({ length: 3 * n }, (_, c) => [n - c / 3, 20, c / 3][c % 3]),
      3,
    ),
  };
}

function makePoses(count: number): Pose[] {
  return Array.from({ length: count }, (_, k) => {
    const bones = new Float64Array(32);
    const turn = (angle: number) => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
    compose([0.1 * k, 0, 0], turn(0.2 * k), [1, 1, 1], bones);
    compose([0.1 * k, 0.02, 0], turn(-0.3 * k), [1, 1, 1], bones, 0, 0, 0, 16);
    return { bones };
  });
}

/** Encodes, and returns the farthest coordinate from the reference; NaN where one is. */
async function farthestOf(model: TwoLayer, deformer: GpuDeformer, poses: Pose[], palettes?: GPUBuffer) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  deformer.encode(pass, palettes, poses.length);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const { positions } = await deformer.readback(poses.length);
  const wanted = new Float64Array(3 * VERTICES);
  const reference = makeTwoLayer(model);
  let worst = 0;
  poses.forEach((pose, k) => {
    reference.deformInto(pose, wanted);
    for (let c = 0; c < wanted.length; c++) {
      const off = Math.abs(wanted[c] - positions[wanted.length * k + c]);
      worst = off <= worst ? worst : off;
    }
  });
  return worst;
}

describe('two layers on the GPU', () => {
  it.each([false, true])(
    'take poses, or palettes of the caller, of fewer instances than they could (flat: %s)',
    async (isFlat) => {
      const model = makeStrip(isFlat);
      const deformer = await createGpuDeformer(device, model, { instances: 9, instancesPerThread: 4 });
      expect([deformer.vertexCount, deformer.boneCount, deformer.instances]).toEqual([VERTICES, 2, 9]);
      const poses = makePoses(9);
      deformer.writePoses(poses);
      expect(await farthestOf(model, deformer, poses)).toBeLessThan(2e-5);
      const some = poses.slice(3, 8);
      const rows = new Float32Array(5 * 24);
      for (const [k, { bones }] of some.entries()) writePalettesInto(bones, 2, rows.subarray(24 * k));
      const palettes = device.createBuffer({ size: rows.byteLength, usage: STORAGE });
      device.queue.writeBuffer(palettes, 0, rows);
      expect(await farthestOf(model, deformer, some, palettes)).toBeLessThan(2e-5);
      deformer.destroy();
      expect(() => deformer.writePoses(poses)).toThrow('destroy');
    },
  );

  it('keep their digits ten metres away', async () => {
    const model = makeStrip();
    const deformer = await createGpuDeformer(device, model, { instances: 4 });
    const poses = makePoses(4);
    for (const { bones } of poses) for (const c of [12, 13, 28, 29]) bones[c] += 10;
    deformer.writePoses(poses);
    expect(await farthestOf(model, deformer, poses)).toBeLessThan(2e-5);
    deformer.destroy();
  });

  it('leave normals out where they are not wanted', async () => {
    const model = makeStrip();
    model.mesh.normals = undefined;
    await expect(createGpuDeformer(device, model)).rejects.toThrow('makeRestNormals');
    const deformer = await createGpuDeformer(device, model, { normals: false });
    deformer.writePoses(makePoses(1));
    expect(await farthestOf(model, deformer, makePoses(1))).toBeLessThan(2e-5);
    expect(deformer.normals).toBeUndefined();
    deformer.destroy();
  });

  it('say in one sentence what does not fit', async () => {
    const model = makeStrip();
    await expect(createGpuDeformer(device, { ...model, centers: new Float64Array(3) })).rejects.toThrow(
      '1 centers for 3',
    );
    const deformer = await createGpuDeformer(device, model, { instances: 2 });
    expect(() => deformer.writePoses([{ bones: makeIdentities(3) }])).toThrow('3 bones, expected 2');
    expect(() => deformer.writePoses(makePoses(3))).toThrow('3 poses for 2 instances');
    deformer.destroy();
  });
});
