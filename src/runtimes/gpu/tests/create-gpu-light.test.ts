// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { launchGpu } from '../../../../scripts/launch-gpu.ts';
import {
  LIGHT_CHANNELS,
  type LightKind,
  type SkinLight,
  TERM_SIZE,
  UNSHADOWED_SIZE,
} from '../../../core/model/deformed/skin-light.ts';
import { lightInto } from '../../../deformers/light/light-into.ts';
import { createGpuLight, type GpuLight } from '../create-gpu-light.ts';
import { requestGpuDevice } from '../gpu-device.ts';

const VERTICES = 150;
const RANK = 3;
/** Three instances, one of them dark. */
const COEFFICIENTS = Float32Array.of(1, 0.5, 0.25, 0, 0, 0, 0.2, -0.9, 1);

/** Unit normals of three instances. */
const NORMALS = Float32Array.from({ length: 9 * VERTICES }, (_, c) => Math.sin(2 + 1.7 * c));
for (let o = 0; o < NORMALS.length; o += 3) {
  const length = Math.hypot(NORMALS[o], NORMALS[o + 1], NORMALS[o + 2]);
  for (let c = o; c < o + 3; c++) NORMALS[c] /= length;
}

let device: GPUDevice;
beforeAll(async () => {
  device = await requestGpuDevice({ gpu: await launchGpu() });
});

const wave = (length: number, step: number) => Float32Array.from({ length }, (_, c) => Math.sin(1 + step * c));

/** Waves over the vertices. */
function makeLight(kind: LightKind, hasColors: boolean, isRelative = false): SkinLight {
  const width = isRelative && kind !== 'transfer' ? 2 : LIGHT_CHANNELS[kind];
  return {
    kind,
    rank: RANK,
    basis: wave(RANK * VERTICES * width, 0.37),
    ...(isRelative && kind === 'transfer' ? { unshadowed: wave(UNSHADOWED_SIZE, 0.9) } : {}),
    ...(isRelative && kind !== 'transfer' ? { terms: wave(2 * TERM_SIZE, 0.8) } : {}),
    ...(kind === 'transfer' ? { environment: wave(27, 0.7) } : {}),
    ...(hasColors ? { colors: wave(3 * VERTICES, 0.11).map(Math.abs) } : {}),
    tracks: [{ name: 'a', times: Float64Array.of(0), values: Float32Array.of(0.5, 0.5, 0.5) }],
  };
}

function makeNormals(stride: number): GPUBuffer {
  const values = Float32Array.from({ length: 3 * VERTICES * stride }, (_, c) =>
    c % stride < 3 ? NORMALS[3 * Math.floor(c / stride) + (c % stride)] : 0,
  );
  const buffer = device.createBuffer({ size: values.byteLength, usage: 0x88 });
  device.queue.writeBuffer(buffer, 0, values);
  return buffer;
}

async function run(light: GpuLight, instances: number): Promise<Float32Array> {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  light.encode(pass, instances);
  pass.end();
  device.queue.submit([encoder.finish()]);
  return light.readback(instances);
}

/** The farthest number from the reference. */
function farthest(found: Float32Array, light: SkinLight, coefficients: Float32Array, stride = 3): number {
  const expected = new Float32Array(3 * VERTICES);
  let max = 0;
  for (let k = 0; k * RANK < coefficients.length; k++) {
    const normals = NORMALS.subarray(3 * VERTICES * k, 3 * VERTICES * (k + 1));
    lightInto(light, coefficients.subarray(k * RANK, (k + 1) * RANK), expected, { normals });
    for (let c = 0; c < expected.length; c++) {
      const at = (k * VERTICES + Math.floor(c / 3)) * stride + (c % 3);
      max = Math.max(max, Math.abs(found[at] - expected[c]));
    }
  }
  return max;
}

