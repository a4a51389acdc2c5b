// SPDX-License-Identifier: MIT

export { RANGE_WORDS, RANGES_FILE } from './ranges-file.ts';
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
