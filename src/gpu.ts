// SPDX-License-Identifier: MIT
/**
 * Deformers and animation players as WebGPU compute passes, for one character or thousands. Start with createGpuDeformer.
 *
 * @module ossify/gpu
 */
export { makeRestNormals } from './deform/rest-normals.ts';
export type { PlayedRig } from './extension/pack-animation.ts';
export { type ChosenLevels, chooseLevels, type SeenInstances } from './gpu/choose-levels.ts';
export {
  createGpuDeformer,
  GPU_DEFORMER_DEFAULTS,
  type GpuDeformer,
  type GpuDeformerOptions,
  type GpuForkOptions,
} from './gpu/create-gpu-deformer.ts';
export { createGpuFace, GPU_FACE_DEFAULTS, type GpuFace, type GpuFaceOptions } from './gpu/create-gpu-face.ts';
export { createGpuLight, GPU_LIGHT_DEFAULTS, type GpuLight, type GpuLightOptions } from './gpu/create-gpu-light.ts';
export {
  createGpuPlayer,
  GPU_PLAYER_DEFAULTS,
  type GpuPlayer,
  type GpuPlayerOptions,
} from './gpu/create-gpu-player.ts';
export { createGpuSearch } from './gpu/create-gpu-search.ts';
export {
  createGpuShapeDriver,
  GPU_SHAPE_DRIVER_DEFAULTS,
  type GpuShapeDriver,
  type GpuShapeDriverOptions,
} from './gpu/create-gpu-shape-driver.ts';
export { type GpuDeviceOptions, requestGpuDevice } from './gpu/gpu-device.ts';
export type { GpuModel } from './gpu/gpu-model.ts';
export { writePalettesInto } from './gpu/write-palettes.ts';
