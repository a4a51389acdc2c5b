// SPDX-License-Identifier: MIT

import { checkShapeDrivenSkin, NO_FACTOR, type ShapeDrivenSkin } from '../../../core/model/deformed/shape-drivers.ts';
import { dropUndefined } from '../../../core/model/drop-undefined.ts';
import { InputError } from '../../../core/model/errors.ts';
import { createGpuDeformer, GPU_DEFORMER_DEFAULTS, type GpuDeformer } from '../create-gpu-deformer.ts';
import { DeformerRunner } from '../deformer-runner.ts';
import { packGpuModel } from '../gpu-model.ts';
import { makeHalfBlendSource } from '../shaders/half-blend.wgsl.ts';
import { createGpuShapeDriver } from './create-gpu-shape-driver.ts';
import { FusedFace } from './fused-face.ts';

/** Options of createGpuFace. */
export interface GpuFaceOptions {
  /** Maximum number of instances. Default 1. */
  instances?: number;
  /** Whether normals are computed too. Default true. */
  normals?: boolean;
  /** Numbers per position and normal: 3, tightly packed, or 4 (x y z 1, and x y z 0). Default 3. */
  stride?: 3 | 4;
  /** Usage flags of the output buffers in addition to STORAGE and COPY_SRC. Default VERTEX (0x20), to draw from them. */
  usage?: number;
  /** Store the bones of instances in 16 bits, with two passes: faster, error up to 1e-4 of the size. Default false. */
  quantize?: boolean;
  /** 1: drivers and skin in one pass, for few instances and linear drivers of matrices; 2: one pass each. Default: by the number of instances. */
  passes?: 1 | 2;
}

/** Defaults of GpuFaceOptions. */
export const GPU_FACE_DEFAULTS = {
  instances: 1,
  normals: true,
  stride: 3,
  usage: 0x20,
  quantize: false,
} as const satisfies GpuFaceOptions;

/** A face of driven bones on the GPU. */
export interface GpuFace {
  /** Number of vertices. */
  readonly vertexCount: number;
  /** Number of shapes. */
  readonly shapeCount: number;
  /** Maximum number of instances. */
  readonly instances: number;
  /** instances x vertexCount x stride floats */
  readonly positions: GPUBuffer;
  /** The same for normals; absent without them. */
  readonly normals: GPUBuffer | undefined;
  /** Size of the model on the GPU in bytes, without outputs. */
  readonly modelBytes: number;
  /**
   * Uploads the weights of the shapes.
   * @param weights up to instances x shapeCount
   */
  writeWeights(weights: ArrayLike<number>): void;
  /** Records the first instances, by default all, into a compute pass. */
  encode(pass: GPUComputePassEncoder, instances?: number): void;
  /** Reads positions and normals of the first instances back to the CPU, for tests and tools: waits for the GPU. */
  readback(instances?: number): Promise<{ positions: Float32Array; normals: Float32Array | undefined }>;
  /** Frees the GPU memory. */
  destroy(): void;
}

/** Maximum number of instances of one pass: beyond, drivers are computed too often. */
const MAX_FUSED = 8;
/** Maximum number of bones of one pass, limited by the 16 KiB of workgroup memory of every device. */
const MAX_FUSED_BONES = 256;

/**
 * Makes a face of driven bones on the GPU: from the weights of its shapes to positions and normals, for one face or thousands. Shapes that remain as morph targets are not supported:
 * use createGpuShapeDriver and a corrected skin.
 * @example
 * ```ts
 * import { createGpuFace, makeRestNormals, requestGpuDevice } from 'ossify/gpu';
 *
 * const device = await requestGpuDevice();
 * const mesh = { ...face.mesh, normals: face.mesh.normals ?? makeRestNormals(face.mesh) };
 * const onGpu = await createGpuFace(device, { ...face, mesh });
 * onGpu.writeWeights(shapeWeights);
 * const encoder = device.createCommandEncoder();
 * const pass = encoder.beginComputePass();
 * onGpu.encode(pass);
 * pass.end();
 * device.queue.submit([encoder.finish()]);
 * // draw from onGpu.positions and onGpu.normals
 * ```
 */
