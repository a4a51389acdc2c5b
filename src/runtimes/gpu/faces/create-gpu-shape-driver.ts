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
  const shapeCount = drivers.shapes.length;
  const termCount = drivers.rowStart.length - 1;
  const boneBytes = options.halfAbout ? HALF_BONE_BYTES : BONE_BYTES;
  const what = `palettes of ${instances} instances`;
  checkBufferSize(device, what, instances * boneCount * boneBytes, 'drive fewer instances at a time');
  const pipeline = await makePipeline(device, 'shape palettes', makeShapePalettesSource(!!options.halfAbout), STORAGE, {
    isRotation: drivers.form === 'rotation' ? 1 : 0,
  });
  const watch = new DeviceWatch(device, 'gpu shape driver');
  const upload = (name: string, data: Uint32Array): GPUBuffer =>
    makeDataBuffer(device, `shape ${name}`, data, BUFFER_USAGE.STORAGE);
  const make = (name: string, size: number): GPUBuffer => {
    const usage = BUFFER_USAGE.STORAGE | BUFFER_USAGE.COPY_SRC | BUFFER_USAGE.COPY_DST;
    return device.createBuffer({ label: `shape ${name}`, size: Math.max(16, size), usage });
  };
  const model = [upload('factors', drivers.factors), upload('drivers', packDriverRows(drivers, skeleton))];
  const weights = make('weights', instances * shapeCount * 4);
  const palettes = make('palettes', instances * boneCount * boneBytes);
  const owned = [...model, weights, palettes];
  const known = new Map<number, Step[]>();

  const makeSteps = (count: number): Step[] => {
    const { maxStorageBufferBindingSize: maxBinding, maxComputeWorkgroupsPerDimension: most } = device.limits;
    const arrays = [
      { offset: 0, stride: shapeCount * 4 },
      { offset: 0, stride: boneCount * boneBytes },
    ];
    return planDispatches(count, 1, arrays, 1, { maxBinding, maxGroups: most }).map(({ instanceCount, ranges }) => {
      const shifts = [ranges[0].shift / 4, ranges[1].shift / (boneBytes / 3)];
      const words = Uint32Array.of(termCount, boneCount, shapeCount, ...shifts, 0, 0, 0);
      new Float32Array(words.buffer).set(options.halfAbout ?? [0, 0, 0], 5);
      const params = makeDataBuffer(device, 'params', words, BUFFER_USAGE.UNIFORM);
      owned.push(params);
      const resources: GPUBindingResource[] = [params, ...model].map((buffer) => ({ buffer }));
      for (const [n, buffer] of [weights, palettes].entries())
        resources.push({ buffer, offset: ranges[n].offset, size: ranges[n].size });
      const entries = resources.map((resource, binding) => ({ binding, resource }));
      const bindings = device.createBindGroup({ layout: makeBindLayout(device, STORAGE), entries });
      const rows = drivers.form === 'rotation' ? boneCount : 3 * boneCount;
      return { bindings, x: instanceCount, y: Math.ceil(rows / DRIVE_THREADS) };
    });
  };
  return {
    ...{ instances, shapeCount, boneCount, weights, palettes },
    modelBytes: model.reduce((sum, { size }) => sum + size, 0),
    writeWeights(values) {
      watch.check('writeWeights');
      if (values.length > instances * shapeCount || values.length % shapeCount !== 0)
        throw new InputError(
          'gpu shape driver',
          `got ${values.length} weights, expected ${shapeCount} for each of up to ${instances} instances`,
        );
      device.queue.writeBuffer(weights, 0, Float32Array.from(values));
    },
    encode(pass, count = instances) {
      watch.check('encode');
      if (!(Number.isInteger(count) && count >= 0 && count <= instances))
        throw new InputError('gpu shape driver', `encode takes 0 to ${instances} instances, got ${count}`);
      if (count === 0) return;
      const steps = known.get(count) ?? makeSteps(count);
      known.set(count, steps);
      pass.setPipeline(pipeline);
      for (const { bindings, x, y } of steps) {
        pass.setBindGroup(0, bindings);
        pass.dispatchWorkgroups(x, y);
      }
    },
    destroy() {
      if (!watch.destroy()) return;
      for (const buffer of owned) buffer.destroy();
      known.clear();
    },
  };
}
