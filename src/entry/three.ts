// SPDX-License-Identifier: MIT
/**
 * Ossify files in three.js: register ossifyPlugin with a GLTFLoader; createDeformedCrowd draws many instances.
 *
 * @module ossify/three
 */
export type { BoneBounds } from '../runtimes/three/bone-bounds.ts';
export type { BoneTextureFacts } from '../runtimes/three/check-bone-texture-facts.ts';
export { createDeformedCrowd, type DeformedCrowdOptions } from '../runtimes/three/create-deformed-crowd.ts';
export { type Batch, type CrowdLevels, DeformedCrowd } from '../runtimes/three/deformed-crowd.ts';
export { DeformedMesh } from '../runtimes/three/deformed-mesh.ts';
export type { DeformedShape, GpuShape } from '../runtimes/three/deformed-shape.ts';
export { HelperSkeleton, type SceneController } from '../runtimes/three/helper-skeleton.ts';
export { LevelOfDetail } from '../runtimes/three/level-of-detail.ts';
export { compactSkinPlugin } from '../runtimes/three/load/compact-skin-plugin.ts';
export { type OssifyPluginOptions, ossifyPlugin } from '../runtimes/three/load/ossify-plugin.ts';
export type { AnyRenderer } from '../runtimes/three/renderer-device.ts';
export { BONE_TEXTURE_GLSL } from '../runtimes/three/textures/bone-texture.glsl.ts';
export { BoneTexture } from '../runtimes/three/textures/bone-texture.ts';
