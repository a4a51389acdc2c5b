// SPDX-License-Identifier: MIT
export { keyTolerance, keyToleranceOfLimit, solverLimit } from './error-budget.ts';
export { FRONT_NAMES, frontOf, NAME_OPTIONS, NAME_STEP, type NameValues, nameAsset, nameModel } from './name-asset.ts';
export { checkDenoise, DENOISE_STEP, NOISE_OPTIONS, NOISE_STEP } from './noise/noise-options.ts';
export { type NoiseOption, prepareNoisy, settleNoise } from './noise/prepare-noisy.ts';
export { listDenoisedPaths, noiseOf, noteNoise, writeDenoised } from './noise/write-denoised.ts';
export type { OutputSettings, SceneStep } from './output/list-output-scenes.ts';
export { makePlainContent, type PlainContentOptions } from './output/make-plain-content.ts';
export {
  ALL_EXTENSIONS,
  besidePath,
  CHARACTER_EXTENSIONS,
  CHARACTER_OUTPUT,
  type CharacterFormat,
  encodeCharacter,
  FRAMES_EXTENSIONS,
  type FramesOutput,
  findFramesFormat,
  findOutputFormat,
  isGlb,
  listExtensions,
  writeAssetGlb,
  writeCharacter,
} from './output/output-formats.ts';
export { acceptTargets, encodingOf, type SplitJob, splitTarget } from './output/target-options.ts';
export { POSE_STEP, poseAssetRest } from './pose-asset-rest.ts';
export {
  type ChosenPoses,
  choosePoses,
  describePoses,
  POSE_TYPE,
  POSES_HELP,
  POSES_OPTION,
  POSES_STEP,
  type PoseValues,
  playWritten,
  RANGES_DEFAULT,
  RANGES_OPTION,
  reportPoses,
} from './poses/choose-poses.ts';
export { measurePlain } from './poses/measure-posed.ts';
export { readRangesOption } from './poses/read-ranges-option.ts';
export { type LabelledRig, rigOfAsset, rigOfNodes } from './rig-of-asset.ts';
export {
  ROOT_OPTION,
  ROOT_STEP,
  type SettledInput,
  settleMotion,
  TAKE_OPTIONS,
  TAKE_STEP,
  type TakeValues,
} from './settle-motion.ts';
export { fitGlb } from './size/fit-glb.ts';
export { LOOK } from './size/search-precision.ts';
export { checkShrinkable, type ShrunkContent, shrinkContent } from './size/shrink-content.ts';
export { REORDERED_NOTE, ROUNDED, reportSize, SOLVED_OF_MAX, shrinkModel } from './size/shrink-model.ts';
export type { SizeCodec } from './size/size-codecs.ts';
export {
  checkSizeOptions,
  checkSmallOptions,
  goalOf,
  MEAN_GATES,
  MEAN_OPTIONS,
  refuseCompact,
  SIZE_OPTIONS,
  SIZE_STEP,
  type SizeValues,
  SMALL_OPTIONS,
} from './size/size-options.ts';
export { writeSmall } from './size/write-small.ts';
