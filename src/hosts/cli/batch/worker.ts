// SPDX-License-Identifier: MIT
import { UsageError } from '../../../core/model/errors.ts';
import {
  flag,
  group,
  notNegative,
  type OptionsOf,
  type OptionType,
  option,
  positive,
} from '../../../core/options/option.ts';
import { type CliContext, defineCommand } from '../command.ts';
import { HOST_OPTIONS, POOL_OPTIONS, QUEUE_OPTIONS } from './batch-options.ts';
import { findQueuePlace } from './queue-place.ts';

/** A port, or host:port. */
const place: OptionType<{ host?: string; port: number }> = {
  placeholder: '<port>',
  isText: true,
  parse(value) {
    const match = /^(?:(.+):)?(\d{1,5})$/.exec(value.trim());
    const port = Number(match?.[2] ?? 65_536);
    if (!match || port > 65_535)
      throw new UsageError('', 'Give a port, or an address and a port: 9464, 127.0.0.1:9464.');
    return { ...(match[1] ? { host: match[1].replace(/^\[|\]$/g, '') } : {}), port };
  },
};

const { attempts: _attempts, ...LIMITS } = POOL_OPTIONS;

const OPTIONS = {
  ...QUEUE_OPTIONS,
  ...group('Queue options:', {
    stalledAfter: option(positive('<seconds>'), 'time after which the jobs of a worker that died return to the queue', {
      default: 30,
    }),
    grace: option(
      notNegative('<seconds>'),
      'time to finish running jobs after SIGTERM or Ctrl-C; then they return to the queue',
      { default: 20 },
    ),
    drain: option(flag, 'exit when the queue is empty'),
    pause: option(flag, 'pause the queue for all workers and exit', { conflicts: ['resume', 'clear', 'drain'] }),
    resume: option(flag, 'resume the queue and exit', { conflicts: ['clear', 'drain'] }),
    clear: option(flag, 'remove waiting jobs from the queue and exit', { conflicts: ['drain'] }),
    metrics: option(place, 'serve metrics for Prometheus at this port'),
  }),
  ...LIMITS,
  ...HOST_OPTIONS,
};

export type WorkerContext = CliContext<OptionsOf<typeof OPTIONS>>;

export const workerCommand = defineCommand({
  name: 'worker',
  summary: 'run jobs of a queue on this machine',
  description:
    'Runs jobs that ossify batch --queue adds to a queue on Redis, until it is stopped. Each job runs in a process of its own pool, with the limits of ossify batch. ' +
    'On SIGTERM or Ctrl-C it finishes its jobs, or returns them to the queue.',
  arguments: [],
  examples: [
    { line: 'worker --queue redis://host --jobs 4', does: 'four jobs at once' },
    { line: 'worker --queue redis://host --metrics 9464', does: 'with metrics for Prometheus' },
    { line: 'worker --queue redis://host --drain', does: 'until the queue is empty' },
    { line: 'worker --queue redis://host --pause', does: 'stop all workers after their current jobs' },
  ],
  options: OPTIONS,
  isStoppable: true,
  jsonHelp: 'print one JSON line per job, also on a terminal',
  hasReport: false,
  async run(context) {
    const queue = await findQueuePlace(context.options, context.io);
    if (!queue) throw new UsageError('--queue', 'is needed: give redis://host, or set OSSIFY_QUEUE');
    const { performWork } = await import('./perform-work.ts');
    return performWork(context, queue);
  },
});
