// SPDX-License-Identifier: MIT
// All commands, in the order of the help. A new command needs one file and one line here.
import { UsageError } from '../../core/model/errors.ts';
import { bakeJob } from '../bake/bake-job.ts';
import { editJob } from '../bake/edit-job.ts';
import { compressJob } from '../compress/compress-job.ts';
import { convertJob } from '../convert/convert-job.ts';
import { decomposeJob } from '../decompose/decompose-job.ts';
import { lightJob } from '../light/light-job.ts';
import { lodJob } from '../lod/lod-job.ts';
import { mushJob } from '../mush/mush-job.ts';
import { reduceJob } from '../reduce/reduce-job.ts';
import { demoJob } from '../sample/demo-job.ts';
import { sampleJob } from '../sample/sample-job.ts';
import { skeletonJob } from '../skeleton/skeleton-job.ts';
import { trackJob } from '../track/track-job.ts';
import { compareJob } from '../view/compare-job.ts';
import { drawJob } from '../view/draw-job.ts';
import { infoJob } from '../view/info-job.ts';
import type { JobSpec } from '../engine/job.ts';

/** All jobs, in the order of the command line's help. */
export const JOBS = [
  infoJob,
  decomposeJob,
  skeletonJob,
  trackJob,
  reduceJob,
  mushJob,
  compressJob,
  convertJob,
  lodJob,
  editJob,
  lightJob,
  compareJob,
  drawJob,
  bakeJob,
  sampleJob,
  demoJob,
] as unknown as readonly JobSpec[];

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
  const spec = JOBS.find(({ name }) => name === command);
  if (!spec)
    throw new UsageError(
      'job',
      `there is no command "${command}"; there are ${JOBS.map(({ name }) => name).join(', ')}`,
    );
  return spec;
}
