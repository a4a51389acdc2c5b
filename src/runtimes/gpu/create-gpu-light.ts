// SPDX-License-Identifier: MIT
import { HARMONIC_COUNT } from '../../core/math/spherical-harmonics.ts';
import {
  checkSkinLight,
  lightColorsOf,
  lightWidthOf,
  meanLightOf,
  needsNormals,
  type SkinLight,
} from '../../core/model/deformed/skin-light.ts';
import { dropUndefined } from '../../core/model/drop-undefined.ts';
import { InputError } from '../../core/model/errors.ts';
import { BUFFER_USAGE, checkBufferSize, DeviceWatch, makeDataBuffer, readBuffer, SharedBuffers } from './gpu-device.ts';
import { makeBindLayout, makePipeline } from './make-pipeline.ts';
import { planDispatches } from './plan-dispatches.ts';
import { LIGHT_MODES, LIGHT_SOURCE, LIGHT_THREADS } from './shaders/light.wgsl.ts';

const STORAGE = 'rrrrrw';

/** Options of createGpuLight. */
export interface GpuLightOptions {
  /** Maximum number of instances. Default 1. */
  instances?: number;
  /** Floats per colour: 3, or 4 with an alpha of one. Default 3. */
  stride?: 3 | 4;
  /** Additional usage of the colour buffer. Default: VERTEX. */
  usage?: number;
  /** Normals of the pose, `normals` of a GpuDeformer with the same instances; required if the light depends on normals. */
  normals?: GPUBuffer;
  /** Floats per normal. Default 3. */
  normalStride?: 3 | 4;
}

/** Defaults of GpuLightOptions. */
export const GPU_LIGHT_DEFAULTS = {
  instances: 1,
  stride: 3,
  usage: 0x20,
  normalStride: 3,
} as const satisfies GpuLightOptions;

type SettledOptions = GpuLightOptions & Required<Omit<GpuLightOptions, 'normals'>>;

/** Evaluates the light of a skin on the GPU. */
export interface GpuLight {
  /** Maximum number of instances. */
  readonly instances: number;
  /** Number of vertices. */
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
  /** Makes a light with its own colours, coefficients and normals that shares the basis. */
  fork(options?: GpuLightOptions): GpuLight;
  /** Frees the GPU buffers. */
  destroy(): void;
}

/**
 * Uploads the light of a skin. Vertex shaders read the colours beside the positions of a GpuDeformer, which is encoded first if the light
 * depends on normals. Until coefficients are written, instances have the mean light.
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
  const vertexCount = Math.floor(light.basis.length / (light.rank * lightWidthOf(light)));
  checkSkinLight(light, vertexCount);
  const pipeline = await makePipeline(device, 'skin light', LIGHT_SOURCE, STORAGE);
  return new LightRunner(device, light, vertexCount, pipeline, { ...GPU_LIGHT_DEFAULTS, ...dropUndefined(options) });
}

/** The colours of channels or terms, as the kernel reads them. */
function tintsOf(light: SkinLight, environment = light.environment): Float32Array {
  if (light.terms) return light.terms;
  const colors = lightColorsOf({ ...light, environment });
  const { unshadowed } = light;
  if (!unshadowed) return colors;
  const out = new Float32Array(2 * colors.length);
  out.set(colors);
  for (let h = 0; h < HARMONIC_COUNT; h++)
    for (let c = 0; c < 3; c++) {
      let sum = 0;
      for (let n = 0; n < HARMONIC_COUNT; n++) sum += unshadowed[HARMONIC_COUNT * n + h] * colors[3 * n + c];
      out[colors.length + 3 * h + c] = sum;
    }
  return out;
}

/** A dispatch with its bindings. */
interface Step {
  bindings: GPUBindGroup;
  x: number;
  y: number;
}

/** The light of a skin on one device. */
class LightRunner implements GpuLight {
  readonly instances: number;
  readonly vertexCount: number;
  readonly colors: GPUBuffer;
  readonly coefficients: GPUBuffer;
  readonly #device: GPUDevice;
  readonly #light: SkinLight;
  readonly #options: SettledOptions;
  readonly #pipeline: GPUComputePipeline;
  readonly #watch: DeviceWatch;
  /** The basis, and vertex colours without light. */
  readonly #arrays: SharedBuffers;
  /** The colour of each channel. */
  readonly #tints: GPUBuffer;
  /** Those of the deformer; a buffer that is not read, if the light does not depend on them. */
  readonly #normals: GPUBuffer;
  readonly #owned: GPUBuffer[] = [];
  readonly #steps = new Map<number, Step[]>();

