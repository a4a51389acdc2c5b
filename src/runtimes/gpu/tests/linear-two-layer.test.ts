// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../scripts/launch-gpu.ts';
import { makeRandom } from '../../../core/math/random.ts';
import type { Pose } from '../../../core/model/deformed/deformer.ts';
import type { LinearTwoLayer } from '../../../core/model/deformed/two-layer.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin, type Skin } from '../../../core/model/skin/skin.ts';
import { makeLinearTwoLayer } from '../../../deformers/two-layer/linear-two-layer.ts';
import { createGpuDeformer } from '../create-gpu-deformer.ts';
import { requestGpuDevice } from '../gpu-device.ts';

const [VERTICES, VIRTUAL, BONES] = [150, 70, 11];

let device: GPUDevice;
beforeAll(async () => {
  device = await requestGpuDevice({ gpu: await launchGpu() });
});

/** Vertices at random on virtual bones, and those on up to ten of eleven bones. */
function makeModel(): LinearTwoLayer {
  const random = makeRandom(2);
  const draw = (rows: number, width: number, count: number): Skin => {
    const ids = Array.from({ length: rows * width }, () => random.below(count));
    return makeSkin(
      ids,
      ids.map(() => 0.05 + random.next()),
      width,
    );
  };
  const mesh = makeMesh(
    Float32Array.from({ length: 3 * VERTICES }, () => random.normal()),
    Uint32Array.from({ length: 3 * (VERTICES - 2) }, (_, c) => Math.floor(c / 3) + (c % 3)),
  );
  mesh.normals = Float32Array.from({ length: 3 * VERTICES }, (_, c) => (c % 3 === 2 ? 1 : 0));
  const names = Array.from({ length: BONES }, (_, j) => `b${j}`);
  const skeleton = { names, parents: new Int32Array(BONES).fill(-1), bindMatrices: new Float64Array(16 * BONES) };
  return {
    kind: 'linear-two-layer',
    mesh,
    skeleton,
    virtualBones: draw(VIRTUAL, 10, BONES),
    skin: draw(VERTICES, 2, VIRTUAL),
  };
}

describe('a plain skin in two layers on the GPU', () => {
  it('deforms as the reference does, normals too, several instances at once', async () => {
    const model = makeModel();
    const random = makeRandom(9);
    const poses: Pose[] = Array.from({ length: 3 }, () => {
      const bones = new Float64Array(16 * BONES);
      for (let o = 0; o < bones.length; o += 16) {
        for (let c = 0; c < 4; c++)
          for (let r = 0; r < 3; r++) bones[o + 4 * c + r] = (c === r ? 1 : 0) + 0.3 * random.normal();
        bones[o + 15] = 1;
      }
      return { bones };
    });
    const deformer = await createGpuDeformer(device, model, { instances: 3 });
    deformer.writePoses(poses);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    deformer.encode(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const { positions, normals } = await deformer.readback();
    const reference = makeLinearTwoLayer(model);
    const [p, n] = [new Float32Array(3 * VERTICES), new Float32Array(3 * VERTICES)];
    poses.forEach((pose, k) => {
      reference.deformInto(pose, p, n);
      for (let c = 0; c < p.length; c++) {
        expect(Math.abs(positions[k * p.length + c] - p[c])).toBeLessThan(2e-5);
        expect(Math.abs(normals![k * p.length + c] - n[c])).toBeLessThan(2e-3);
      }
    });
    deformer.destroy();
  });
});
