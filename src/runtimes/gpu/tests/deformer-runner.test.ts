// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../scripts/launch-gpu.ts';
import { compose, makeIdentities } from '../../../core/math/mat4.ts';
import { quaternionFromAxisAngle } from '../../../core/math/quaternion.ts';
import type { DualQuaternionSkin, LinearBlendSkin } from '../../../core/model/deformed/deformed-model.ts';
import type { Pose } from '../../../core/model/deformed/deformer.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeLooseSkeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeDeformer } from '../../../deformers/playback/make-deformer.ts';
import { createGpuDeformer, type GpuDeformer } from '../create-gpu-deformer.ts';
import { BUFFER_USAGE, readBuffer, requestGpuDevice } from '../gpu-device.ts';

let gpu: GPU;
let device: GPUDevice;
beforeAll(async () => {
  gpu = await launchGpu();
  device = await requestGpuDevice({ gpu });
});

/** A strip of vertices along x, from bone 0 to bone 1. */
function makeStrip(vertexCount: number): LinearBlendSkin {
  const positions = Float32Array.from({ length: 3 * vertexCount }, (_, c) =>
    c % 3 ? 0.1 * (c % 5) : c / 3 / vertexCount,
  );
  const mesh: Mesh = makeMesh(positions, new Uint32Array(0));
  mesh.normals = Float32Array.from({ length: 3 * vertexCount }, (_, c) => (c % 3 === 1 ? 1 : 0));
  const bones = Array.from({ length: 2 * vertexCount }, (_, n) => n % 2);
  const weights = bones.map((_, n) => (n % 2 ? positions[3 * (n >> 1)] : 1 - positions[3 * (n >> 1)]));
  return { kind: 'skin', mesh, skeleton: makeLooseSkeleton(2), skin: makeSkin(bones, weights, 2) };
}

function makePose(angle: number): Pose {
  const q = [0, 0, 0, 1];
  quaternionFromAxisAngle([0, 0, 1], angle, q);
  const bones = makeIdentities(2);
  compose([0.1 * angle, 0, 0], q, [1, 1, 1], bones, 0, 0, 0, 16);
  return { bones };
}

