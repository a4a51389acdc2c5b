// SPDX-License-Identifier: MIT
/**
 * Deformers and animation players as WebGPU compute passes, for one character or thousands. Start with createGpuDeformer.
 *
 * @module ossify/gpu
 */
export { makeRestNormals } from '../deformers/linear-blend/index.ts';
export type { PlayedRig } from '../formats/textures/index.ts';
export {
  type ChosenLevels,
  chooseLevels,
  createGpuDeformer,
  createGpuFace,
  createGpuLight,
  createGpuPlayer,
  createGpuSearch,
  createGpuShapeDriver,
  GPU_DEFORMER_DEFAULTS,
  GPU_FACE_DEFAULTS,
  GPU_LIGHT_DEFAULTS,
  GPU_PLAYER_DEFAULTS,
  GPU_SHAPE_DRIVER_DEFAULTS,
  type GpuDeformer,
  type GpuDeformerOptions,
  type GpuDeviceOptions,
  type GpuFace,
  type GpuFaceOptions,
  type GpuForkOptions,
  type GpuLight,
  type GpuLightOptions,
  type GpuModel,
  type GpuPlayer,
  type GpuPlayerOptions,
  type GpuShapeDriver,
  type GpuShapeDriverOptions,
  requestGpuDevice,
  type SeenInstances,
  writePalettesInto,
} from '../runtimes/gpu/index.ts';
