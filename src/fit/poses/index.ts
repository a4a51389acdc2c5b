// SPDX-License-Identifier: MIT

export { carryPoses } from './carry-poses.ts';
export { POSE_COUNT, POSES_NAME } from './make-pose-animation.ts';
export {
  listRanges,
  POSE_WORDS,
  type PoseAssetOptions,
  type PosedAsset,
  type PoseRanges,
  type PoseWord,
  poseAsset,
} from './pose-asset.ts';
export { RANGE_WORDS, RANGES_FILE } from './ranges-file.ts';
export { rangesFromLimits } from './ranges-from-limits.ts';
export { rangesFromMotions, rigidBindInto } from './ranges-from-motions.ts';
export {
  defaultRanges,
  type JointRange,
  type JointRangeWords,
  type Range,
  type RangeTable,
  type RangeWords,
  readRanges,
  scaleRanges,
} from './ranges-of-motion.ts';
