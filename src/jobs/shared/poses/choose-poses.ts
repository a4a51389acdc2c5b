// SPDX-License-Identifier: MIT
// The poses that jobs measure and optimize over: the animations of a file, or poses within joint ranges if there are none. The options, the remark and the
// fields of the report are the same in every job.

import type { Asset } from '../../../core/model/asset.ts';
import { InputError } from '../../../core/model/errors.ts';
import { choice, group, type OptionType, option } from '../../../core/options/option.ts';
import { defineStep } from '../../../core/options/step.ts';
import { sampleMotions } from '../../../deformers/playback/index.ts';
import {
  carryPoses,
  POSE_COUNT,
  POSE_WORDS,
  type PosedAsset,
  type PoseRanges,
  type PoseWord,
  poseAsset,
  RANGES_FILE,
  rangesFromLimits,
  rangesFromMotions,
} from '../../../fit/poses/index.ts';
import { formatCount, type JobContext, WRITTEN_FILE } from '../../engine/index.ts';
import { readRangesOption } from './read-ranges-option.ts';

const words = choice(POSE_WORDS, '<source>');
/** A source of poses. It has no list of choices, since the singular is read too. */
export const POSE_TYPE: OptionType<PoseWord> = {
  placeholder: words.placeholder,
  parse: (text) => words.parse(text === 'animation' ? 'animations' : text),
};

export const POSES_HELP = `auto (animations, or ranges if there are none), animations, ranges (${POSE_COUNT} drawn poses)`;
const RANGES_HELP =
  'ranges of joint rotations for drawn poses: a JSON file of degrees by bone name, auto (from the animations), or limits (joint limits of the file)';
/** The ranges if none are given. */
export const RANGES_DEFAULT = "the file's limits, else 45° about each axis, 30° for hips and spine";

/** Where poses come from. */
export const POSES_OPTION = group('Pose options:', {
  poses: option(POSE_TYPE, `poses that are measured and preserved: ${POSES_HELP}`, {
    default: 'auto',
    form: {
      label: 'Poses',
      note: 'Poses that are measured and preserved: the animations of the file, or drawn ones within joint ranges.',
      labels: { auto: 'Automatic', animations: 'Animations', ranges: 'Joint ranges' },
      isFine: true,
    },
  }),
});
/** The ranges of drawn poses. */
export const RANGES_OPTION = group('Pose options:', {
  ranges: option(RANGES_FILE, RANGES_HELP, { defaultText: RANGES_DEFAULT }),
});

/** Poses of a rig, for jobs that measure or optimize over motion. */
export const POSES_STEP = defineStep({ name: 'poses', options: { ...POSES_OPTION, ...RANGES_OPTION } });

/** Values of the step; jobs whose method has ranges of its own use those. */
export interface PoseValues {
  poses?: PoseWord;
  ranges?: Parameters<typeof readRangesOption>[0];
  seed?: number;
}

/** Poses of an input, and the ranges that were given. */
export interface ChosenPoses extends PosedAsset {
  ranges: PoseRanges | undefined;
}

/** Chooses the poses of an input, with a remark if they are drawn. */
export async function choosePoses(context: JobContext, asset: Asset, values: PoseValues): Promise<ChosenPoses> {
  const { poses, seed } = values;
  const ranges = await readPoseRanges(context, asset, values.ranges);
  const posed = poseAsset(asset, { poses, seed, ranges });
  if (posed.source === 'ranges' && poses !== 'ranges')
    context.note(
      `${asset.animations.length > 0 ? 'the animations of the file do not move' : 'the file has no animation'}; it is measured in ${formatCount(POSE_COUNT, 'pose')} within joint ranges (--ranges)`,
    );
  return { ...posed, ranges };
}

async function readPoseRanges(
  context: JobContext,
  asset: Asset,
  ranges: PoseValues['ranges'],
): Promise<PoseRanges | undefined> {
  if (ranges === undefined || !asset.rig) return undefined;
  const read = await readRangesOption(ranges, context);
  if (read === 'default') return undefined;
  if (read === 'limits') return rangesFromLimits(asset);
  if (read !== 'auto') return read;
  if (asset.animations.length === 0)
    throw new InputError('--ranges auto', 'the file has no animation to take ranges of motion from; use a file');
  return rangesFromMotions(asset.rig.skeleton, sampleMotions(asset, MAX_RANGE_FRAMES));
}

/** Maximum frames of the animations for ranges. */
const MAX_RANGE_FRAMES = 1000;

/** A written file that plays the poses of the input. */
export const playWritten = (posed: PosedAsset, written: Asset): Asset => carryPoses(posed, written, WRITTEN_FILE);

/**
 * The fields of a report.
 * @param frames frames that were measured
 */
export function reportPoses(
  { source }: Pick<PosedAsset, 'source'>,
  frames: number,
): { poses: PosedAsset['source']; poseCount: number } {
  return { poses: source, poseCount: frames };
}

/** Frames of a report in words. */
export function describePoses({ poses, poseCount }: Readonly<Record<string, unknown>>): string {
  if (poses === 'rest') return 'in the rest pose';
  const isDrawn = poses === 'ranges';
  return `at ${formatCount(Number(poseCount), isDrawn ? 'pose' : 'frame')}${isDrawn ? ' in joint ranges' : ''}`;
}
