// SPDX-License-Identifier: MIT
// The descriptions of all commands at once, for lists of them. job-table.ts has their order and loads a single one.
import { bakeJob, editJob } from '../bake/index.ts';
import { checkJob } from '../check/index.ts';
import { compressJob } from '../compress/index.ts';
import { convertJob } from '../convert/index.ts';
import { decomposeJob } from '../decompose/index.ts';
import type { JobSpec } from '../engine/index.ts';
import { lightJob } from '../light/index.ts';
import { lodJob } from '../lod/index.ts';
import { mushJob } from '../mush/index.ts';
import { reduceJob } from '../reduce/index.ts';
import { retargetJob } from '../retarget/index.ts';
import { demoJob, sampleJob } from '../sample/index.ts';
import { acceptTargets } from '../shared/index.ts';
import { skeletonJob } from '../skeleton/index.ts';
import { trackJob } from '../track/index.ts';
import { compareJob, drawJob, infoJob } from '../view/index.ts';
import { checkJobName, JOB_NAMES, type JobTable } from './job-table.ts';

const TABLE: JobTable = {
  info: infoJob,
  check: checkJob,
  decompose: decomposeJob,
  skeleton: skeletonJob,
  track: trackJob,
  reduce: reduceJob,
  mush: mushJob,
  compress: compressJob,
  convert: convertJob,
  lod: lodJob,
  edit: editJob,
  retarget: retargetJob,
  light: lightJob,
  compare: compareJob,
  draw: drawJob,
  bake: bakeJob,
  sample: sampleJob,
  demo: demoJob,
};

/** All jobs, in the order of the command line's help. */
export const JOBS: readonly JobSpec[] = JOB_NAMES.map((name) => acceptTargets(TABLE[name]));

/**
 * Finds the description of a command. Throws a UsageError if there is none.
 * @example
 * ```ts
 * import { findJob } from 'ossify';
 *
 * const { options } = findJob('decompose');
 * console.log(options.bones.help);
 * ```
 */
export function findJob(command: string): JobSpec {
  checkJobName(command);
  return JOBS[JOB_NAMES.indexOf(command)];
}
