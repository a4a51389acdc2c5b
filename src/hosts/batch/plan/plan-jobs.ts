// SPDX-License-Identifier: MIT

import { UsageError } from '../../../core/model/errors.ts';
import type { Json } from '../../../core/options/option.ts';
import { checkJob, findJob } from '../../../jobs/table/index.ts';
import type { BatchJob } from '../batch-job.ts';
import { globFiles } from './glob-files.ts';
import { checkPlaces, placeOutput } from './place-output.ts';
import { readJobList } from './read-job-list.ts';

/** What to do with the files that patterns match. */
export interface PlanOptions {
  /** The command of a job for each file; not for lists of jobs. */
  command?: string;
  /** Options of that command. */
  options?: Readonly<Record<string, Json>>;
  /** Extension of outputs. Default: the first that the command writes. */
  extension?: string;
  /** Priority of jobs that have none. */
  priority?: number;
  /** Part n of m of the jobs, from 1: every m-th job. */
  part?: { n: number; of: number };
}

/**
 * Makes the jobs of a batch, sorted by priority: one for each file that a pattern matches, and those of lists (`.jsonl`). Outputs keep the folders below the
 * pattern. Throws a UsageError if a job is invalid, or if two jobs have the same output.
 * @example
 * ```ts
 * import { planJobs } from 'ossify/batch';
 *
 * const jobs = await planJobs(['caches/*.abc', 'more.jsonl'], { command: 'decompose', options: { maxError: '2mm', unit: 'cm' } });
 * ```
 */
export async function planJobs(inputs: readonly string[], plan: PlanOptions): Promise<BatchJob[]> {
  const { command, options = {}, extension, priority = 0, part } = plan;
  const jobs: BatchJob[] = [];
  for (const input of inputs) {
    if (/\.jsonl$/i.test(input)) {
      if (command !== undefined) throw new UsageError('--job', `cannot be used with a list of jobs (${input})`);
      // one at a time: a call with 100,000 arguments fails
      for (const job of await readJobList(input, { extension }))
        jobs.push({ ...job, priority: job.priority || priority });
      continue;
    }
    if (command === undefined)
      throw new UsageError(
        '--job',
        'is needed for files: give a command, such as --job decompose, or a list of jobs (.jsonl)',
      );
    const spec = findJob(command);
    for (const { path, below } of await globFiles(input)) {
      const job = placeOutput({ command, inputs: [path], options, priority }, below, extension);
      checkJob(spec, job);
      jobs.push(job);
    }
  }
  checkPlaces(jobs);
  const chosen = part ? jobs.filter((_, n) => n % part.of === part.n - 1) : jobs;
  // sort is stable: equal priorities keep the order of the list
  return chosen.sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
}
