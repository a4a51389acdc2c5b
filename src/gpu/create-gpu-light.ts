// SPDX-License-Identifier: MIT
import { InputError } from '../model/errors.ts';
import { checkSkinLight, LIGHT_CHANNELS, lightColorsOf, meanLightOf, type SkinLight } from '../model/skin-light.ts';
import { BUFFER_USAGE, checkBufferSize, DeviceWatch, makeDataBuffer, readBuffer } from './gpu-device.ts';
import { LIGHT_SOURCE, LIGHT_THREADS } from './light.wgsl.ts';
import { makeBindLayout, makePipeline } from './make-pipeline.ts';
import { planDispatches } from './plan-dispatches.ts';

const STORAGE = 'rrrrw';

/** Options of createGpuLight. */
export interface GpuLightOptions {
  /** Maximum number of instances. Default 1. */
  instances?: number;
  /** Floats per colour: 3, or 4 with an alpha of one. Default 3. */
  stride?: 3 | 4;
  /** Additional usage of the colour buffer, such as VERTEX. Default 0. */
  usage?: number;
}

/** Defaults of GpuLightOptions. */
export const GPU_LIGHT_DEFAULTS = { instances: 1, stride: 3, usage: 0 } as const satisfies Required<GpuLightOptions>;

/** Evaluates the light of a skin on the GPU. */
export interface GpuLight {
  /** Maximum number of instances. */
  readonly instances: number;
  readonly vertexCount: number;
  /** instances x vertexCount x stride floats: linear colours */
  readonly colors: GPUBuffer;
  /** instances x rank floats: written by writeCoefficients or by a kernel of the caller */
  readonly coefficients: GPUBuffer;
  /** Uploads the coefficients of some instances (sampleLightInto), instances x rank. */
  writeCoefficients(values: Float32Array): void;
  /** Replaces the light that transfer vectors are multiplied by, 9 x 3. */
  writeEnvironment(environment: Float32Array): void;
  /** Records the evaluation into a compute pass. */
  encode(pass: GPUComputePassEncoder, instances?: number): void;
  /** Reads the colours back, for tests and tools. */
  readback(instances?: number): Promise<Float32Array>;
  /** Frees the GPU buffers. */
  destroy(): void;
}

/**
 * Uploads the light of a skin. Vertex shaders read the colours beside the positions of a GpuDeformer. Until coefficients are written, instances have the mean light.
 * @example
 * ```ts
 * import { sampleLightInto } from 'ossify/deform';
 * import { createGpuLight, requestGpuDevice } from 'ossify/gpu';
 *
 * const device = await requestGpuDevice();
 * const { light } = asset;
 * if (!light) throw new Error('the file has no light');
 * const onGpu = await createGpuLight(device, light, { instances: 2 });
 * const coefficients = new Float32Array(2 * light.rank);
 * sampleLightInto(light, light.tracks[0], 0.5, coefficients);
 * sampleLightInto(light, light.tracks[0], 1.25, coefficients, light.rank);
 * onGpu.writeCoefficients(coefficients);
 * const encoder = device.createCommandEncoder();
 * const pass = encoder.beginComputePass();
 * onGpu.encode(pass);
 * pass.end();
 * device.queue.submit([encoder.finish()]);
 * ```
 */
