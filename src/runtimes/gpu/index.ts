// SPDX-License-Identifier: MIT
export {
  createGpuDeformer,
  GPU_DEFORMER_DEFAULTS,
  type GpuDeformer,
  type GpuDeformerOptions,
  type GpuForkOptions,
} from './create-gpu-deformer.ts';
export { createGpuLight, GPU_LIGHT_DEFAULTS, type GpuLight, type GpuLightOptions } from './create-gpu-light.ts';
export { createGpuPlayer, GPU_PLAYER_DEFAULTS, type GpuPlayer, type GpuPlayerOptions } from './create-gpu-player.ts';
export { createGpuFace, GPU_FACE_DEFAULTS, type GpuFace, type GpuFaceOptions } from './faces/create-gpu-face.ts';
export {
  createGpuShapeDriver,
  GPU_SHAPE_DRIVER_DEFAULTS,
  type GpuShapeDriver,
  type GpuShapeDriverOptions,
} from './faces/create-gpu-shape-driver.ts';
export { type GpuDeviceOptions, requestGpuDevice } from './gpu-device.ts';
export type { GpuModel } from './gpu-model.ts';
export { type ChosenLevels, chooseLevels, type SeenInstances } from './search/choose-levels.ts';
export { createGpuSearch } from './search/create-gpu-search.ts';
export { writePalettesInto } from './write-palettes.ts';
