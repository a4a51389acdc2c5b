// SPDX-License-Identifier: MIT
import { basename, posix } from 'node:path';
import { UsageError } from '../../../core/model/errors.ts';
import { listFiles } from '../../../core/options/list-files.ts';
import { flagOf } from '../../../core/options/option.ts';
import type { Job } from '../../../jobs/engine/index.ts';
import { findJob } from '../../../jobs/table/index.ts';
import type { BatchJob } from '../batch-job.ts';
import { isRemote } from '../remote-files.ts';

/**
 * Adds the name of its output to a job that has none: the path of its first input below a pattern, with the extension of the output. A job that makes
 * no file stays without.
 * @param below path of the input below the pattern that found it; default: its name
 */
export function placeOutput(job: BatchJob, below?: string, extension?: string): BatchJob {
  const { output, name } = findJob(job.command);
  if (!output) return job;
  if (output.isFolder) throw new UsageError(name, 'writes a folder, and cannot be used in a batch');
  const suffix = extension === undefined ? output.extensions[0] : `.${extension.replace(/^\./, '')}`;
  // rest.obj+motion.pc2 is named by its motion
  const named = below ?? basename((job.inputs[0] ?? name).replace(/^.*[+,]/, ''));
  const stem = named.replace(/\.[^./]*$/, '').replace(/[*?]/g, '_');
  return { ...job, output: `${stem}${suffix}` };
}

/** Throws if a file that a job writes leads out of the output folder, or if two jobs write the same file. */
export function checkPlaces(jobs: readonly Job[]): void {
  const seen = new Map<string, Job>();
  for (const job of jobs) {
    for (const { flag, path } of listWritten(job)) {
      const place = posix.normalize(path.replaceAll('\\', '/'));
      if (isRemote(path) || /^(\.\.(\/|$)|\/|[a-z]:)/i.test(place))
        throw new UsageError(flag, `the output "${path}" leads out of the output folder; give a relative path`);
      const key = place.toLowerCase();
      const other = seen.get(key);
      if (other)
        throw new UsageError(
          flag,
          `"${other.inputs[0]}" and "${job.inputs[0]}" would both be written to "${path}"; give outputs in a job list`,
        );
      seen.set(key, job);
    }
  }
}

/** The files that a job writes as far as they are known before it runs: its output, and those that options name. */
function listWritten({ command, output, options = {} }: Job): { flag: string; path: string }[] {
  const named = listFiles(findJob(command).options, options).filter(({ use }) => use === 'output');
  return [
    ...(output === undefined ? [] : [{ flag: '--out', path: output }]),
    ...named.map(({ key, path }) => ({ flag: flagOf(key), path })),
  ];
}
