// SPDX-License-Identifier: MIT
import { UsageError } from '../../../core/model/errors.ts';
import { memorySize } from '../../../core/options/memory-size.ts';
import {
  choice,
  count,
  flag,
  group,
  type OptionType,
  option,
  outputFile,
  positive,
  text,
} from '../../../core/options/option.ts';
import { COMMON_OPTIONS } from '../../../jobs/engine/index.ts';
import { JOBS } from '../../../jobs/table/index.ts';

/** Part n of m, from 1: 3/100. */
const part: OptionType<{ n: number; of: number }> = {
  placeholder: '<n/m>',
  isText: true,
  parse(value) {
    const match = /^(\d{1,7})\/(\d{1,7})$/.exec(value.trim());
    const [n, of] = match ? [Number(match[1]), Number(match[2])] : [0, 0];
    if (n >= 1 && n <= of) return { n, of };
    throw new UsageError('', 'Give a part from 1 and the number of parts, such as 3/100.');
  },
};

/** Jobs that a batch can run on files. */
const NAMES = JOBS.filter(({ output }) => !output?.isFolder).map(({ name }) => name);

/** Processes and their limits. */
export const POOL_OPTIONS = group('Process options:', {
  jobs: option(count(1, 1024), 'number of processes (default: one per core, fewer if memory is short)'),
  timeLimit: option(positive('<seconds>'), 'time limit of a job in seconds', { default: 3600 }),
  attempts: option(count(1, 100), 'attempts on a job whose process crashes', { default: 3 }),
  maxMemory: option(
    memorySize,
    'maximum memory of all jobs together, and of each process, such as 8GB (default: half of the memory of this machine)',
  ),
});

const THREADS = option(count(1, 256), 'threads of each job (default: cores divided by processes)');

/** For commands that run jobs of others. Every command has --seed. */
export const HOST_OPTIONS = group('Common options:', {
  threads: THREADS,
  seed: option(count(0, 2 ** 32 - 1), 'no effect; each job has its own seed'),
});

/** A queue on Redis. */
export const QUEUE_OPTIONS = group('Queue options:', {
  queue: option(
    text('<url>'),
    'queue on Redis or Valkey: redis://host:6379, or rediss:// for TLS (default: the variable OSSIFY_QUEUE, which also keeps passwords off the command line)',
  ),
  queueName: option(text('<name>'), 'name of the queue', { default: 'ossify' }),
});

export const BATCH_OPTIONS = {
  ...group('Batch options:', {
    job: option(choice(NAMES), 'command to run on each file; its options follow, such as --bones 20'),
    out: option(text('<folder>'), 'output folder; outputs keep the folders below the pattern'),
    extension: option(text('<ext>'), 'format of the outputs, such as fbx (default: the first that the command writes)'),
    force: option(flag, 'also run jobs that are finished'),
    page: option(outputFile, 'write a page with a row and a picture per job'),
    part: option(part, 'run a part of the jobs, such as 3/100: every hundredth job from the third'),
    priority: option(count(0, 2 ** 21), 'priority of jobs that have none; smaller numbers start first', { default: 0 }),
    emit: option(
      choice(['openjd', 'slurm', 'make']),
      'print a script for a farm or for make instead of running the jobs',
    ),
  }),
  ...POOL_OPTIONS,
  ...QUEUE_OPTIONS,
  ...group('Common options:', { threads: THREADS, seed: COMMON_OPTIONS.seed }),
};
