// SPDX-License-Identifier: MIT
/**
 * Ossify files in three.js: register ossifyPlugin with a GLTFLoader; createDeformedCrowd draws many instances.
 *
 * @module ossify/three
 */
export {
  type AnyRenderer,
  type Batch,
  BONE_TEXTURE_GLSL,
  type BoneBounds,
  BoneTexture,
  type BoneTextureFacts,
  type CrowdLevels,
  compactSkinPlugin,
  createDeformedCrowd,
  DeformedCrowd,
  type DeformedCrowdOptions,
  DeformedMesh,
  type DeformedShape,
  type GpuShape,
  HelperSkeleton,
  LevelOfDetail,
  type OssifyPluginOptions,
  ossifyPlugin,
  type SceneController,
} from '../runtimes/three/index.ts';
