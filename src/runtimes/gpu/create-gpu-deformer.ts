// SPDX-License-Identifier: MIT

import type { Pose } from '../../core/model/deformed/deformer.ts';
import { dropUndefined } from '../../core/model/drop-undefined.ts';
import { InputError } from '../../core/model/errors.ts';
import { CorrectedRunner } from './corrected-runner.ts';
import { DeformerRunner } from './deformer-runner.ts';
import { type GpuModel, packGpuModel } from './gpu-model.ts';
import { packLinearTwoLayer, packTwoLayer, TwoLayerRunner } from './two-layer-runner.ts';

/** Options of createGpuDeformer. */
export interface GpuDeformerOptions {
  /** Maximum number of instances. Default 1. */
  instances?: number;
  /** Whether normals are computed too. Default true. */
  normals?: boolean;
  /** Numbers per position and normal: 3, tightly packed, or 4 (x y z 1, and x y z 0). Default 3. */
  stride?: 3 | 4;
  /** Store multi-weights of variants 0 and 1 in 16 bits: half the memory, error up to 5e-4 of the model size. Default false. */
  quantize?: boolean;
  /** Buffer of the caller (usage STORAGE) for positions. Default: a buffer of the deformer. */
  positions?: GPUBuffer;
  /** Start of the positions in that buffer, bytes: a multiple of 4, or of 16 for stride 4. Default 0. */
  positionsOffset?: number;
  /** Buffer of the caller (usage STORAGE) for normals. Default: a buffer of the deformer. */
  normalsBuffer?: GPUBuffer;
  /** Start of the normals in that buffer, bytes: a multiple of 4, or of 16 for stride 4. Default 0. */
  normalsOffset?: number;
  /** Usage flags of the deformer's own output buffers in addition to STORAGE and COPY_SRC. Default VERTEX (0x20), to draw from them. */
  usage?: number;
  /** Instances per thread: with more, weights are read less often and more registers are used. Default: by kernel. */
  instancesPerThread?: number;
}

/** Defaults of GpuDeformerOptions. */
export const GPU_DEFORMER_DEFAULTS = {
  instances: 1,
  normals: true,
  stride: 3,
  quantize: false,
  positionsOffset: 0,
  normalsOffset: 0,
  usage: 0x20,
} as const satisfies GpuDeformerOptions;

/** A deformer on the GPU. */
export interface GpuDeformer {
  /** Number of vertices. */
  readonly vertexCount: number;
  /** Number of bones of a pose. */
  readonly boneCount: number;
  /** Maximum number of instances. */
  readonly instances: number;
  /** instances x vertexCount x stride floats from positionsOffset on */
  readonly positions: GPUBuffer;
  /** The same for normals; absent without them. */
  readonly normals: GPUBuffer | undefined;
  /** instances x 3 rows x boneCount x 4 floats, rest to posed, filled by writePoses; the caller may write to it too (writePalettesInto) */
  readonly palettes: GPUBuffer;
  /** instances x coefficients of a corrected skin, filled by writePoses; the caller may write to it too */
  readonly coefficients?: GPUBuffer;
  /** Size of the model on the GPU in bytes, without outputs and palettes. */
  readonly modelBytes: number;
  /** Uploads one pose per instance from the CPU. */
  writePoses(poses: readonly Pose[]): void;
  /**
   * Records commands into a compute pass; does not submit or wait.
   * @param palettes instances x 3 rows x boneCount x 4 floats on the GPU; by default this deformer's own
   * @param instances number of instances; by default all
   */
  encode(pass: GPUComputePassEncoder, palettes?: GPUBuffer, instances?: number): void;
  /** Reads positions and normals of the first instances back to the CPU, for tests and tools: waits for the GPU. */
  readback(instances?: number): Promise<{ positions: Float32Array; normals: Float32Array | undefined }>;
  /**
   * Makes another deformer of the same model with its own outputs and poses. Model and kernels are shared and freed with the last deformer that uses
   * them. Options default to those of the first, except for buffers of the caller. Kernels are chosen for the number of instances of the first: for a
   * crowd, fork from a deformer for a crowd.
   */
  fork(options?: GpuForkOptions): GpuDeformer;
  /** Frees the GPU memory, except for buffers of the caller. */
  destroy(): void;
}

/** Options that deformers of one model do not share. */
export type GpuForkOptions = Pick<
  GpuDeformerOptions,
  'instances' | 'positions' | 'positionsOffset' | 'normalsBuffer' | 'normalsOffset' | 'usage'
>;

/**
 * Makes a deformer on the GPU: one character, or thousands in one dispatch, each with its own pose. Bones of dual quaternions, centers of rotation and
 * variants 2 and 4 must be rigid; this is not checked on the GPU. Keep poses near the origin and place characters when drawing: single precision
 * has seven digits.
 * @example
 * ```ts
 * import { createGpuDeformer, makeRestNormals, requestGpuDevice } from 'ossify/gpu';
 *
 * const device = await requestGpuDevice();
 * const shaded = { ...mesh, normals: mesh.normals ?? makeRestNormals(mesh) };
 * const onGpu = await createGpuDeformer(device, { kind: 'skin', mesh: shaded, skeleton, skin }, { instances: poses.length });
 * onGpu.writePoses(poses);
 * const encoder = device.createCommandEncoder();
 * const pass = encoder.beginComputePass();
 * onGpu.encode(pass);
 * pass.end();
 * device.queue.submit([encoder.finish()]);
 * // draw from onGpu.positions and onGpu.normals
 * ```
 */
export async function createGpuDeformer(
  device: GPUDevice,
  model: GpuModel,
  options: GpuDeformerOptions = {},
): Promise<GpuDeformer> {
  const merged = { ...GPU_DEFORMER_DEFAULTS, ...dropUndefined(options) };
  const { instances, stride } = merged;
  if (!(Number.isInteger(instances) && instances >= 1))
    throw new InputError('gpu deformer', `instances must be a whole number from 1 on, got ${instances}`);
  if (stride !== 3 && stride !== 4) throw new InputError('gpu deformer', `stride must be 3 or 4, got ${stride}`);
  const runner = makeRunner(device, model, merged);
  try {
    await runner.compile();
  } catch (error) {
    runner.destroy();
    throw error;
  }
  return runner;
}

function makeRunner(
  device: GPUDevice,
  model: GpuModel,
  options: ConstructorParameters<typeof DeformerRunner>[2] & { stride: 3 | 4 },
): GpuDeformer & { compile(): Promise<void> } {
  const pack = { withNormals: options.normals, isShort: options.quantize };
  switch (model.kind) {
    case 'two-layer':
      return new TwoLayerRunner(device, packTwoLayer(model, pack), options);
    case 'linear-two-layer':
      return new TwoLayerRunner(device, packLinearTwoLayer(model, pack), options);
    case 'corrected-skin':
      return new CorrectedRunner(device, model, options);
    default:
      return new DeformerRunner(device, packGpuModel(model, pack), options);
  }
}
