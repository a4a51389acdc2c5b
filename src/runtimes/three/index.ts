// SPDX-License-Identifier: MIT
export type { BoneBounds } from './bone-bounds.ts';
export type { BoneTextureFacts } from './check-bone-texture-facts.ts';
export { createDeformedCrowd, type DeformedCrowdOptions } from './create-deformed-crowd.ts';
export { type Batch, type CrowdLevels, DeformedCrowd } from './deformed-crowd.ts';
export { DeformedMesh } from './deformed-mesh.ts';
export type { DeformedShape, GpuShape } from './deformed-shape.ts';
export { HelperSkeleton, type SceneController } from './helper-skeleton.ts';
export { LevelOfDetail } from './level-of-detail.ts';
export { compactSkinPlugin } from './load/compact-skin-plugin.ts';
export { type OssifyPluginOptions, ossifyPlugin } from './load/ossify-plugin.ts';
export type { AnyRenderer } from './renderer-device.ts';
export { BONE_TEXTURE_GLSL } from './textures/bone-texture.glsl.ts';
export { BoneTexture } from './textures/bone-texture.ts';