  /** @param of a light of the same skin, whose buffers are shared */
  constructor(
    device: GPUDevice,
    light: SkinLight,
    vertexCount: number,
    pipeline: GPUComputePipeline,
    options: SettledOptions,
    of?: LightRunner,
  ) {
    const { instances, stride, usage } = options;
    if (!(Number.isInteger(instances) && instances >= 1))
      throw new InputError('gpu light', `instances must be a whole number from 1 on, got ${instances}`);
    if (needsNormals(light) && !options.normals)
      throw new InputError('gpu light', 'it depends on normals; pass those of the deformer as normals');
    const colorBytes = 4 * instances * vertexCount * stride;
    checkBufferSize(device, `colours of ${instances} instances`, colorBytes, 'light fewer instances');
    this.#device = device;
    this.#light = light;
    this.#options = options;
    this.#pipeline = pipeline;
    this.#watch = new DeviceWatch(device, 'gpu light');
    this.instances = instances;
    this.vertexCount = vertexCount;
    const white = new Float32Array(3 * vertexCount).fill(1);
    const { COPY_DST, COPY_SRC } = BUFFER_USAGE;
    const upload = (what: string, data: Float32Array, more: number): GPUBuffer =>
      makeDataBuffer(device, `light ${what}`, wordsOf(data), BUFFER_USAGE.STORAGE | more);
    this.#arrays = of
      ? of.#arrays.share()
      : new SharedBuffers([upload('basis', light.basis, 0), upload('base', light.colors ?? white, 0)]);
    this.#tints = this.#own(upload('tints', tintsOf(light), COPY_DST));
    const mean = meanLightOf(light);
    const means = Float32Array.from({ length: light.rank * instances }, (_, c) => mean[c % light.rank]);
    this.coefficients = this.#own(upload('coefficients', means, COPY_DST | COPY_SRC));
    this.#normals = options.normals ?? this.#tints;
    const ones = new Float32Array(colorBytes / 4).fill(1);
    this.colors = this.#own(upload('colors', ones, COPY_DST | COPY_SRC | usage));
  }

  writeCoefficients(values: Float32Array): void {
    this.#checkCount(values.length / this.#light.rank, 'writeCoefficients');
    this.#device.queue.writeBuffer(this.coefficients, 0, Float32Array.from(values));
  }

  writeEnvironment(environment: Float32Array): void {
    this.#watch.check('writeEnvironment');
    const { kind } = this.#light;
    if (kind !== 'transfer')
      throw new InputError('gpu light', `only transfer vectors have an environment, not ${kind}`);
    if (environment.length !== 27)
      throw new InputError('gpu light', `an environment is 27 numbers, got ${environment.length}`);
    this.#device.queue.writeBuffer(this.#tints, 0, Float32Array.from(tintsOf(this.#light, environment)));
  }

  encode(pass: GPUComputePassEncoder, count: number = this.instances): void {
    this.#checkCount(count, 'encode');
    if (count === 0) return;
    const steps = this.#steps.get(count) ?? this.#makeSteps(count);
    this.#steps.set(count, steps);
    pass.setPipeline(this.#pipeline);
    for (const { bindings, x, y } of steps) {
      pass.setBindGroup(0, bindings);
      pass.dispatchWorkgroups(x, y);
    }
  }

  async readback(count: number = this.instances): Promise<Float32Array> {
    this.#checkCount(count, 'readback');
    const size = 4 * count * this.vertexCount * this.#options.stride;
    return new Float32Array(await readBuffer(this.#device, this.colors, 0, size));
  }

  fork(options: GpuLightOptions = {}): LightRunner {
    this.#watch.check('fork');
    // the normals of another number of instances are in another buffer
    const own = { ...this.#options, normals: undefined, ...dropUndefined(options) };
    return new LightRunner(this.#device, this.#light, this.vertexCount, this.#pipeline, own, this);
  }

  destroy(): void {
    if (!this.#watch.destroy()) return;
    this.#arrays.release();
    for (const buffer of this.#owned) buffer.destroy();
  }

  #makeSteps(count: number): Step[] {
    const { vertexCount } = this;
    const { rank, terms, unshadowed } = this.#light;
    const { stride, normalStride } = this.#options;
    const mode = terms ? LIGHT_MODES.terms : unshadowed ? LIGHT_MODES.unshadowed : LIGHT_MODES.plain;
    const { maxStorageBufferBindingSize, maxComputeWorkgroupsPerDimension } = this.#device.limits;
    const limits = { maxBinding: maxStorageBufferBindingSize, maxGroups: maxComputeWorkgroupsPerDimension };
    const sizes = [4 * rank, 4 * vertexCount * stride];
    if (mode !== LIGHT_MODES.plain) sizes.push(4 * vertexCount * normalStride);
    const ranges = sizes.map((bytes) => ({ offset: 0, stride: bytes }));
    return planDispatches(count, Math.ceil(vertexCount / LIGHT_THREADS), ranges, 1, limits).map((plan) => {
      const [from, to, normals] = plan.ranges;
      const words = [vertexCount, rank, lightWidthOf(this.#light), plan.firstWindow];
      words.push(from.shift / 4, to.shift / 4, stride, mode, (normals?.shift ?? 0) / 4, normalStride, 0, 0);
      const params = makeDataBuffer(this.#device, 'params', Uint32Array.from(words), BUFFER_USAGE.UNIFORM);
      const resources = [
        ...[this.#own(params), ...this.#arrays.list, this.#tints].map((buffer) => ({ buffer })),
        { buffer: this.coefficients, offset: from.offset, size: from.size },
        { buffer: this.#normals, ...(normals ? { offset: normals.offset, size: normals.size } : {}) },
        { buffer: this.colors, offset: to.offset, size: to.size },
      ];
      const entries = resources.map((resource, binding) => ({ binding, resource }));
      const bindings = this.#device.createBindGroup({ layout: makeBindLayout(this.#device, STORAGE), entries });
      return { bindings, x: plan.windowCount, y: plan.instanceCount };
    });
  }

  #checkCount(count: number, action: string): void {
    this.#watch.check(action);
    if (!(Number.isInteger(count) && count >= 0 && count <= this.instances))
      throw new InputError('gpu light', `${action} takes 0 to ${this.instances} instances, got ${count}`);
  }

  #own(buffer: GPUBuffer): GPUBuffer {
    this.#owned.push(buffer);
    return buffer;
  }
}

/** The same bytes as unsigned integers, for upload. */
function wordsOf(data: Float32Array): Uint32Array {
  return new Uint32Array(data.buffer, data.byteOffset, data.length);
}
