// SPDX-License-Identifier: MIT
export { decodeBoneTexture } from './decode-bone-texture.ts';
export { type PlayedRig, packAnimation } from './pack-animation.ts';
export { type AnimationTexture, packBoneTexture, TEXELS_PER_BONE } from './pack-bone-texture.ts';
export { decodeVertexTexture, packNormalTexture, packVertexTexture } from './pack-vertex-texture.ts';
