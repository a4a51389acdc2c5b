// SPDX-License-Identifier: MIT
import { resolve } from 'node:path';
import { formatCount, jsonLine } from '../../../jobs/engine/index.ts';
import { formatTable } from '../../../jobs/report/index.ts';
import {
  BATCH_COLUMNS,
  type BatchCounts,
  type BatchJob,
  type BatchRow,
  badnessOf,
  countRows,
  isRemote,
  JobPool,
  makeBatchPage,
  makeBatchReport,
  resolveJob,
  runBatch,
  summarizeRow,
  writePage,
} from '../../batch/index.ts';
import { buildId } from '../../disk/index.ts';
import { connectS3, describeQueueAddress, QueueRunner } from '../../queue/index.ts';
import { EXIT_DONE, EXIT_FAILED, EXIT_GATE, EXIT_INTERRUPTED } from '../terminal/exit-status.ts';
import type { BatchContext } from './batch.ts';
import { BatchProgress } from './batch-progress.ts';
import { chooseLimits } from './choose-limits.ts';
import { findQueuePlace } from './queue-place.ts';

/** Jobs that are in the queue at once. */
const QUEUED_AT_ONCE = 5000;

/** Rows of the printed table; the page and the report have all. */
const MAX_PRINTED = 20;

/** Runs the jobs of `ossify batch`, follows them, and writes page and report. Returns the exit status. */
export async function performBatch(context: BatchContext, jobs: readonly BatchJob[], out: string): Promise<number> {
  const { options, io, print } = context;
  const { signal } = io;
  await context.checkOutputs(options.page === undefined ? [] : [options.page], []);
  const limits = chooseLimits(options);
  const start = performance.now();
  const isLined = (print.json === true || !io.stdout.isTerminal) && print.quiet !== true;
  const progress = new BatchProgress(context, jobs.length);
  const place = await findQueuePlace(options, io);
  const pool = new JobPool({ ...limits, timeLimit: options.timeLimit });
  const queue = place && (await QueueRunner.connect(place, options.attempts));
  const needsRemote = isRemote(out) || jobs.some(({ inputs }) => inputs.some(isRemote));
  if (queue && (await queue.countWorkers()) === 0)
    context.note(`no worker of ossify ${buildId()} is connected; the jobs wait in the queue for one`);
  try {
    const rows = await runBatch(queue ? jobs.map(resolveJob) : jobs, {
      ...{ out: queue && !isRemote(out) ? resolve(out) : out, signal, force: options.force },
      // workers try again by themselves
      ...(queue ? { runner: queue, attempts: 1 } : { runner: pool, attempts: options.attempts }),
      // the inputs of the next jobs are hashed while all processes work
      lanes: queue ? QUEUED_AT_ONCE : 2 * pool.size,
      remote: needsRemote ? await connectS3() : undefined,
      writer: options.part ? `part-${options.part.n}-of-${options.part.of}` : '',
      onWait: (holder) =>
        context.note(`${out}: ${holder} runs a batch in this folder; waiting until it ends (Ctrl-C ends the wait)`),
      onEvent(event) {
        progress.update(event);
        if (event.kind === 'end' && isLined) io.stdout.write(jsonLine(summarizeRow(event.row)));
      },
    });
    const seconds = (performance.now() - start) / 1000;
    const counts = countRows(rows);
    if (options.page !== undefined && !signal.aborted)
      await writePage(options.page, makeBatchPage(rows, drawer(pool, out), pool.size));
    const given = { ...context.given, ...(place ? { queue: describeQueueAddress(place.address) } : {}) };
    const facts = { options: given, seconds, processes: pool.size, threads: limits.threads, seed: options.seed };
    await context.save([], [], print.report === undefined ? {} : makeBatchReport(rows, facts));
    context.progress.clear();
    if (isLined) io.stdout.write(jsonLine({ ...counts, seconds }));
    else context.say(formatResult(rows, counts, seconds));
    if (signal.aborted && queue) context.note('the jobs stay in the queue; ossify worker --clear removes them');
    if (signal.aborted) return EXIT_INTERRUPTED;
    return counts.failed > 0 ? EXIT_FAILED : counts.gatesMissed > 0 ? EXIT_GATE : EXIT_DONE;
  } finally {
    pool.close();
    await queue?.close();
  }
}

/** Draws the first file of a job that is a model. A file that cannot be drawn has no picture. */
function drawer(pool: JobPool, out: string): (row: BatchRow) => Promise<string | undefined> {
  return async ({ files, status }) => {
    const model = files.find(({ path }) => !/\.(json|html|png|py|bvh|bin)$/i.test(path));
    if (!model || (status !== 'done' && status !== 'kept')) return undefined;
    return pool.draw(resolve(out, model.path)).catch(() => undefined);
  };
}

function formatResult(rows: readonly BatchRow[], counts: BatchCounts, seconds: number): string {
  const worst = [...rows].sort((a, b) => badnessOf(b) - badnessOf(a)).slice(0, MAX_PRINTED);
  const table = formatTable(
    [BATCH_COLUMNS.map(({ title }) => title), ...worst.map((row) => BATCH_COLUMNS.map(({ text }) => text(row)))],
    { align: BATCH_COLUMNS.map(({ isNumber }) => (isNumber ? 'r' : 'l')).join(''), heading: (text) => text },
  );
  const hidden = rows.length - worst.length;
  const more = hidden > 0 ? `and ${formatCount(hidden, 'better job')}; --page and --report show all\n` : '';
  const { done, kept, failed, gatesMissed, stopped } = counts;
  const parts = [`${done} done`, `${kept} done before`, `${failed} failed`];
  if (gatesMissed > 0) parts.push(`${formatCount(gatesMissed, 'error limit')} not met`);
  if (stopped > 0) parts.push(`${stopped} not done`);
  return `${table}${more}\n${formatCount(counts.jobs, 'job')}: ${parts.join(', ')}, in ${seconds.toFixed(1)} s\n`;
}
