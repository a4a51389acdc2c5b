// SPDX-License-Identifier: MIT
// The table of all commands. A command line that runs one command loads the description of that command with the solvers it needs, and starts in half the time.
import { UsageError } from '../../core/model/errors.ts';
import type { JobSpec } from '../engine/index.ts';
import { acceptTargets } from '../shared/index.ts';

/** How the description of each command is loaded, in the order of the help. A new command needs one line here and one in jobs.ts, which does not compile without it. */
const LOADERS = {
  info: async () => (await import('../view/info-job.ts')).infoJob,
  check: async () => (await import('../check/check-job.ts')).checkJob,
  decompose: async () => (await import('../decompose/decompose-job.ts')).decomposeJob,
  skeleton: async () => (await import('../skeleton/skeleton-job.ts')).skeletonJob,
  track: async () => (await import('../track/track-job.ts')).trackJob,
  reduce: async () => (await import('../reduce/reduce-job.ts')).reduceJob,
  mush: async () => (await import('../mush/mush-job.ts')).mushJob,
  compress: async () => (await import('../compress/compress-job.ts')).compressJob,
  convert: async () => (await import('../convert/convert-job.ts')).convertJob,
  lod: async () => (await import('../lod/lod-job.ts')).lodJob,
  edit: async () => (await import('../bake/edit-job.ts')).editJob,
  retarget: async () => (await import('../retarget/retarget-job.ts')).retargetJob,
  light: async () => (await import('../light/light-job.ts')).lightJob,
  compare: async () => (await import('../view/compare-job.ts')).compareJob,
  draw: async () => (await import('../view/draw-job.ts')).drawJob,
  bake: async () => (await import('../bake/bake-job.ts')).bakeJob,
  sample: async () => (await import('../sample/sample-job.ts')).sampleJob,
  demo: async () => (await import('../sample/demo-job.ts')).demoJob,
};

/** The name of a command. */
export type JobName = keyof typeof LOADERS;

/** The descriptions of all commands by name. */
export type JobTable = { readonly [Name in JobName]: Awaited<ReturnType<(typeof LOADERS)[Name]>> };

/** The names of all commands, in the order of the help. */
export const JOB_NAMES = Object.keys(LOADERS) as readonly JobName[];

/** Whether there is a command of this name. */
export function isJobName(name: string): name is JobName {
  return Object.hasOwn(LOADERS, name);
}

/** Throws a UsageError if there is no command of this name. */
export function checkJobName(name: string): asserts name is JobName {
  if (!isJobName(name)) throw new UsageError('job', `there is no command "${name}"; there are ${JOB_NAMES.join(', ')}`);
}

/** Loads the description of a command. Throws a UsageError if there is none. */
export async function loadJob(command: string): Promise<JobSpec> {
  checkJobName(command);
  return acceptTargets(await LOADERS[command]());
}
