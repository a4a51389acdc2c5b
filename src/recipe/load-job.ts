// SPDX-License-Identifier: MIT
// Loads the description of one command with the solvers that it needs, and nothing else: a command line that runs one command starts in half the time. jobs.ts loads all of them.
import { UsageError } from '../model/errors.ts';
import type { JobSpec } from './job.ts';

/** By name, in the order of jobs.ts. */
const LOADERS: Readonly<Record<string, () => Promise<object>>> = {
  info: async () => (await import('./info-job.ts')).infoJob,
  decompose: async () => (await import('./decompose-job.ts')).decomposeJob,
  skeleton: async () => (await import('./skeleton-job.ts')).skeletonJob,
  track: async () => (await import('./track-job.ts')).trackJob,
  reduce: async () => (await import('./reduce-job.ts')).reduceJob,
  mush: async () => (await import('./mush-job.ts')).mushJob,
  compress: async () => (await import('./compress-job.ts')).compressJob,
  convert: async () => (await import('./convert-job.ts')).convertJob,
  lod: async () => (await import('./lod-job.ts')).lodJob,
  edit: async () => (await import('./edit-job.ts')).editJob,
  light: async () => (await import('./light-job.ts')).lightJob,
  compare: async () => (await import('./compare-job.ts')).compareJob,
  draw: async () => (await import('./draw-job.ts')).drawJob,
  bake: async () => (await import('./bake-job.ts')).bakeJob,
  sample: async () => (await import('./sample-job.ts')).sampleJob,
  demo: async () => (await import('./demo-job.ts')).demoJob,
};

/** The names of all commands, in the order of the help. */
export const JOB_NAMES = Object.keys(LOADERS);

/** Loads the description of a command. Throws a UsageError if there is none. */
export async function loadJob(command: string): Promise<JobSpec> {
  if (!JOB_NAMES.includes(command))
    throw new UsageError('job', `there is no command "${command}"; there are ${JOB_NAMES.join(', ')}`);
  return (await LOADERS[command]()) as JobSpec;
}
