// SPDX-License-Identifier: MIT

import { setMaxListeners } from 'node:events';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SubjectError } from '../../core/model/errors.ts';
import { makeFolder, sweepTemporaries } from '../disk/index.ts';
import type { BatchJob, BatchTask, JobRecord, TaskProgress } from './batch-job.ts';
import { identifyJob } from './identify-job.ts';
import { type Ledger, openLedger } from './ledger/ledger.ts';
import { LedgerReader } from './ledger/ledger-reader.ts';
import { type FolderLock, lockFolder } from './lock/lock-folder.ts';
import { TaskError } from './process/task-error.ts';
import { isRemote, type RemoteFiles } from './remote-files.ts';

/** What runs the tasks of a batch: processes of this machine (JobPool), or a queue (RemoteQueue). */
export interface TaskRunner {
  run(
    task: BatchTask,
    hooks: {
      /** See TaskHost.claim. */
      claim?(): Promise<void>;
      commit(record: JobRecord): Promise<void>;
      onStart?(): void;
      onProgress?(progress: TaskProgress): void;
      signal?: AbortSignal;
      /** Of the job; smaller numbers start first. */
      priority?: number;
    },
  ): Promise<JobRecord>;
}

/** Options of a batch. */
export interface BatchOptions {
  /** The output folder. */
  out: string;
  /** What runs the jobs. */
  runner: TaskRunner;
  /** Tasks that are prepared or run at once. */
  lanes: number;
  /** Part of the names of ledger and lock, for batches that run other jobs in the same folder at the same time. */
  writer?: string;
  /** Run jobs that are finished again. */
  force?: boolean;
  /** Attempts on a job that crashes. Default: 3. */
  attempts?: number;
  /** Storage of s3:// inputs and outputs. */
  remote?: RemoteFiles;
  /** Ends running jobs and starts no others. */
  signal?: AbortSignal;
  /** Called when a job starts and when it ends. */
  onEvent?(event: BatchEvent): void;
  /** Called if another batch works on the output folder; this one starts when that one has ended. */
  onWait?(holder: string): void;
}

/** A job of a batch after its end. */
export interface BatchRow extends Omit<JobRecord, 'status'> {
  /** `kept`: it was finished before. `stopped`: the batch was interrupted. */
  status: 'done' | 'kept' | 'failed' | 'stopped';
  attempts: number;
}

/** The start or the end of a job. */
export type BatchEvent = { kind: 'start'; job: BatchJob } | { kind: 'end'; row: BatchRow };

/** Milliseconds before the second attempt; each further one waits twice as long. */
const BACKOFF = 200;

/** Tasks whose inputs are hashed at once. */
const HASHED_AT_ONCE = 8;

/**
 * Runs jobs and returns a row for each, in the order of the jobs. Finished jobs are kept. A job that fails is reported in its row; the others
 * go on.
 * @example
 * ```ts
 * import { JobPool, planJobs, runBatch } from 'ossify/batch';
 *
 * const jobs = await planJobs(['jobs.jsonl'], {});
 * const pool = new JobPool({ size: 4, maxMemory: 8e9 });
 * const rows = await runBatch(jobs, { out: 'out', runner: pool, lanes: 2 * pool.size });
 * pool.close();
 * ```
 */
export async function runBatch(jobs: readonly BatchJob[], options: BatchOptions): Promise<BatchRow[]> {
  const { out, signal, writer = '', onWait } = options;
  const rows: BatchRow[] = new Array(jobs.length);
  // every running task listens
  if (signal) setMaxListeners(0, signal);
  if (isRemote(out)) await runLanes(jobs, rows, options);
  else {
    await makeFolder(out);
    let lock: FolderLock | undefined;
    try {
      lock = await lockFolder(out, writer, { signal, onWait });
      await runLocked(jobs, rows, { ...options, lock });
    } catch (error) {
      if (!(signal?.aborted && (error as Error).name === 'AbortError')) throw error;
    } finally {
      await lock?.release();
    }
  }
  for (let n = 0; n < jobs.length; n++) rows[n] ??= makeRow('', jobs[n], 'stopped');
  return rows;
}

