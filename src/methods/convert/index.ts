// SPDX-License-Identifier: MIT
export type { EditedHelper, KeyPose } from './controllers/given-controller.ts';
export { listRotations } from './convert-rig.ts';
export { CONVERT_FRAME_BYTES, helperBonesMethod } from './helper-bones-method.ts';
export type { ConvertRigResult, HelperInput } from './helper-input.ts';
export { matchJoints } from './match-joints.ts';
export { measureConversion } from './measure/measure-conversion.ts';
export { type MeasuredConverted, measureConverted } from './measure/measure-converted.ts';
export type { SamplingRule } from './options.ts';
export {
  HELPER_OPTIONS,
  HELPER_TRANSFORMS,
  HELPERS,
  type HelperOptions,
  type HelperTransforms,
} from './options.ts';
export { makeJointPoser } from './sample/joint-poser.ts';
export { makeRandomPoses } from './sample/random-poses.ts';
export { SourceProbe } from './sample/source-probe.ts';