function runEncoded(record: (pass: GPUComputePassEncoder) => void): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  record(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

/** Positions of the reference for all poses in a row. */
function deformAll(model: LinearBlendSkin | DualQuaternionSkin, poses: Pose[]): Float32Array {
  const n = model.mesh.positions.length;
  const reference = makeDeformer({ ...model, kind: 'skin' });
  const out = new Float32Array(n * poses.length);
  for (const [k, pose] of poses.entries()) reference.deformInto(pose, out.subarray(k * n, (k + 1) * n));
  return out;
}

function expectClose(got: Float32Array, wanted: Float32Array): void {
  expect(got.length).toBe(wanted.length);
  let worst = 0;
  for (let c = 0; c < got.length; c++) worst = Math.max(worst, Math.abs(got[c] - wanted[c]));
  expect(worst).toBeLessThan(2e-6);
}

describe('a running deformer', () => {
  it('works beside others in one pass, into one buffer of the caller', async () => {
    const models = [makeStrip(70), makeStrip(33), makeStrip(5)];
    const poses = [0, 1, 2, 3, Math.PI].map(makePose);
    const offsets = [16, 16 + 70 * 60, 16 + 70 * 60 + 33 * 60];
    const size = 16 + 108 * 60;
    const usage = BUFFER_USAGE.STORAGE | BUFFER_USAGE.COPY_SRC;
    const positions = device.createBuffer({ size, usage });
    const normalsBuffer = device.createBuffer({ size, usage });
    const deformers: GpuDeformer[] = [];
    for (const [n, model] of models.entries()) {
      const at = { positions, normalsBuffer, positionsOffset: offsets[n], normalsOffset: offsets[n] };
      deformers.push(await createGpuDeformer(device, model, { instances: 5, ...at }));
    }
    for (const deformer of deformers) deformer.writePoses(poses);
    runEncoded((pass) => {
      for (const deformer of deformers) deformer.encode(pass);
    });
    for (const [n, deformer] of deformers.entries()) {
      expectClose((await deformer.readback()).positions, deformAll(models[n], poses));
    }
    // nothing before the first
    expect([...new Float32Array(await readBuffer(device, positions, 0, 16))]).toEqual([0, 0, 0, 0]);
    for (const deformer of deformers) deformer.destroy();
    // the caller's buffers stay: this would throw on a destroyed one
    expect((await readBuffer(device, positions, 0, size)).byteLength).toBe(size);
    positions.destroy();
    normalsBuffer.destroy();
  });

  it('takes other palettes and fewer instances in the same pass', async () => {
    const model = makeStrip(40);
    const first = await createGpuDeformer(device, model, { instances: 6 });
    const second = await createGpuDeformer(device, model, { instances: 6 });
    const poses = [0.5, 1, 1.5, 2, 2.5, 3].map(makePose);
    first.writePoses(poses);
    runEncoded((pass) => {
      second.encode(pass, first.palettes, 3);
      second.encode(pass, first.palettes, 0);
    });
    const { positions } = await second.readback();
    expectClose(positions.slice(0, 360), deformAll(model, poses.slice(0, 3)));
    expect(positions.slice(360).every((x) => x === 0)).toBe(true);
    first.destroy();
    second.destroy();
  });

  it('splits what passes the limits of the device', async () => {
    // limits below what the instances need: several bindings into one buffer
    const tight = new Proxy(device, {
      get(target, name) {
        if (name === 'limits')
          return {
            maxBufferSize: 1e9,
            maxStorageBufferBindingSize: 8000,
            maxComputeWorkgroupsPerDimension: 2,
          };
        const value = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    for (const kind of ['skin', 'dual-quaternion'] as const) {
      const model = { ...makeStrip(150), kind };
      const poses = Array.from({ length: 23 }, (_, k) => makePose(kind === 'skin' ? k / 7 : 0));
      const split = await createGpuDeformer(tight, model, { instances: 23 });
      split.writePoses(poses);
      runEncoded((pass) => split.encode(pass));
      expectClose((await split.readback()).positions, deformAll(model, poses));
      split.destroy();
    }
  });

  it('says what is wrong in one sentence', async () => {
    const model = makeStrip(10);
    await expect(createGpuDeformer(device, model, { instances: 0 })).rejects.toThrow(
      'instances must be a whole number',
    );
    await expect(createGpuDeformer(device, { ...model, skeleton: makeLooseSkeleton(1) })).rejects.toThrow(
      'names bone 1 of 1',
    );
    const bare = { ...model, mesh: { ...model.mesh, normals: undefined } };
    await expect(createGpuDeformer(device, bare)).rejects.toThrow('pass normals: false');
    (await createGpuDeformer(device, bare, { normals: false })).destroy();
    await expect(createGpuDeformer(device, { ...model, kind: 'centers-of-rotation', centers: [] })).rejects.toThrow(
      'one center per vertex',
    );
    const most = device.limits.maxBufferSize;
    await expect(createGpuDeformer(device, model, { instances: Math.ceil(most / 100) })).rejects.toThrow(
      'deform fewer instances',
    );
    const small = device.createBuffer({ size: 64, usage: BUFFER_USAGE.STORAGE });
    await expect(createGpuDeformer(device, model, { positions: small })).rejects.toThrow('has 64 bytes, needs 120');
    await expect(createGpuDeformer(device, model, { positionsOffset: 4 })).rejects.toThrow('needs a buffer');
    await expect(createGpuDeformer(device, model, { instancesPerThread: 9 })).rejects.toThrow('must be 1 to 8');
    const both = device.createBuffer({ size: 1024, usage: BUFFER_USAGE.STORAGE });
    const shared = { positions: both, normalsBuffer: both };
    await expect(createGpuDeformer(device, model, { ...shared, normalsOffset: 128 })).rejects.toThrow(
      'multiple of 256',
    );
    (await createGpuDeformer(device, model, { ...shared, normalsOffset: 256 })).destroy();
    both.destroy();
    const deformer = await createGpuDeformer(device, model, { instances: 2 });
    const pass = device.createCommandEncoder().beginComputePass();
    expect(() => deformer.encode(pass, deformer.palettes, 3)).toThrow('0 to 2 instances');
    expect(() => deformer.encode(pass, small)).toThrow('palette buffer has 64 bytes');
    expect(() => deformer.writePoses([{ bones: new Float64Array(16) }])).toThrow('has 1 bones, expected 2');
    deformer.destroy();
    deformer.destroy();
    expect(() => deformer.encode(pass)).toThrow('encode after destroy');
    expect(() => deformer.writePoses([])).toThrow('after destroy');
    await expect(deformer.readback()).rejects.toThrow('after destroy');
    small.destroy();
  });

  it('says that WebGPU is missing, or its device lost', async () => {
    const none = { requestAdapter: async () => null } as unknown as GPU;
    await expect(requestGpuDevice({ gpu: none })).rejects.toThrow('no adapter');
    const other = await requestGpuDevice({ gpu });
    const deformer = await createGpuDeformer(other, makeStrip(10));
    const pass = other.createCommandEncoder().beginComputePass();
    other.destroy();
    await other.lost;
    expect(() => deformer.encode(pass)).toThrow('device was lost');
  });

  it('can be made and destroyed a thousand times', async () => {
    const model = makeStrip(64);
    const tracked = new Set<GPUBuffer>();
    let made = 0;
    const counting = new Proxy(device, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name === 'createBuffer')
          return (descriptor: GPUBufferDescriptor) => {
            const buffer = target.createBuffer(descriptor);
            const destroy = buffer.destroy.bind(buffer);
            buffer.destroy = () => {
              tracked.delete(buffer);
              destroy();
            };
            tracked.add(buffer);
            made++;
            return buffer;
          };
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    device.pushErrorScope('validation');
    for (let n = 0; n < 1000; n++) {
      const deformer = await createGpuDeformer(counting, model, { instances: 2 });
      if (n % 100 === 0) {
        deformer.writePoses([makePose(1), makePose(2)]);
        runEncoded((pass) => deformer.encode(pass));
      }
      deformer.destroy();
    }
    expect(await device.popErrorScope()).toBeNull();
    expect(made).toBeGreaterThan(6000);
    expect(tracked.size).toBe(0);
  });
});