export async function createGpuFace(
  device: GPUDevice,
  model: ShapeDrivenSkin,
  options: GpuFaceOptions = {},
): Promise<GpuFace> {
  const merged = { ...GPU_FACE_DEFAULTS, ...dropUndefined(options) };
  const { instances, normals, stride, usage } = merged;
  if (!(Number.isInteger(instances) && instances >= 1))
    throw new InputError('gpu face', `instances must be a whole number from 1 on, got ${instances}`);
  checkShapeDrivenSkin(model);
  if (model.skeleton.parents.some((parent) => parent >= 0))
    throw new InputError(
      'gpu face',
      'its bones follow joints; pose them with makeShapeDriver and write them to createGpuDeformer',
    );
  if (model.kept)
    throw new InputError('gpu face', 'the model has morph targets; convert it without --keep-shapes for the GPU');
  const isFusable = canFuse(device, model, instances, stride);
  if (options.passes === 1 && !isFusable)
    throw new InputError('gpu face', 'one pass needs linear drivers of matrices, and at most 256 bones; use passes: 2');
  const passes = options.passes ?? (isFusable && instances <= MAX_FUSED ? 1 : 2);
  if (passes === 1) {
    const fused = new FusedFace(device, model, { instances, normals, stride, usage });
    await fused.compile();
    return fused;
  }
  const { mesh, skeleton, skin } = model;
  const center = merged.quantize ? centerOf(mesh.positions) : undefined;
  const driver = await createGpuShapeDriver(device, model, { instances, halfAbout: center });
  const deformer = center
    ? await makeHalfDeformer(device, model, merged, center)
    : await createGpuDeformer(device, { kind: 'skin', mesh, skeleton, skin }, { instances, normals, stride, usage });
  return {
    vertexCount: deformer.vertexCount,
    shapeCount: driver.shapeCount,
    ...{ instances, positions: deformer.positions, normals: deformer.normals },
    modelBytes: driver.modelBytes + deformer.modelBytes,
    writeWeights: (weights) => driver.writeWeights(weights),
    encode(pass, count = instances) {
      driver.encode(pass, count);
      deformer.encode(pass, driver.palettes, count);
    },
    readback: (count) => deformer.readback(count),
    destroy() {
      driver.destroy();
      deformer.destroy();
    },
  };
}

/** The deformer of palettes in 16 bits. */
async function makeHalfDeformer(
  device: GPUDevice,
  { mesh, skeleton, skin }: ShapeDrivenSkin,
  { instances, normals, stride, usage }: Required<Omit<GpuFaceOptions, 'passes'>>,
  [centerX, centerY, centerZ]: readonly [number, number, number],
): Promise<GpuDeformer> {
  const kernel = packGpuModel({ kind: 'skin', mesh, skeleton, skin }, { withNormals: normals, isShort: false });
  const half = {
    ...{ ...kernel, name: 'half-blend', isHalf: true, makeSource: makeHalfBlendSource },
    constants: { ...kernel.constants, centerX, centerY, centerZ },
  };
  const options = { ...GPU_DEFORMER_DEFAULTS, instances, normals, stride, usage };
  const runner = new DeformerRunner(device, half, options);
  await runner.compile();
  return runner;
}

/** The mean of the vertices. */
function centerOf(positions: Float32Array): [number, number, number] {
  const center: [number, number, number] = [0, 0, 0];
  for (let c = 0; c < positions.length; c++) center[c % 3] += (3 * positions[c]) / positions.length;
  return center;
}

/** Whether drivers are matrices that are linear in the shapes in their order, and outputs fit into one binding. */
function canFuse(device: GPUDevice, { mesh, skeleton, drivers }: ShapeDrivenSkin, instances: number, stride: number) {
  const { form, factors, shapes } = drivers;
  const isLinear =
    factors.length === 2 * shapes.length && factors.every((f, e) => f === (e % 2 === 0 ? e / 2 : NO_FACTOR));
  const outputBytes = instances * (mesh.positions.length / 3) * stride * 4;
  const { maxStorageBufferBindingSize, maxComputeWorkgroupsPerDimension } = device.limits;
  return (
    form === 'matrix' &&
    isLinear &&
    skeleton.names.length <= MAX_FUSED_BONES &&
    outputBytes <= maxStorageBufferBindingSize &&
    Math.max(instances, mesh.positions.length / 192) <= maxComputeWorkgroupsPerDimension
  );
}
