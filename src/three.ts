// SPDX-License-Identifier: MIT
/**
 * Ossify files in three.js: register ossifyPlugin with a GLTFLoader; createDeformedCrowd draws many instances.
 *
 * @module ossify/three
 */
export type { BoneBounds } from './three/bone-bounds.ts';
export { BONE_TEXTURE_GLSL } from './three/bone-texture.glsl.ts';
export { BoneTexture } from './three/bone-texture.ts';
export type { BoneTextureFacts } from './three/check-bone-texture-facts.ts';
export { compactSkinPlugin } from './three/compact-skin-plugin.ts';
export { createDeformedCrowd, type DeformedCrowdOptions } from './three/create-deformed-crowd.ts';
export { type Batch, type CrowdLevels, DeformedCrowd } from './three/deformed-crowd.ts';
export { DeformedMesh } from './three/deformed-mesh.ts';
export type { DeformedShape, GpuShape } from './three/deformed-shape.ts';
export { HelperSkeleton, type SceneController } from './three/helper-skeleton.ts';
export { LevelOfDetail } from './three/level-of-detail.ts';
export { type OssifyPluginOptions, ossifyPlugin } from './three/ossify-plugin.ts';
export type { AnyRenderer } from './three/renderer-device.ts';
