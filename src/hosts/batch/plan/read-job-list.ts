// SPDX-License-Identifier: MIT

import { faultOf, InputError, SubjectError } from '../../../core/model/errors.ts';
import { checkJob, findJob } from '../../../jobs/table/index.ts';
import { readBytes } from '../../disk/index.ts';
import type { BatchJob } from '../batch-job.ts';
import { placeOutput } from './place-output.ts';

const FIELDS = ['command', 'inputs', 'output', 'options', 'priority'];

/** Reads a list of jobs: JSON, one job per line. Empty lines are ignored. Throws an InputError that names the line. */
export async function readJobList(path: string, defaults: { extension?: string } = {}): Promise<BatchJob[]> {
  const lines = new TextDecoder().decode(await readBytes(path)).split('\n');
  const jobs: BatchJob[] = [];
  for (const [n, line] of lines.entries()) {
    if (line.trim() === '') continue;
    try {
      const job = parseJobLine(line);
      const settled = job.output === undefined ? placeOutput(job, undefined, defaults.extension) : job;
      checkJob(findJob(settled.command), settled);
      jobs.push(settled);
    } catch (error) {
      if (!(error instanceof SubjectError)) throw error;
      const fault = error instanceof InputError ? faultOf(error) : error.message;
      throw new InputError(`${path}, line ${n + 1}`, fault, { cause: error });
    }
  }
  if (jobs.length === 0) throw new InputError(path, 'contains no jobs');
  return jobs;
}

/** Checks the types of a job from outside. */
export function parseJobLine(line: string): BatchJob {
  const fail = (fault: string): never => {
    throw new InputError('', fault);
  };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return fail(`is not JSON (${(error as Error).message})`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail('is not a job object');
  const job = value as Record<string, unknown>;
  const unknown = Object.keys(job).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) fail(`has the unknown field "${unknown}"; the fields are ${FIELDS.join(', ')}`);
  const { command, inputs, output, options = {}, priority = 0 } = job;
  if (typeof command !== 'string') fail('needs a command, such as "decompose"');
  if (!Array.isArray(inputs) || !inputs.every((one) => typeof one === 'string'))
    fail('needs inputs, a list of file names');
  if (output !== undefined && typeof output !== 'string') fail('has an output that is not a file name');
  if (typeof options !== 'object' || options === null || Array.isArray(options)) fail('has options that are no object');
  if (!Number.isInteger(priority) || Number(priority) < 0 || Number(priority) > MAX_PRIORITY)
    fail(`has a priority that is not a whole number from 0 to ${MAX_PRIORITY}`);
  return { command, inputs, output, options, priority } as BatchJob;
}

/** The largest number that BullMQ accepts. */
export const MAX_PRIORITY = 2 ** 21;
