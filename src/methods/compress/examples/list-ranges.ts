// SPDX-License-Identifier: MIT
import type { Motion } from '../../../core/model/clip/motion.ts';
import type { DirectDeltaMush } from '../../../core/model/deformed/direct-delta-mush.ts';
import {
  defaultRanges,
  type JointRange,
  type RangeTable,
  rangesFromMotions,
  readRanges,
} from '../../../fit/poses/index.ts';
import type { CompressMaps } from '../compressor.ts';

/** Where ranges come from. */
export interface RangeSource {
  /** 'default', 'auto', or a table by bone name */
  ranges: string | RangeTable;
  /** For 'auto'. */
  motions: readonly Motion[];
  maps?: CompressMaps;
}

/** The range of every joint. Without the map of ranges, all rotate as far as the widest. */
export function listRanges({ skeleton }: DirectDeltaMush, height: number, source: RangeSource): JointRange[] {
  const { ranges: given, motions, maps } = source;
  const ranges =
    given === 'auto'
      ? rangesFromMotions(skeleton, motions)
      : given === 'default'
        ? defaultRanges(skeleton, height)
        : readRanges(given, skeleton, height);
  if (maps?.ranges !== false) return ranges;
  const widest = ranges.reduce(
    (max, { rotation }) => Math.max(max, ...rotation.map(([low, high]) => (high - low) / 2)),
    0,
  );
  return ranges.map(({ translation }) => ({
    rotation: [
      [-widest, widest],
      [-widest, widest],
      [-widest, widest],
    ],
    translation,
  }));
}
