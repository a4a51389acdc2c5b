// SPDX-License-Identifier: MIT
export { addHumanoid, type HumanBones, renameNodes, turnNodes } from './add-humanoid.ts';
export { checkVrm, type VrmFault } from './check-vrm.ts';
export { findHumanNode } from './find-human-node.ts';
export { findLostBone, isAvatarExtension, moveAvatarExtension } from './move-avatar.ts';
export type { NewPlaces } from './new-places.ts';
