// SPDX-License-Identifier: MIT
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { mapFiles } from '../../core/options/list-files.ts';
import { findJob } from '../../jobs/table/index.ts';
import type { BatchJob } from './batch-job.ts';
import { isRemote } from './remote-files.ts';

/** The job with absolute names of the files that it reads, for processes in other folders and on other machines. */
export function resolveJob(job: BatchJob): BatchJob {
  const spec = findJob(job.command);
  const isWord = spec.inputs.some(({ choices }) => choices);
  return {
    ...job,
    inputs: isWord ? job.inputs : job.inputs.map(resolveInput),
    ...(job.options
      ? {
          options: mapFiles(spec.options, job.options, ({ path, use }) =>
            use === 'input' ? resolveInput(path) : use === 'folder' ? resolve(path) : path,
          ),
        }
      : {}),
  };
}

/** Absolute names in an input: those of rest.obj+a.pc2,b.pc2 are resolved one by one. */
export function resolveInput(input: string): string {
  if (isRemote(input)) return input;
  if (existsSync(input)) return resolve(input);
  return input
    .split('+')
    .map((part) => (existsSync(part) ? [part] : part.split(',')).map((name) => resolve(name)).join(','))
    .join('+');
}
