// SPDX-License-Identifier: MIT
// All commands, in the order of the help. A new command needs one file and one line here.
import { UsageError } from '../../core/model/errors.ts';
import { bakeJob, editJob } from '../bake/index.ts';
import { compressJob } from '../compress/index.ts';
import { convertJob } from '../convert/index.ts';
import { decomposeJob } from '../decompose/index.ts';
import type { JobSpec } from '../engine/index.ts';
import { lightJob } from '../light/index.ts';
import { lodJob } from '../lod/index.ts';
import { mushJob } from '../mush/index.ts';
import { reduceJob } from '../reduce/index.ts';
import { demoJob, sampleJob } from '../sample/index.ts';
import { skeletonJob } from '../skeleton/index.ts';
import { trackJob } from '../track/index.ts';
import { compareJob, drawJob, infoJob } from '../view/index.ts';

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
