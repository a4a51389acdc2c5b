// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../../scripts/launch-gpu.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import {
  DRIVER_OUTPUTS,
  type DriverForm,
  NO_FACTOR,
  type ShapeDrivenSkin,
} from '../../../../core/model/deformed/shape-drivers.ts';
import { makeLooseSkeleton } from '../../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { createShapeRuntime } from '../../../../deformers/shape-drivers/create-shape-runtime.ts';
import { makeShapeDriver } from '../../../../deformers/shape-drivers/make-shape-driver.ts';
import { makeFace } from '../../../../samples/make-face.ts';
import { createGpuDeformer } from '../../create-gpu-deformer.ts';
import { readBuffer, requestGpuDevice } from '../../gpu-device.ts';
import { createGpuFace } from '../create-gpu-face.ts';
import { createGpuShapeDriver } from '../create-gpu-shape-driver.ts';

let device: GPUDevice;
beforeAll(async () => {
  device = await requestGpuDevice({ gpu: await launchGpu() });
});

const SHAPES = 9;
const BONES = 7;

/** A face with sparse drivers: one term per shape and two products. The frames of the bones are turned about z. */
function makeDriven(form: DriverForm): ShapeDrivenSkin {
  const random = makeRandom(3);
  const { mesh } = makeFace(8);
  const vertexCount = mesh.positions.length / 3;
  const skeleton = makeLooseSkeleton(BONES);
  for (let j = 0; j < BONES; j++) {
    const [s, c] = [Math.sin(j), Math.cos(j)];
    skeleton.bindMatrices.set([c, s, 0, 0, -s, c, 0, 0], 16 * j);
    for (let r = 0; r < 3; r++) skeleton.bindMatrices[16 * j + 12 + r] = 0.1 * random.normal();
  }
  const bones = Array.from({ length: 3 * vertexCount }, (_, e) => (Math.floor(e / 3) + 2 * (e % 3)) % BONES);
  const weights = bones.map((_, e) => [0.6, 0.3, 0.1][e % 3]);
  const factors = [...Array.from({ length: SHAPES }, (_, s) => [s, NO_FACTOR]), [0, 3], [5, 5]];
  const rowStart = [0];
  const columns: number[] = [];
  for (const _ of factors) {
    for (let c = 0; c < BONES * DRIVER_OUTPUTS[form]; c++) if (random.next() < 0.4) columns.push(c);
    rowStart.push(columns.length);
  }
  const drivers = {
    shapes: Array.from({ length: SHAPES }, (_, s) => `shape ${s}`),
    form,
    factors: Uint32Array.from(factors.flat()),
    rowStart: Uint32Array.from(rowStart),
    columns: Uint32Array.from(columns),
    values: Float32Array.from(columns, () => 0.2 * random.normal()),
  };
  return { kind: 'shape-driven', mesh, skeleton, skin: makeSkin(bones, weights, 3), drivers };
}

/** Without the products. */
function makeLinear(face: ShapeDrivenSkin): ShapeDrivenSkin {
  const { factors, rowStart, columns, values, ...own } = face.drivers;
  const end = rowStart[SHAPES];
  const drivers = {
    ...own,
    factors: factors.slice(0, 2 * SHAPES),
    rowStart: rowStart.slice(0, SHAPES + 1),
    columns: columns.slice(0, end),
    values: values.slice(0, end),
  };
  return { ...face, drivers };
}

/** instances x SHAPES: at rest, one shape at 1e-3, then a third of the shapes. */
function drawWeights(instances: number): Float32Array {
  const random = makeRandom(8);
  return Float32Array.from({ length: instances * SHAPES }, (_, e) => {
    const [k, s] = [Math.floor(e / SHAPES), e % SHAPES];
    if (k < 2) return k === 1 && s === 4 ? 1e-3 : 0;
    return random.next() < 0.35 ? 1.2 * random.next() : 0;
  });
}

