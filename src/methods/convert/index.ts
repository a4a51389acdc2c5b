// SPDX-License-Identifier: MIT
export type { EditedHelper, KeyPose } from './controllers/given-controller.ts';
export { convertClip } from './convert-clip.ts';
export {
  CONVERT_RIG_DEFAULTS,
  type ConvertRigOptions,
  HELPER_TRANSFORMS,
  type HelperTransforms,
} from './convert-options.ts';
export { type ConvertRigResult, convertRig, listRotations } from './convert-rig.ts';
export type { HelperGoal } from './fit-goal.ts';
export { matchJoints } from './match-joints.ts';
export { measureConversion } from './measure-conversion.ts';
export { type MeasuredConverted, measureConverted } from './measure-converted.ts';
export { measureClipGoal, measureGoal } from './measure-goal.ts';
export { makeJointPoser } from './sample/joint-poser.ts';
export { makeRandomPoses } from './sample/random-poses.ts';
export { rangesFromLimits } from './sample/ranges-from-limits.ts';
export { EPSILON_RULES, SAMPLING_RULES, type SamplingRule } from './sample/sample-poses.ts';
export { SourceProbe } from './sample/source-probe.ts';