/** Runs jobs whose outputs no other batch writes. */
async function runLocked(
  jobs: readonly BatchJob[],
  rows: BatchRow[],
  options: BatchOptions & { lock: FolderLock },
): Promise<void> {
  const { out, writer, lock } = options;
  // read after the lock is held: another batch may have run these jobs meanwhile
  const known = new LedgerReader(out);
  await known.read();
  const ledger = await openLedger(out, writer);
  const folders = new Set(jobs.map(({ output = '' }) => dirname(resolve(out, output))));
  for (const folder of folders) await sweepTemporaries(folder);
  const lost = new AbortController();
  lock.onLost = () => lost.abort();
  const signal = options.signal ? AbortSignal.any([options.signal, lost.signal]) : lost.signal;
  setMaxListeners(0, signal);
  try {
    await runLanes(jobs, rows, { ...options, signal, known, ledger, claim: () => lock.check() });
    if (lost.signal.aborted) await lock.check();
  } finally {
    await ledger.close();
    for (const folder of folders) await sweepTemporaries(folder);
  }
}

async function runLanes(
  jobs: readonly BatchJob[],
  rows: BatchRow[],
  options: BatchOptions & Pick<LaneOptions, 'known' | 'ledger' | 'claim'>,
): Promise<void> {
  const hashing = makeLimit(HASHED_AT_ONCE);
  let next = 0;
  const work = async () => {
    while (next < jobs.length && !options.signal?.aborted) {
      const n = next++;
      rows[n] = await runOne(jobs[n], { ...options, hashing });
      options.onEvent?.({ kind: 'end', row: rows[n] });
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.lanes, jobs.length) }, work));
}

interface LaneOptions extends BatchOptions {
  /** Absent for outputs on remote storage. */
  known?: LedgerReader;
  ledger?: Ledger;
  claim?(): Promise<void>;
  hashing: Limit;
}

async function runOne(job: BatchJob, options: LaneOptions): Promise<BatchRow> {
  const { out, ledger, attempts = 3, signal, runner } = options;
  let id = '';
  let recorded: JobRecord | undefined;
  const claim = async () => {
    await options.claim?.();
    if (options.force || !options.known) return;
    // of a batch whose folder this one took over, and which wrote while this one began
    await options.known.read();
    recorded = await options.known.findFinished(id);
    if (recorded) throw new Error('another batch has finished the job');
  };
  for (let attempt = 1; ; attempt++) {
    try {
      if (id === '') {
        id = await options.hashing(() => identifyJob(job, options.remote));
        const kept = await findKept(id, job, options);
        if (kept) return { ...kept, status: 'kept', attempts: 0 };
      }
      const { command, inputs, output, options: own, priority } = job;
      const record = await runner.run(
        { id, out, job: { command, inputs, output, options: own }, ...(options.force ? { isForced: true } : {}) },
        {
          claim,
          commit: async (one) => ledger?.append(one),
          onStart: () => options.onEvent?.({ kind: 'start', job }),
          ...{ signal, priority },
        },
      );
      return { ...record, status: 'done', attempts: attempt };
    } catch (error) {
      if (recorded) return { ...recorded, status: 'kept', attempts: attempt };
      const isStopped = signal?.aborted || (error instanceof TaskError && error.fault === 'stopped');
      if (isStopped) return makeRow(id, job, 'stopped');
      const isRetried = error instanceof TaskError && error.isRetried && attempt < attempts;
      if (isRetried) {
        await sleep(BACKOFF * 2 ** (attempt - 1), undefined, { signal }).catch(() => undefined);
        continue;
      }
      // anything else is a defect of this program, not of a job
      if (!(error instanceof TaskError || error instanceof SubjectError)) throw error;
      const row = makeRow(id, job, 'failed', error.message, attempt);
      const { attempts: _attempts, ...record } = row;
      if (id !== '') await ledger?.append({ ...record, status: 'failed' }).catch(() => undefined);
      return row;
    }
  }
}

async function findKept(id: string, job: BatchJob, options: LaneOptions): Promise<JobRecord | undefined> {
  const { out, force = false, remote } = options;
  if (force) return undefined;
  if (job.output !== undefined && isRemote(out)) {
    const isMade = (await remote?.idOf(`${out.replace(/\/+$/, '')}/${job.output}`)) === id;
    return isMade ? { ...makeRow(id, job, 'done'), status: 'done' } : undefined;
  }
  return options.known?.findFinished(id);
}

function makeRow(id: string, job: BatchJob, status: BatchRow['status'], error?: string, attempts = 0): BatchRow {
  const { command, inputs, output } = job;
  const empty = { files: [], resources: [], result: {}, metrics: {}, seconds: 0 };
  return { id, status, command, inputs, output, ...empty, ...(error === undefined ? {} : { error }), attempts };
}

type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most a number of functions at once. */
function makeLimit(max: number): Limit {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return await work();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}
