// SPDX-License-Identifier: MIT
import { basename, posix } from 'node:path';
import { UsageError } from '../../core/model/errors.ts';
import { findJob } from '../../jobs/table/index.ts';
import type { BatchJob } from './batch-job.ts';
import { isRemote } from './remote-files.ts';

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

/** Throws if an output leads out of the output folder, or if two jobs write the same file. */
export function checkPlaces(jobs: readonly BatchJob[]): void {
  const seen = new Map<string, BatchJob>();
  for (const job of jobs) {
    if (job.output === undefined || isRemote(job.output)) continue;
    const path = posix.normalize(job.output.replaceAll('\\', '/'));
    if (path.startsWith('../') || path === '..' || path.startsWith('/') || /^[a-z]:/i.test(path))
      throw new UsageError('--out', `the output "${job.output}" leads out of the output folder; give a relative path`);
    const key = path.toLowerCase();
    const other = seen.get(key);
    if (other)
      throw new UsageError(
        '--out',
        `"${other.inputs[0]}" and "${job.inputs[0]}" would both be written to "${job.output}"; give outputs in a job list`,
      );
    seen.set(key, job);
  }
}
