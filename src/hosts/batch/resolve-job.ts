// SPDX-License-Identifier: MIT
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Json } from '../../core/options/option.ts';
import { findJob } from '../../jobs/table/index.ts';
import type { BatchJob } from './batch-job.ts';
import { isRemote } from './remote-files.ts';

/** The job with absolute names of the files that it reads, for processes in other folders and on other machines. */
export function resolveJob(job: BatchJob): BatchJob {
  const spec = findJob(job.command);
  const isWord = spec.inputs.some(({ choices }) => choices);
  const settle = ([key, value]: [string, Json | undefined]): [string, Json | undefined] => {
    const isFile = spec.options[key]?.type.names === 'input' && typeof value === 'string';
    // a word, such as auto, is no file
    return [key, isFile && (existsSync(value) || /[+*?/]/.test(value)) ? resolveInput(value) : value];
  };
  return {
    ...job,
    inputs: isWord ? job.inputs : job.inputs.map(resolveInput),
    ...(job.options ? { options: Object.fromEntries(Object.entries(job.options).map(settle)) } : {}),
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
