// SPDX-License-Identifier: MIT
export { decodeSkinBlend } from './decode-skin-blend.ts';
export { makeDualQuaternion } from './dual-quaternion.ts';
export { makeSkinBlend } from './make-skin-blend.ts';
export { BLEND_EXTENSION, BLEND_EXTENSION_VERSION, BLEND_FIELDS, packSkinBlend } from './pack-skin-blend.ts';
