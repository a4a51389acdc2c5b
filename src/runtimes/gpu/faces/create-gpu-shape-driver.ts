// SPDX-License-Identifier: MIT

import { checkShapeDrivers, type ShapeDrivenSkin } from '../../../core/model/deformed/shape-drivers.ts';
import { InputError } from '../../../core/model/errors.ts';
import { checkSkeleton } from '../../../core/model/skin/skeleton.ts';
import { BUFFER_USAGE, checkBufferSize, DeviceWatch, makeDataBuffer } from '../gpu-device.ts';
import { makeBindLayout, makePipeline } from '../make-pipeline.ts';
import { planDispatches } from '../plan-dispatches.ts';
import { DRIVE_THREADS } from '../shaders/faces/drive-rows.wgsl.ts';
import { makeShapePalettesSource } from '../shaders/faces/shape-palettes.wgsl.ts';
import { packDriverRows } from './pack-driver-rows.ts';

/** Options of createGpuShapeDriver. */
export interface GpuShapeDriverOptions {
  /** Maximum number of instances. Default 1. */
  instances?: number;
  /** Write palettes of displacements in 16 bits about this center of the mesh, for createGpuFace. Default: plain palettes. */
  halfAbout?: readonly [number, number, number];
}

/** Defaults of GpuShapeDriverOptions. */
export const GPU_SHAPE_DRIVER_DEFAULTS = { instances: 1 } as const satisfies GpuShapeDriverOptions;

/** Computes bones from the weights of shapes on the GPU. */
export interface GpuShapeDriver {
  /** Maximum number of instances. */
  readonly instances: number;
  /** Number of shapes. */
  readonly shapeCount: number;
  /** Number of bones. */
  readonly boneCount: number;
  /** Size of the drivers on the GPU in bytes. */
  readonly modelBytes: number;
  /** instances x shapeCount floats; written by writeWeights or by a kernel of the caller */
  readonly weights: GPUBuffer;
  /** instances x 3 rows x boneCount x 4 floats, rest to posed: the input of GpuDeformer.encode */
  readonly palettes: GPUBuffer;
  /**
   * Uploads the weights of the shapes.
   * @param weights up to instances x shapeCount
   */
  writeWeights(weights: ArrayLike<number>): void;
  /** Records the palettes of the first instances, by default all, into a compute pass. */
  encode(pass: GPUComputePassEncoder, instances?: number): void;
  /** Frees the GPU buffers. */
  destroy(): void;
}

interface Step {
  bindings: GPUBindGroup;
  x: number;
  y: number;
}

const STORAGE = 'rrrw';
const [BONE_BYTES, HALF_BONE_BYTES] = [48, 24];

/**
 * Makes the drivers of a face on the GPU: from the weights of its shapes to the palettes of a GpuDeformer of its skin, for one face or thousands. Shapes that remain as
 * morph targets are not evaluated.
 * @example
 * ```ts
 * import { createGpuDeformer, createGpuShapeDriver, requestGpuDevice } from 'ossify/gpu';
 *
 * const device = await requestGpuDevice();
 * const driver = await createGpuShapeDriver(device, face);
 * const { mesh, skeleton, skin } = face;
 * const onGpu = await createGpuDeformer(device, { kind: 'skin', mesh, skeleton, skin });
 * driver.writeWeights(shapeWeights);
 * const encoder = device.createCommandEncoder();
 * const pass = encoder.beginComputePass();
 * driver.encode(pass);
 * onGpu.encode(pass, driver.palettes);
 * pass.end();
 * device.queue.submit([encoder.finish()]);
 * ```
 */
export async function createGpuShapeDriver(
  device: GPUDevice,
  { drivers, skeleton }: Pick<ShapeDrivenSkin, 'drivers' | 'skeleton'>,
  options: GpuShapeDriverOptions = {},
): Promise<GpuShapeDriver> {
  const instances = options.instances ?? GPU_SHAPE_DRIVER_DEFAULTS.instances;
  if (!(Number.isInteger(instances) && instances >= 1))
    throw new InputError('gpu shape driver', `instances must be a whole number from 1 on, got ${instances}`);
  checkSkeleton(skeleton);
  if (skeleton.parents.some((parent) => parent >= 0))
    throw new InputError('gpu shape driver', 'its bones follow joints; pose them with makeShapeDriver on the CPU');
  const boneCount = skeleton.names.length;
  checkShapeDrivers(drivers, boneCount);
  const boneBytes = options.halfAbout ? HALF_BONE_BYTES : BONE_BYTES;
  const what = `palettes of ${instances} instances`;
  checkBufferSize(device, what, instances * boneCount * boneBytes, 'drive fewer instances at a time');
  const pipeline = await makePipeline(device, 'shape palettes', makeShapePalettesSource(!!options.halfAbout), STORAGE, {
    isRotation: drivers.form === 'rotation' ? 1 : 0,
  });
  const { halfAbout } = options;
  return new Driver(device, pipeline, { drivers, skeleton }, { instances, boneBytes, halfAbout });
}

interface DriverSettings {
  instances: number;
  /** Bytes of a bone in a palette. */
  boneBytes: number;
  halfAbout?: readonly [number, number, number];
}

