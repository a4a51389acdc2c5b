// SPDX-License-Identifier: MIT
export type { EditedHelper, KeyPose } from './controllers/given-controller.ts';
export { convertClip } from './convert-clip.ts';
export {
  CONVERT_RIG_DEFAULTS,
  type ConvertRigOptions,
  HELPER_TRANSFORMS,
  type HelperTransforms,
} from './convert-options.ts';
export { type ConvertRigResult, convertRig } from './convert-rig.ts';
export type { HelperGoal } from './fit-goal.ts';
export { matchJoints } from './match-joints.ts';
export { type MeasuredConverted, measureConverted } from './measure-converted.ts';
export { measureClipGoal, measureGoal } from './measure-goal.ts';
export { rangesFromLimits } from './sample/ranges-from-limits.ts';
export { EPSILON_RULES, SAMPLING_RULES } from './sample/sample-poses.ts';
