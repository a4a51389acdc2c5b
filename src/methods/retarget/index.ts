// SPDX-License-Identifier: MIT

export type { RetargetRig } from './rest-rig.ts';
export { type RetargetOptions, type RetargetResult, retarget } from './retarget.ts';
