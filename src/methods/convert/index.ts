// SPDX-License-Identifier: MIT
export type { EditedHelper, KeyPose } from './controllers/given-controller.ts';
export { CONVERT_FRAME_BYTES, helperBonesMethod } from './helper-bones-method.ts';
export type { ConvertRigResult, HelperInput } from './helper-input.ts';
export { matchJoints } from './match-joints.ts';
export { type MeasuredConverted, measureConverted } from './measure-converted.ts';
export {
  HELPER_OPTIONS,
  HELPER_TRANSFORMS,
  HELPERS,
  type HelperOptions,
  type HelperTransforms,
} from './options.ts';
export { rangesFromLimits } from './sample/ranges-from-limits.ts';
