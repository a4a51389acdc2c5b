// SPDX-License-Identifier: MIT
// The paths of convert. Each reads the options of its steps; the others are refused.

import type { Asset } from '../../core/model/asset.ts';
import { checkPath, type OptionsOfSteps, type Path, type Step } from '../../core/options/step.ts';
import { findMotion } from '../../deformers/playback/index.ts';
import type { JobContext } from '../engine/index.ts';
import { ROOT_STEP } from '../shared/index.ts';
import {
  BONES,
  CAGE,
  COMMON,
  CONTROLLERS,
  CONVERT_OPTIONS,
  ELIMINATE,
  ERROR_LIMIT,
  FRAMES,
  GIVEN_SKELETON,
  HELPER_COUNT,
  HELPER_FIT,
  HELPER_PLACE,
  MORPH_DRIVERS,
  POSES,
  RATE,
  READ,
  SAMPLING,
  SCRIPTS,
  SHAPE_BONES,
  SHAPE_POSES,
  SHAPES,
  SMALL,
  STORE,
  TIME_LIMIT,
} from './convert-steps.ts';

/** What all helper bones are made with. */
const HELPER_STEPS = [
  ...[HELPER_COUNT, ERROR_LIMIT, HELPER_PLACE, BONES, HELPER_FIT, CONTROLLERS, SCRIPTS, SMALL, STORE, TIME_LIMIT],
  COMMON,
] as const;

/** Options of all paths that make helper bones. */
export type HelperPathOptions = OptionsOfSteps<typeof HELPER_STEPS>;
/** Options of the paths that evaluate a rig in new poses. */
export type PosedPathOptions = OptionsOfSteps<readonly [typeof SAMPLING, typeof POSES]>;

/** One fault for all options of some steps. */
function faultsOf(steps: readonly Step[], fault: string): Record<string, string> {
  return Object.fromEntries(steps.flatMap(({ options }) => Object.keys(options)).map((key) => [key, fault]));
}

const FOR_SHAPES = {
  ...faultsOf([SHAPES], 'applies to morph targets and cages, with --bones'),
  bones: 'applies to morph targets and cages; --helpers adds bones to a rig',
};

/** A file with a rig. */
export const RIG_FILE = {
  of: 'a rig',
  steps: [...HELPER_STEPS, SAMPLING, POSES, MORPH_DRIVERS, READ, FRAMES, ROOT_STEP],
  faults: {
    ...FOR_SHAPES,
    ...faultsOf([RATE], 'applies to clips; a rig keeps the keys of its animations, so remove it'),
  },
} as const satisfies Path;

/** A sample rig. */
export const RIG_SAMPLE = {
  of: 'a sample rig, which is not read from a file',
  steps: [...HELPER_STEPS, SAMPLING, POSES],
  faults: FOR_SHAPES,
} as const satisfies Path;

/** A clip, with its skeleton or with one that is found. */
export const CLIP = {
  of: 'a clip with its skeleton',
  steps: [...HELPER_STEPS, GIVEN_SKELETON, READ, FRAMES, RATE],
  faults: {
    ...FOR_SHAPES,
    ...faultsOf(
      [SAMPLING, POSES],
      'applies to rigs, which are evaluated in new poses; the poses of a clip are its frames, so remove it',
    ),
  },
} as const satisfies Path;

/** Morph targets, or a mesh in a cage. */
export const FACE = {
  of: 'morph targets and cages',
  steps: [
    ERROR_LIMIT,
    SHAPE_BONES,
    SHAPES,
    SCRIPTS,
    CAGE,
    SHAPE_POSES,
    STORE,
    READ,
    FRAMES,
    ROOT_STEP,
    TIME_LIMIT,
    COMMON,
  ],
  faults: {
    ...faultsOf(
      [HELPER_PLACE, HELPER_FIT, SAMPLING, CONTROLLERS, GIVEN_SKELETON, MORPH_DRIVERS, ELIMINATE, SMALL],
      'applies to rigs, not to morph targets and cages',
    ),
    helpers: 'applies to rigs; --bones is the number of bones for morph targets and cages',
    ...faultsOf([RATE], 'applies to clips; morph targets keep the keys of their animations, so remove it'),
  },
} as const satisfies Path;

/** Options of morph targets and cages. */
export type FacePathOptions = OptionsOfSteps<(typeof FACE)['steps']>;

/** A rig or a face without parts that have no visible effect. */
export const ELIMINATION = {
  of: '--eliminate',
  steps: [ELIMINATE, STORE, READ, COMMON],
  faults: Object.fromEntries(
    Object.keys(CONVERT_OPTIONS).map((key) => [
      key,
      'has no effect with --eliminate, which only removes parts; remove it, or convert first and eliminate in the result',
    ]),
  ),
} as const satisfies Path;

/** Throws a UsageError for a given option that a path does not read, and for an animation that the file does not have. */
export function checkConvertPath(
  { job, options }: JobContext<{ animation?: string }>,
  path: Path,
  asset?: Asset,
): void {
  if (asset && options.animation !== undefined) findMotion(asset, options.animation);
  checkPath(path, job.options ?? {});
}
