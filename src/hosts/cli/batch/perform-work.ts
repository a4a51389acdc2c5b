// SPDX-License-Identifier: MIT

import { InputError } from '../../../core/model/errors.ts';
import { plainText } from '../../../core/model/plain-text.ts';
import { formatCount, jsonLine } from '../../../jobs/engine/index.ts';
import { JobPool } from '../../batch/index.ts';
import { buildId } from '../../disk/index.ts';
import {
  describeQueueAddress,
  forEachBuild,
  type OtherJobs,
  openQueue,
  type QueuePlace,
  QueueWorker,
  queueNameOf,
  type WorkerEvent,
} from '../../queue/index.ts';
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
  // the second signal returns jobs at once
  let worker: QueueWorker | undefined;
  const heed = () => (stop.signal.aborted ? worker?.abort() : stop.abort());
  process.on('SIGTERM', heed);
  io.signal.addEventListener('abort', heed, { once: true });
  let noted = '';
  const start = () =>
    QueueWorker.start(place, {
      ...{ pool, stalledAfter: options.stalledAfter },
      wait: {
        onWait: (fault) => context.note(`${fault}; waiting until it can be (Ctrl-C ends it)`),
        signal: stop.signal,
      },
      onOthers(others) {
        const text = describeOthers(others);
        // once, until something changes
        if (text !== noted) context.note(text);
        noted = text;
      },
      onEvent(event) {
        metrics.update(event);
        if (print.quiet) return;
        if (isLined) io.stdout.write(jsonLine(describeEvent(event)));
        else if (event.kind !== 'start') io.stdout.write(`${plainText(formatEvent(event))}\n`);
      },
    });
  let served: { close(): void } | undefined;
  try {
    const started = await start();
    worker = started;
    if (options.metrics) served = await listen(options.metrics, async () => metrics.format(await started.counts()));
    if (!isLined)
      context.say(
        `working for ${describeQueueAddress(place.address)}, ${queueNameOf(place)}, with ${pool.size} processes (Ctrl-C ends it)`,
      );
    if (options.drain) await started.waitUntilEmpty(stop.signal);
    else if (!stop.signal.aborted) await new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
    await started.close(options.grace);
  } catch (error) {
    // stopped while it waited for the queue
    if (worker || !stop.signal.aborted) throw error;
  } finally {
    served?.close();
    pool.close();
    process.off('SIGTERM', heed);
  }
  return EXIT_DONE;
}

/** Pauses, resumes or empties the queues of all versions. */
async function controlQueue({ options, say }: WorkerContext, place: QueuePlace): Promise<number> {
  const queue = await openQueue(place);
  await queue.close();
  await forEachBuild(place, async (one) => {
    if (options.pause) await one.pause();
    else if (options.resume) await one.resume();
    else await one.drain(true);
  });
  say(`${place.name}: ${options.pause ? 'paused' : options.resume ? 'resumed' : 'waiting jobs removed'}`);
  return EXIT_DONE;
}

/** The sentence about jobs that stay in the queue. */
function describeOthers(others: readonly OtherJobs[]): string {
  const parts = others.map(({ build, jobs }) => `${formatCount(jobs, 'job')} for ossify ${build}`);
  return `the queue also has ${parts.join(', ')}; this worker is ${buildId()} and leaves them. Start a worker of that version, or run those batches again with this one`;
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
