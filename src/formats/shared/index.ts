// SPDX-License-Identifier: MIT
export type {
  AssetFormat,
  CacheFormat,
  FramesFile,
  FramesFormat,
  MeshFormat,
  ReadSceneOptions,
  SceneFormat,
  ScenePoints,
} from './asset-format.ts';
export { ByteReader } from './byte-reader.ts';
export { checkSkinnedModel, checkSkinnedMorphs } from './check-skinned-model.ts';
export { baseName, type InputFile, plainName, type RangeFile, readNamed } from './input-file.ts';
export { readMorphDrivers, writeMorphDrivers } from './morph-driver-file.ts';
export { writeBvh } from './write-bvh.ts';
