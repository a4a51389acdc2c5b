// SPDX-License-Identifier: MIT
export { type FbxContent, WRITE_FBX_DEFAULTS, type WriteFbxOptions, writeFbx } from './write/write-fbx.ts';
export {
  WRITE_FBX_SCENE_DEFAULTS,
  type WriteFbxSceneOptions,
  type WrittenFbx,
  writeFbxFiles,
  writeFbxScene,
} from './write/write-fbx-scene.ts';
