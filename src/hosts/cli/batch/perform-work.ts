// SPDX-License-Identifier: MIT

import { InputError } from '../../../core/model/errors.ts';
import { JobPool } from '../../batch/index.ts';
import { describeQueueAddress, openQueue, type QueuePlace, QueueWorker, type WorkerEvent } from '../../queue/index.ts';
import { serveMetrics, WorkerMetrics } from '../../serve/index.ts';
import { EXIT_DONE } from '../terminal/exit-status.ts';
import { chooseLimits } from './choose-limits.ts';
import type { WorkerContext } from './worker.ts';

/** Runs `ossify worker`. Returns the exit status. */
export async function performWork(context: WorkerContext, place: QueuePlace): Promise<number> {
  const { options, io, print } = context;
  const { pause, resume, clear } = options;
  if (pause || resume || clear) return controlQueue(context, place);
  const pool = new JobPool({ ...chooseLimits(options), timeLimit: options.timeLimit });
  const metrics = new WorkerMetrics();
  const isLined = print.json === true || !io.stdout.isTerminal;
  const stop = new AbortController();
  const worker = await QueueWorker.start(place, {
    ...{ pool, stalledAfter: options.stalledAfter },
    onEvent(event) {
      metrics.update(event);
      if (print.quiet) return;
      if (isLined) io.stdout.write(`${JSON.stringify(describeEvent(event))}\n`);
      else if (event.kind !== 'start') io.stdout.write(`${formatEvent(event)}\n`);
    },
  });
  let served: { close(): void } | undefined;
  // the second signal returns jobs at once
  const heed = () => (stop.signal.aborted ? worker.abort() : stop.abort());
  process.on('SIGTERM', heed);
  io.signal.addEventListener('abort', heed, { once: true });
  try {
    if (options.metrics) served = await listen(options.metrics, async () => metrics.format(await worker.counts()));
    if (!isLined)
      context.say(
        `working for ${describeQueueAddress(place.address)}, ${place.name}, with ${pool.size} processes (Ctrl-C ends it)`,
      );
    if (options.drain) await worker.waitUntilEmpty(stop.signal);
    else if (!stop.signal.aborted) await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
    await worker.close(options.grace);
  } finally {
    served?.close();
    pool.close();
    process.off('SIGTERM', heed);
  }
  return EXIT_DONE;
}

async function controlQueue({ options, say }: WorkerContext, place: QueuePlace): Promise<number> {
  const queue = await openQueue(place);
  try {
    if (options.pause) await queue.pause();
    else if (options.resume) await queue.resume();
    else await queue.drain(true);
    say(`${place.name}: ${options.pause ? 'paused' : options.resume ? 'resumed' : 'waiting jobs removed'}`);
  } finally {
    await queue.close();
  }
  return EXIT_DONE;
}

async function listen(...[place, format]: Parameters<typeof serveMetrics>): ReturnType<typeof serveMetrics> {
  try {
    return await serveMetrics(place, format);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InputError('--metrics', `port ${place.port} cannot be used (${code})`, { cause: error });
  }
}

function describeEvent(event: WorkerEvent): Record<string, unknown> {
  const { id, job } = event.task;
  const { command, inputs, output } = job;
  const more = 'record' in event ? { seconds: event.record.seconds } : 'error' in event ? { error: event.error } : {};
  return { status: event.kind, id, command, inputs, output, ...more };
}

function formatEvent(event: WorkerEvent): string {
  const { output, inputs, command } = event.task.job;
  const name = `${command} ${output ?? inputs.join(' ')}`;
  if ('record' in event) return `${name}: ${event.kind}, ${event.record.seconds.toFixed(2)} s`;
  return 'error' in event ? `${name}: ${event.kind}: ${event.error}` : name;
}
