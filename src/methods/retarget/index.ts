// SPDX-License-Identifier: MIT
export { poseArms } from './pose-arms.ts';

export type { RetargetRig } from './rest-rig.ts';
export { type RetargetOptions, type RetargetResult, retarget } from './retarget.ts';
