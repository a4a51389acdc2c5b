// SPDX-License-Identifier: MIT
/**
 * Deformers and animation players as WebGPU compute passes, for one character or thousands. Start with createGpuDeformer.
 *
 * @module ossify/gpu
 */
export { makeRestNormals } from '../deformers/linear-blend/rest-normals.ts';
export type { PlayedRig } from '../formats/textures/pack-animation.ts';
export {
  createGpuDeformer,
  GPU_DEFORMER_DEFAULTS,
  type GpuDeformer,
  type GpuDeformerOptions,
  type GpuForkOptions,
} from '../runtimes/gpu/create-gpu-deformer.ts';
export {
  createGpuLight,
  GPU_LIGHT_DEFAULTS,
  type GpuLight,
  type GpuLightOptions,
} from '../runtimes/gpu/create-gpu-light.ts';
export {
  createGpuPlayer,
  GPU_PLAYER_DEFAULTS,
  type GpuPlayer,
  type GpuPlayerOptions,
} from '../runtimes/gpu/create-gpu-player.ts';
export {
  createGpuFace,
  GPU_FACE_DEFAULTS,
  type GpuFace,
  type GpuFaceOptions,
} from '../runtimes/gpu/faces/create-gpu-face.ts';
export {
  createGpuShapeDriver,
  GPU_SHAPE_DRIVER_DEFAULTS,
  type GpuShapeDriver,
  type GpuShapeDriverOptions,
} from '../runtimes/gpu/faces/create-gpu-shape-driver.ts';
export { type GpuDeviceOptions, requestGpuDevice } from '../runtimes/gpu/gpu-device.ts';
export type { GpuModel } from '../runtimes/gpu/gpu-model.ts';
export { type ChosenLevels, chooseLevels, type SeenInstances } from '../runtimes/gpu/search/choose-levels.ts';
export { createGpuSearch } from '../runtimes/gpu/search/create-gpu-search.ts';
export { writePalettesInto } from '../runtimes/gpu/write-palettes.ts';
