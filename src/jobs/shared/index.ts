// SPDX-License-Identifier: MIT
export { keyTolerance, keyToleranceOfLimit, solverLimit } from './error-budget.ts';
export { fitGlb } from './fit-glb.ts';
export type { OutputSettings, SceneStep } from './list-output-scenes.ts';
export { makePlainContent, type PlainContentOptions } from './make-plain-content.ts';
export { FRONT_NAMES, frontOf, NAME_OPTIONS, NAME_STEP, type NameValues, nameAsset, nameModel } from './name-asset.ts';
export { checkDenoise, DENOISE_STEP, NOISE_OPTIONS, NOISE_STEP } from './noise-options.ts';
export {
  ALL_EXTENSIONS,
  besidePath,
  CHARACTER_EXTENSIONS,
  CHARACTER_OUTPUT,
  type CharacterFormat,
  encodeCharacter,
  FRAMES_EXTENSIONS,
  type FramesFormat,
  findOutputFormat,
  isGlb,
  listExtensions,
  listSequencePaths,
  meshPathOf,
  writeAssetGlb,
  writeCharacter,
} from './output-formats.ts';
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
export { type NoiseOption, prepareNoisy, settleNoise } from './prepare-noisy.ts';
export { type LabelledRig, rigOfAsset, rigOfNodes } from './rig-of-asset.ts';
export { LOOK } from './search-precision.ts';
export {
  ROOT_OPTION,
  ROOT_STEP,
  type SettledInput,
  settleMotion,
  TAKE_OPTIONS,
  TAKE_STEP,
  type TakeValues,
} from './settle-motion.ts';
export { checkShrinkable, type ShrunkContent, shrinkContent } from './shrink-content.ts';
export { REORDERED_NOTE, ROUNDED, reportSize, SOLVED_OF_MAX, shrinkModel } from './shrink-model.ts';
export type { SizeCodec } from './size-codecs.ts';
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
} from './size-options.ts';
export { acceptTargets, encodingOf, type SplitJob, splitTarget } from './target-options.ts';
export { listDenoisedPaths, noiseOf, noteNoise, writeDenoised } from './write-denoised.ts';
export { writeSmall } from './write-small.ts';