describe('drivers of shapes on the GPU', () => {
  it.each(['matrix', 'rotation'] as const)('give the palettes of the reference (%s)', async (form) => {
    const face = makeDriven(form);
    const instances = 20;
    const driver = await createGpuShapeDriver(device, face, { instances });
    const weights = drawWeights(instances);
    driver.writeWeights(weights);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    driver.encode(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const got = new Float32Array(await readBuffer(device, driver.palettes, 0, instances * BONES * 48));
    driver.destroy();
    const reference = makeShapeDriver(face.drivers, face.skeleton);
    const bones = new Float64Array(16 * BONES);
    let worst = 0;
    for (let k = 0; k < instances; k++) {
      reference.driveInto(weights.subarray(k * SHAPES, (k + 1) * SHAPES), bones);
      for (let j = 0; j < BONES; j++)
        for (let e = 0; e < 12; e++) {
          const off = Math.abs(
            bones[16 * j + 4 * (e % 4) + (e >> 2)] - got[((3 * k + (e >> 2)) * BONES + j) * 4 + (e % 4)],
          );
          worst = off <= worst ? worst : off; // NaN stays
        }
    }
    expect(worst).toBeLessThan(1e-5);
  });

  it('deform faces as the run-time on the CPU does', async () => {
    const face = makeDriven('matrix');
    const instances = 4;
    const { mesh, skeleton, skin } = face;
    const driver = await createGpuShapeDriver(device, face, { instances });
    const onGpu = await createGpuDeformer(device, { kind: 'skin', mesh, skeleton, skin }, { instances });
    const weights = drawWeights(instances);
    driver.writeWeights(weights);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    driver.encode(pass, 3);
    onGpu.encode(pass, driver.palettes, 3);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const { positions, normals } = await onGpu.readback(3);
    driver.destroy();
    onGpu.destroy();
    const runtime = await createShapeRuntime(face, { threads: 1 });
    let worst = 0;
    for (let k = 0; k < 3; k++) {
      const expected = await runtime.deform(weights.subarray(k * SHAPES, (k + 1) * SHAPES));
      for (const [on, off] of [
        [positions, expected.positions],
        [normals!, expected.normals!],
      ])
        for (let c = 0; c < off.length; c++) {
          const difference = Math.abs(off[c] - on[k * off.length + c]);
          worst = difference <= worst ? worst : difference;
        }
    }
    runtime.dispose();
    expect(worst).toBeLessThan(1e-4);
  });

  it.each([
    { passes: 1, quantize: false, limit: 1e-5 },
    { passes: 2, quantize: false, limit: 1e-5 },
    { passes: 2, quantize: true, limit: 2e-3 },
  ] as const)('make faces as the run-time on the CPU does: %o', async ({ passes, quantize, limit }) => {
    const driven = makeDriven('matrix');
    const linear = makeLinear(driven);
    const instances = 3;
    const face = await createGpuFace(device, linear, { instances, passes, quantize });
    const weights = drawWeights(instances);
    face.writeWeights(weights);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    face.encode(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
    const { positions, normals } = await face.readback();
    face.destroy();
    const runtime = await createShapeRuntime(linear, { threads: 1 });
    let worst = 0;
    for (let k = 0; k < instances; k++) {
      const expected = await runtime.deform(weights.subarray(k * SHAPES, (k + 1) * SHAPES));
      for (const [on, off] of [
        [positions, expected.positions],
        [normals!, expected.normals!],
      ])
        for (let c = 0; c < off.length; c++) {
          const difference = Math.abs(off[c] - on[k * off.length + c]);
          worst = difference <= worst ? worst : difference;
        }
    }
    runtime.dispose();
    // displacements of 1, far larger than those of a face
    expect(worst).toBeLessThan(limit);
    if (passes === 1) await expect(createGpuFace(device, driven, { passes })).rejects.toThrow('one pass needs linear');
  });

  it('refuse weights and instances that do not fit', async () => {
    const driver = await createGpuShapeDriver(device, makeDriven('matrix'), { instances: 2 });
    expect(() => driver.writeWeights(new Float32Array(5))).toThrow('got 5 weights, expected 9');
    expect(() => driver.writeWeights(new Float32Array(27))).toThrow('up to 2 instances');
    expect(() => driver.encode({} as GPUComputePassEncoder, 3)).toThrow('0 to 2 instances');
    driver.destroy();
    expect(() => driver.writeWeights(new Float32Array(9))).toThrow('after destroy');
  });
});