describe('createGpuLight', () => {
  it.each([
    ['occlusion', false, 3],
    ['transfer', true, 3],
    ['prelit', true, 4],
  ] as const)('gives the colours of the CPU to 1e-4: %s, colours %s, stride %i', async (kind, hasColors, stride) => {
    const light = makeLight(kind, hasColors);
    const gpu = await createGpuLight(device, light, { instances: 3, stride });
    gpu.writeCoefficients(COEFFICIENTS);
    const found = await run(gpu, 3);
    expect(farthest(found, light, COEFFICIENTS, stride)).toBeLessThan(1e-4);
    if (stride === 4) expect(found.every((x, c) => c % 4 !== 3 || x === 1)).toBe(true);
    gpu.destroy();
  });

  it.each([
    ['occlusion', 3],
    ['transfer', 4],
    ['prelit', 3],
  ] as const)(
    'gives the colours of the CPU to 1e-4 if %s depends on normals of stride %i',
    async (kind, normalStride) => {
      const light = makeLight(kind, true, true);
      const normals = makeNormals(normalStride);
      const gpu = await createGpuLight(device, light, { instances: 3, normals, normalStride });
      gpu.writeCoefficients(COEFFICIENTS);
      expect(farthest(await run(gpu, 3), light, COEFFICIENTS)).toBeLessThan(1e-4);
      if (kind === 'transfer') {
        const environment = light.environment!.map((x) => 1 - x);
        gpu.writeEnvironment(environment);
        expect(farthest(await run(gpu, 3), { ...light, environment }, COEFFICIENTS)).toBeLessThan(1e-4);
      }
      const fork = gpu.fork({ instances: 1, normals });
      fork.writeCoefficients(COEFFICIENTS.subarray(0, RANK));
      gpu.destroy();
      expect(() => fork.fork()).toThrow('depends on normals');
      const found = await run(fork, 1);
      if (kind !== 'transfer') expect(farthest(found, light, COEFFICIENTS.subarray(0, RANK))).toBeLessThan(1e-4);
      fork.destroy();
      await expect(createGpuLight(device, light)).rejects.toThrow('depends on normals');
      normals.destroy();
    },
  );

  it('has the mean light until coefficients are written', async () => {
    const light = makeLight('occlusion', false);
    const gpu = await createGpuLight(device, light);
    expect(farthest(await run(gpu, 1), light, light.tracks[0].values)).toBeLessThan(1e-4);
    gpu.destroy();
  });

  it('changes with the environment', async () => {
    const light = makeLight('transfer', false);
    const gpu = await createGpuLight(device, light);
    const environment = light.environment!.map((x) => 1 - x);
    gpu.writeCoefficients(COEFFICIENTS.subarray(0, RANK));
    gpu.writeEnvironment(environment);
    const found = await run(gpu, 1);
    expect(farthest(found, { ...light, environment }, COEFFICIENTS.subarray(0, RANK))).toBeLessThan(1e-4);
    gpu.destroy();
  });

  it('has forks with colours of their own', async () => {
    const light = makeLight('prelit', true);
    const gpu = await createGpuLight(device, light);
    const fork = gpu.fork({ instances: 2 });
    fork.writeCoefficients(COEFFICIENTS.subarray(0, 6));
    gpu.destroy();
    expect(farthest(await run(fork, 2), light, COEFFICIENTS.subarray(0, 6))).toBeLessThan(1e-4);
    fork.destroy();
  });

  it('refuses what does not fit', async () => {
    const light = makeLight('prelit', false);
    await expect(createGpuLight(device, light, { instances: 0 })).rejects.toThrow('instances must be');
    await expect(createGpuLight(device, { ...light, basis: light.basis.subarray(1) })).rejects.toThrow('basis');
    const gpu = await createGpuLight(device, light);
    expect(() => gpu.writeCoefficients(COEFFICIENTS)).toThrow('takes 0 to 1 instances');
    expect(() => gpu.writeEnvironment(new Float32Array(27))).toThrow('only transfer vectors');
    gpu.destroy();
    expect(() => gpu.writeCoefficients(COEFFICIENTS.subarray(0, 3))).toThrow('after destroy');
  });
});
