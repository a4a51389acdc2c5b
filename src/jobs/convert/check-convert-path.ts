// SPDX-License-Identifier: MIT
// convert does four things, depending on its input. Each of them reads some of its options; the others are refused.

import type { Asset } from '../../core/model/asset.ts';
import { findMotion } from '../../deformers/playback/index.ts';
import {
  COMMON_OPTIONS,
  FRAME_OPTIONS,
  type JobContext,
  listUnread,
  READ_OPTIONS,
  refuseUnread,
  STORE_OPTIONS,
} from '../engine/index.ts';
import { SMALL_OPTIONS } from '../shared/index.ts';
import { CONVERT_OPTIONS } from './convert-job-options.ts';
import { SHAPE_OPTIONS } from './convert-shapes-job.ts';

/** A file with a rig, a sample rig, a clip with its skeleton, or morph targets and cages. */
export type ConvertPath = 'asset' | 'rig' | 'clip' | 'shapes';

const SHAPES = Object.keys(SHAPE_OPTIONS);
const READ = Object.keys(READ_OPTIONS);
const FRAMES = Object.keys(FRAME_OPTIONS).filter((key) => !READ.includes(key));
const ALL = [
  ...['maxError', 'transforms', 'influences', 'controllers', 'drivers'],
  ...Object.keys({ ...STORE_OPTIONS, ...COMMON_OPTIONS }),
];
const HELPERS = [
  ...['helpers', 'around', 'normals', 'normalWeights', 'target', 'iterations', 'order', 'beta', 'joints', 'delay'],
  ...['edit', ...Object.keys(SMALL_OPTIONS)],
];
const POSES = ['samples', 'sampling', 'epsilon', 'epsilonOf', 'ranges', 'poses'];

/** By path, the options that it reads. */
const OPTIONS_OF: Readonly<Record<ConvertPath, readonly string[]>> = {
  asset: [...ALL, ...READ, ...HELPERS, ...POSES, 'morphDrivers'],
  rig: [...ALL, ...HELPERS, ...POSES],
  clip: [...ALL, ...READ, ...HELPERS, ...FRAMES, 'skeleton'],
  shapes: [...ALL, ...READ, ...SHAPES, 'poses', 'cage'],
};

const FOR_SHAPES: [string[], string][] = [
  [['bones'], 'applies to morph targets and cages; --helpers adds bones to a rig'],
  [SHAPES, 'applies to morph targets and cages, with --bones'],
];

/** By path, options and what to do instead; those that are not listed have the fault of the path. */
const FAULTS: Readonly<Record<ConvertPath, readonly [string[], string][]>> = {
  asset: [...FOR_SHAPES, [FRAMES, 'applies to clips; a rig is converted with all of its animations, so remove it']],
  rig: FOR_SHAPES,
  clip: [
    ...FOR_SHAPES,
    [POSES, 'applies to rigs, which are evaluated in new poses; the poses of a clip are its frames, so remove it'],
  ],
  shapes: [
    [['helpers'], 'applies to rigs; --bones is the number of bones for morph targets and cages'],
    [FRAMES, 'applies to clips; morph targets are converted with all of their animations, so remove it'],
  ],
};

const OTHERS: Readonly<Record<ConvertPath, string>> = {
  asset: 'has no effect on a rig; remove it',
  rig: 'has no effect on a sample rig, which is not read from a file; remove it',
  clip: 'has no effect on a clip with its skeleton; remove it',
  shapes: 'applies to rigs, not to morph targets and cages',
};

/** Throws a UsageError for a given option that a path does not read, and for an animation that the file does not have. */
export function checkConvertPath(
  { job, options }: JobContext<{ animation?: string }>,
  path: ConvertPath,
  asset?: Asset,
): void {
  if (asset && options.animation !== undefined) findMotion(asset, options.animation);
  const unread = listUnread(CONVERT_OPTIONS, OPTIONS_OF[path]);
  for (const [keys, fault] of FAULTS[path])
    refuseUnread(
      job,
      keys.filter((key) => unread.includes(key)),
      fault,
    );
  refuseUnread(job, unread, OTHERS[path]);
}
