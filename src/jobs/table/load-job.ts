// SPDX-License-Identifier: MIT
// Loads the description of one command with the solvers that it needs, and nothing else: a command line that runs one command starts in half the time. jobs.ts loads all of them.
import { UsageError } from '../../core/model/errors.ts';
import type { JobSpec } from '../engine/index.ts';

/** By name, in the order of jobs.ts. */
const LOADERS: Readonly<Record<string, () => Promise<object>>> = {
  info: async () => (await import('../view/info-job.ts')).infoJob,
  decompose: async () => (await import('../decompose/decompose-job.ts')).decomposeJob,
  skeleton: async () => (await import('../skeleton/skeleton-job.ts')).skeletonJob,
  track: async () => (await import('../track/track-job.ts')).trackJob,
  reduce: async () => (await import('../reduce/reduce-job.ts')).reduceJob,
  mush: async () => (await import('../mush/mush-job.ts')).mushJob,
  compress: async () => (await import('../compress/compress-job.ts')).compressJob,
  convert: async () => (await import('../convert/convert-job.ts')).convertJob,
  lod: async () => (await import('../lod/lod-job.ts')).lodJob,
  edit: async () => (await import('../bake/edit-job.ts')).editJob,
  light: async () => (await import('../light/light-job.ts')).lightJob,
  compare: async () => (await import('../view/compare-job.ts')).compareJob,
  draw: async () => (await import('../view/draw-job.ts')).drawJob,
  bake: async () => (await import('../bake/bake-job.ts')).bakeJob,
  sample: async () => (await import('../sample/sample-job.ts')).sampleJob,
  demo: async () => (await import('../sample/demo-job.ts')).demoJob,
};

/** The names of all commands, in the order of the help. */
export const JOB_NAMES = Object.keys(LOADERS);

/** Loads the description of a command. Throws a UsageError if there is none. */
export async function loadJob(command: string): Promise<JobSpec> {
  if (!JOB_NAMES.includes(command))
    throw new UsageError('job', `there is no command "${command}"; there are ${JOB_NAMES.join(', ')}`);
  return (await LOADERS[command]()) as JobSpec;
}