class Driver implements GpuShapeDriver {
  readonly instances: number;
  readonly shapeCount: number;
  readonly boneCount: number;
  readonly modelBytes: number;
  readonly weights: GPUBuffer;
  readonly palettes: GPUBuffer;
  readonly #device: GPUDevice;
  readonly #pipeline: GPUComputePipeline;
  readonly #drivers: ShapeDrivenSkin['drivers'];
  readonly #settings: DriverSettings;
  readonly #watch: DeviceWatch;
  /** Factors and rows of the drivers. */
  readonly #model: readonly GPUBuffer[];
  readonly #owned: GPUBuffer[];
  /** By number of instances. */
  readonly #known = new Map<number, Step[]>();

  constructor(
    device: GPUDevice,
    pipeline: GPUComputePipeline,
    { drivers, skeleton }: Pick<ShapeDrivenSkin, 'drivers' | 'skeleton'>,
    settings: DriverSettings,
  ) {
    const { instances, boneBytes } = settings;
    this.instances = instances;
    this.shapeCount = drivers.shapes.length;
    this.boneCount = skeleton.names.length;
    this.#device = device;
    this.#pipeline = pipeline;
    this.#drivers = drivers;
    this.#settings = settings;
    this.#watch = new DeviceWatch(device, 'gpu shape driver');
    this.#model = [
      makeDataBuffer(device, 'shape factors', drivers.factors, BUFFER_USAGE.STORAGE),
      makeDataBuffer(device, 'shape drivers', packDriverRows(drivers, skeleton), BUFFER_USAGE.STORAGE),
    ];
    this.modelBytes = this.#model.reduce((sum, { size }) => sum + size, 0);
    this.weights = this.#make('weights', instances * this.shapeCount * 4);
    this.palettes = this.#make('palettes', instances * this.boneCount * boneBytes);
    this.#owned = [...this.#model, this.weights, this.palettes];
  }

  writeWeights(values: ArrayLike<number>): void {
    const { instances, shapeCount } = this;
    this.#watch.check('writeWeights');
    if (values.length > instances * shapeCount || values.length % shapeCount !== 0)
      throw new InputError(
        'gpu shape driver',
        `got ${values.length} weights, expected ${shapeCount} for each of up to ${instances} instances`,
      );
    this.#device.queue.writeBuffer(this.weights, 0, Float32Array.from(values));
  }

  encode(pass: GPUComputePassEncoder, count = this.instances): void {
    this.#watch.check('encode');
    if (!(Number.isInteger(count) && count >= 0 && count <= this.instances))
      throw new InputError('gpu shape driver', `encode takes 0 to ${this.instances} instances, got ${count}`);
    if (count === 0) return;
    const steps = this.#known.get(count) ?? this.#makeSteps(count);
    this.#known.set(count, steps);
    pass.setPipeline(this.#pipeline);
    for (const { bindings, x, y } of steps) {
      pass.setBindGroup(0, bindings);
      pass.dispatchWorkgroups(x, y);
    }
  }

  destroy(): void {
    if (!this.#watch.destroy()) return;
    for (const buffer of this.#owned) buffer.destroy();
    this.#known.clear();
  }

  #makeSteps(count: number): Step[] {
    const { maxStorageBufferBindingSize: maxBinding, maxComputeWorkgroupsPerDimension: most } = this.#device.limits;
    const arrays = [
      { offset: 0, stride: this.shapeCount * 4 },
      { offset: 0, stride: this.boneCount * this.#settings.boneBytes },
    ];
    const rows = this.#drivers.form === 'rotation' ? this.boneCount : 3 * this.boneCount;
    return planDispatches(count, 1, arrays, 1, { maxBinding, maxGroups: most }).map(({ instanceCount, ranges }) => ({
      bindings: this.#bind(ranges),
      x: instanceCount,
      y: Math.ceil(rows / DRIVE_THREADS),
    }));
  }

  #bind(ranges: readonly { offset: number; size: number; shift: number }[]): GPUBindGroup {
    const { boneBytes, halfAbout } = this.#settings;
    const termCount = this.#drivers.rowStart.length - 1;
    const shifts = [ranges[0].shift / 4, ranges[1].shift / (boneBytes / 3)];
    const words = Uint32Array.of(termCount, this.boneCount, this.shapeCount, ...shifts, 0, 0, 0);
    new Float32Array(words.buffer).set(halfAbout ?? [0, 0, 0], 5);
    const params = makeDataBuffer(this.#device, 'params', words, BUFFER_USAGE.UNIFORM);
    this.#owned.push(params);
    const resources: GPUBindingResource[] = [params, ...this.#model].map((buffer) => ({ buffer }));
    for (const [n, buffer] of [this.weights, this.palettes].entries())
      resources.push({ buffer, offset: ranges[n].offset, size: ranges[n].size });
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    return this.#device.createBindGroup({ layout: makeBindLayout(this.#device, STORAGE), entries });
  }

  #make(name: string, size: number): GPUBuffer {
    const usage = BUFFER_USAGE.STORAGE | BUFFER_USAGE.COPY_SRC | BUFFER_USAGE.COPY_DST;
    return this.#device.createBuffer({ label: `shape ${name}`, size: Math.max(16, size), usage });
  }
}
