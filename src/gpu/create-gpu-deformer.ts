// SPDX-License-Identifier: MIT

import type { Pose } from '../model/deformer.ts';
import { dropUndefined } from '../model/drop-undefined.ts';
import { InputError } from '../model/errors.ts';
import { CorrectedRunner } from './corrected-runner.ts';
import { DeformerRunner } from './deformer-runner.ts';
import { type GpuModel, packGpuModel } from './gpu-model.ts';
import { packLinearTwoLayer, packTwoLayer, TwoLayerRunner } from './two-layer-runner.ts';

/** Options of createGpuDeformer. */
export interface GpuDeformerOptions {
  /** Maximum number of instances. */
  instances?: number;
  /** Whether normals are computed too. */
  normals?: boolean;
  /** Numbers per position and normal: 3, tightly packed, or 4 (x y z 1, and x y z 0). */
  stride?: 3 | 4;
  /** Multi-weights of variants 0 and 1 in 16 bits: half the memory, positions within 5e-4 of the size. */
  quantize?: boolean;
  /** Buffers of the caller's (usage STORAGE) to write into, and where in them, in bytes, a multiple of 4 (of 16 for stride 4). */
  positions?: GPUBuffer;
  positionsOffset?: number;
  normalsBuffer?: GPUBuffer;
  normalsOffset?: number;
  /** Usage bits that own output buffers get besides STORAGE and COPY_SRC: VERTEX (0x20) to draw from them. */
  usage?: number;
  /** Instances per thread: more reads weights less often and needs more registers. */
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
  readonly vertexCount: number;
  readonly boneCount: number;
  /** Maximum number of instances. */
  readonly instances: number;
  /** instances x vertexCount x stride floats from positionsOffset on */
  readonly positions: GPUBuffer;
  /** The same for normals; absent without them. */
  readonly normals: GPUBuffer | undefined;
  /** instances x 3 rows x boneCount x four floats, rest to posed (writePalettesInto makes them): where writePoses puts them, for others to write as well */
  readonly palettes: GPUBuffer;
  /** instances x coefficients of a corrected skin: where writePoses puts them, for others to write as well */
  readonly coefficients?: GPUBuffer;
  /** Bytes of the model on the GPU, outputs and palettes not counted. */
  readonly modelBytes: number;
  /** Uploads poses from the CPU, the first instance's first. */
  writePoses(poses: readonly Pose[]): void;
  /**
   * Records commands into a compute pass; does not submit or wait.
   * @param palettes instances x 3 rows x boneCount x 4 floats on the GPU; by default this deformer's own
   * @param instances how many of them; by default all
   */
  encode(pass: GPUComputePassEncoder, palettes?: GPUBuffer, instances?: number): void;
  /** Positions and normals of the first instances, for tests and tools: waits for the GPU. */
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