export async function createGpuLight(
  device: GPUDevice,
  light: SkinLight,
  options: GpuLightOptions = {},
): Promise<GpuLight> {
  const instances = options.instances ?? GPU_LIGHT_DEFAULTS.instances;
  const stride = options.stride ?? GPU_LIGHT_DEFAULTS.stride;
  if (!(Number.isInteger(instances) && instances >= 1))
    throw new InputError('gpu light', `instances must be a whole number from 1 on, got ${instances}`);
  const { kind, rank, basis } = light;
  const channels = LIGHT_CHANNELS[kind];
  const vertexCount = Math.floor(basis.length / (rank * channels));
  checkSkinLight(light, vertexCount);
  const colorBytes = 4 * vertexCount * stride;
  checkBufferSize(device, `colours of ${instances} instances`, instances * colorBytes, 'light fewer instances');
  const pipeline = await makePipeline(device, 'skin light', LIGHT_SOURCE, STORAGE);
  const watch = new DeviceWatch(device, 'gpu light');
  const owned: GPUBuffer[] = [];
  const own = (buffer: GPUBuffer): GPUBuffer => {
    owned.push(buffer);
    return buffer;
  };
  const upload = (what: string, data: Float32Array, usage = 0): GPUBuffer =>
    own(makeDataBuffer(device, `light ${what}`, wordsOf(data), BUFFER_USAGE.STORAGE | usage));
  const { COPY_DST, COPY_SRC, STORAGE: STORED } = BUFFER_USAGE;
  const arrays = [upload('basis', basis), upload('base', light.colors ?? new Float32Array(3 * vertexCount).fill(1))];
  const tints = upload('tints', lightColorsOf(light), COPY_DST);
  const mean = meanLightOf(light);
  const coefficients = upload('coefficients', repeat(mean, instances), COPY_DST | COPY_SRC);
  const colors = own(
    device.createBuffer({
      label: 'light colors',
      size: Math.max(16, instances * colorBytes),
      usage: STORED | COPY_SRC | COPY_DST | (options.usage ?? GPU_LIGHT_DEFAULTS.usage),
      mappedAtCreation: true,
    }),
  );
  new Float32Array(colors.getMappedRange()).fill(1);
  colors.unmap();
  const known = new Map<number, { bindings: GPUBindGroup; x: number; y: number }[]>();

  const makeSteps = (count: number) => {
    const { maxStorageBufferBindingSize, maxComputeWorkgroupsPerDimension } = device.limits;
    const limits = { maxBinding: maxStorageBufferBindingSize, maxGroups: maxComputeWorkgroupsPerDimension };
    const ranges = [
      { offset: 0, stride: 4 * rank },
      { offset: 0, stride: colorBytes },
    ];
    return planDispatches(count, Math.ceil(vertexCount / LIGHT_THREADS), ranges, 1, limits).map((plan) => {
      const [from, to] = plan.ranges;
      const words = [vertexCount, rank, channels, plan.firstWindow, from.shift / 4, to.shift / 4, stride, 0];
      const params = own(makeDataBuffer(device, 'params', Uint32Array.from(words), BUFFER_USAGE.UNIFORM));
      const resources = [
        ...[params, ...arrays, tints].map((buffer) => ({ buffer })),
        { buffer: coefficients, offset: from.offset, size: from.size },
        { buffer: colors, offset: to.offset, size: to.size },
      ];
      const entries = resources.map((resource, binding) => ({ binding, resource }));
      const bindings = device.createBindGroup({ layout: makeBindLayout(device, STORAGE), entries });
      return { bindings, x: plan.windowCount, y: plan.instanceCount };
    });
  };
  const checkCount = (count: number, action: string): void => {
    watch.check(action);
    if (!(Number.isInteger(count) && count >= 0 && count <= instances))
      throw new InputError('gpu light', `${action} takes 0 to ${instances} instances, got ${count}`);
  };
  return {
    instances,
    vertexCount,
    colors,
    coefficients,
    writeCoefficients(values) {
      checkCount(values.length / rank, 'writeCoefficients');
      device.queue.writeBuffer(coefficients, 0, Float32Array.from(values));
    },
    writeEnvironment(environment) {
      watch.check('writeEnvironment');
      if (kind !== 'transfer')
        throw new InputError('gpu light', `only transfer vectors take an environment, not ${kind}`);
      if (environment.length !== 27)
        throw new InputError('gpu light', `an environment is 27 numbers, got ${environment.length}`);
      device.queue.writeBuffer(tints, 0, Float32Array.from(environment));
    },
    encode(pass, count = instances) {
      checkCount(count, 'encode');
      if (count === 0) return;
      const steps = known.get(count) ?? makeSteps(count);
      known.set(count, steps);
      pass.setPipeline(pipeline);
      for (const { bindings, x, y } of steps) {
        pass.setBindGroup(0, bindings);
        pass.dispatchWorkgroups(x, y);
      }
    },
    async readback(count = instances) {
      checkCount(count, 'readback');
      return new Float32Array(await readBuffer(device, colors, 0, count * colorBytes));
    },
    destroy() {
      if (!watch.destroy()) return;
      for (const buffer of owned) buffer.destroy();
      known.clear();
    },
  };
}

/** The same bytes as unsigned integers, for upload. */
function wordsOf(data: Float32Array): Uint32Array {
  return new Uint32Array(data.buffer, data.byteOffset, data.length);
}

function repeat(values: Float32Array, count: number): Float32Array {
  return Float32Array.from({ length: values.length * count }, (_, c) => values[c % values.length]);
}
