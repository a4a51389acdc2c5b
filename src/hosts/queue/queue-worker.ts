// SPDX-License-Identifier: MIT
import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import type { Job, Worker } from 'bullmq';
import {
  type BatchTask,
  isRemote,
  type JobPool,
  type JobRecord,
  type Ledger,
  LedgerReader,
  openLedger,
  TaskError,
} from '../batch/index.ts';
import { buildId, makeFolder } from '../disk/index.ts';
import {
  type BullMq,
  connectionOf,
  loadBullMq,
  openQueue,
  type QueuedTask,
  type QueuePlace,
  type QueueWait,
  queueNameOf,
  type TaskQueue,
} from './open-queue.ts';
import { listOtherJobs, type OtherJobs } from './queue-builds.ts';

/** Returns of a job to the queue after a worker died, before it is set aside: it may be the job that ends workers. */
const MAX_STALLED = 10;

/** Milliseconds between two updates of a job's progress. */
const PROGRESS_INTERVAL = 1000;

/** Milliseconds between looks at an empty queue. */
const DRAIN_INTERVAL = 500;

/** Milliseconds between looks at jobs of other versions. */
const OTHERS_INTERVAL = 30_000;

const LOST = 'another worker has taken the job, because this one showed no sign of life';

/** What became of a task on this worker. */
export type WorkerEvent =
  | { kind: 'start'; task: BatchTask }
  | { kind: 'done' | 'kept'; task: BatchTask; record: JobRecord }
  | { kind: 'failed' | 'retried' | 'returned'; task: BatchTask; error: string };

export interface QueueWorkerOptions {
  pool: JobPool;
  /** Seconds after which the jobs of a worker that died return to the queue. */
  stalledAfter: number;
  onEvent(event: WorkerEvent): void;
  /** Called when jobs of another version wait, which this worker leaves in the queue. */
  onOthers?(others: readonly OtherJobs[]): void;
  /** Waits for a queue that cannot be reached yet. */
  wait?: QueueWait;
}

/** Runs jobs of a queue in the processes of a pool. This process only waits for them, so that it renews the locks of its jobs in time. */
export class QueueWorker {
  readonly #bullMq: BullMq;
  readonly #worker: Worker<QueuedTask, JobRecord>;
  readonly #queue: TaskQueue;
  readonly #options: QueueWorkerOptions;
  readonly #ledgers = new Map<string, Promise<Ledger>>();
  readonly #readers = new Map<string, LedgerReader>();
  readonly #timer: NodeJS.Timeout;
  readonly #stop = new AbortController();

  private constructor(bullMq: BullMq, queue: TaskQueue, place: QueuePlace, options: QueueWorkerOptions) {
    this.#bullMq = bullMq;
    this.#queue = queue;
    this.#options = options;
    setMaxListeners(0, this.#stop.signal);
    this.#worker = new bullMq.Worker<QueuedTask, JobRecord>(
      queueNameOf(place),
      (job, token) => this.#process(job, token),
      {
        connection: connectionOf(place),
        concurrency: options.pool.size,
        lockDuration: options.stalledAfter * 1000,
        stalledInterval: options.stalledAfter * 500,
        maxStalledCount: MAX_STALLED,
        name: `${hostname()}-${process.pid}`,
      },
    );
    // connections are made again by themselves
    this.#worker.on('error', () => undefined);
    this.#timer = setInterval(() => {
      this.#findOthers(place).catch(() => undefined);
    }, OTHERS_INTERVAL);
    this.#timer.unref();
  }

  static async start(place: QueuePlace, options: QueueWorkerOptions): Promise<QueueWorker> {
    const queue = await openQueue(place, options.wait);
    const worker = new QueueWorker(await loadBullMq(), queue, place, options);
    await worker.#worker.waitUntilReady();
    await worker.#findOthers(place);
    return worker;
  }

  /** Numbers of jobs in the queue by their state. */
  async counts(): Promise<Record<string, number>> {
    return this.#queue.getJobCounts();
  }

  /** Resolves when no job waits, runs or will be tried again; also when the signal is aborted. */
  async waitUntilEmpty(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const counts = await this.#queue.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
      if (Object.values(counts).every((count) => count === 0)) return;
      await new Promise((resolve) => setTimeout(resolve, DRAIN_INTERVAL));
    }
  }

  /** Takes no further jobs, and finishes those that run. Those that need more than the grace period return to the queue at once. */
  async close(graceSeconds: number): Promise<void> {
    clearInterval(this.#timer);
    const timer = setTimeout(() => this.#stop.abort(), graceSeconds * 1000);
    await this.#worker.close();
    clearTimeout(timer);
    for (const ledger of this.#ledgers.values()) await (await ledger).close();
    await this.#queue.close().catch(() => undefined);
  }

  /** Returns running jobs to the queue at once. */
  abort(): void {
    this.#stop.abort();
  }

  async #findOthers(place: QueuePlace): Promise<void> {
    const others = await listOtherJobs(place);
    if (others.length > 0) this.#options.onOthers?.(others);
  }

  async #process(job: Job<QueuedTask, JobRecord>, token: string | undefined): Promise<JobRecord> {
    const { pool, onEvent } = this.#options;
    const task = job.data;
    onEvent({ kind: 'start', task });
    const kept = await this.#findFinished(job).catch((error: Error) => {
      onEvent({ kind: 'failed', task, error: error.message });
      throw error;
    });
    if (kept) {
      onEvent({ kind: 'kept', task, record: kept });
      return kept;
    }
    let last = 0;
    let recorded: JobRecord | undefined;
    try {
      const record = await pool.run(task, {
        claim: async () => {
          recorded = await this.#claim(job, token);
          if (recorded) throw new Error('another worker has finished the job');
        },
        commit: (one) => this.#commit(task, one),
        signal: this.#stop.signal,
        onProgress: (progress) => {
          if (performance.now() - last < PROGRESS_INTERVAL) return;
          last = performance.now();
          job.updateProgress({ ...progress }).catch(() => undefined);
        },
      });
      onEvent({ kind: 'done', task, record });
      return record;
    } catch (error) {
      const { message } = error as Error;
      if (recorded) {
        onEvent({ kind: 'kept', task, record: recorded });
        return recorded;
      }
      if (message === LOST) {
        onEvent({ kind: 'returned', task, error: message });
        throw error;
      }
      if (error instanceof TaskError && error.fault === 'stopped') {
        onEvent({ kind: 'returned', task, error: message });
        await job.moveToWait(token);
        throw new this.#bullMq.WaitingError();
      }
      const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
      const isRetried = error instanceof TaskError && error.isRetried && !isLast;
      onEvent({ kind: isRetried ? 'retried' : 'failed', task, error: message });
      if (error instanceof TaskError && !error.isRetried) throw new this.#bullMq.UnrecoverableError(message);
      throw error;
    }
  }

  /**
   * The record of a job that is finished already: its worker ended before Redis learned of it, Redis lost the job and a batch added it again, or another batch ran it. The
   * first attempt on a job that is forced runs anyway.
   */
  async #findFinished(job: Job<QueuedTask, JobRecord>): Promise<JobRecord | undefined> {
    const { id, out, build, isForced = false } = job.data;
    if (build !== buildId())
      throw new this.#bullMq.UnrecoverableError(
        `the job is for ossify ${build}, and this worker is ${buildId()}; use one version`,
      );
    const isFirst = job.attemptsStarted <= 1 && job.stalledCounter === 0;
    return isForced && isFirst ? undefined : this.#readRecord(id, out);
  }

  /** A worker that was suspended may have lost its job to another one, which makes the same files. Returns the record if that one has finished. */
  async #claim(job: Job<QueuedTask, JobRecord>, token = ''): Promise<JobRecord | undefined> {
    const isHeld = await job.extendLock(token, this.#options.stalledAfter * 1000).then(
      (count) => count > 0,
      () => false,
    );
    if (!isHeld) throw new Error(LOST);
    const { id, out, isForced } = job.data;
    return isForced ? undefined : this.#readRecord(id, out);
  }

  async #readRecord(id: string, out: string): Promise<JobRecord | undefined> {
    if (isRemote(out)) return undefined;
    const reader = this.#readers.get(out) ?? new LedgerReader(out);
    this.#readers.set(out, reader);
    await reader.read();
    return reader.findFinished(id);
  }

  async #commit({ out }: BatchTask, record: JobRecord): Promise<void> {
    // the id of the job is stored with each remote file
    if (isRemote(out)) return;
    let ledger = this.#ledgers.get(out);
    if (!ledger) {
      ledger = makeFolder(out).then(() => openLedger(out, `${hostname()}-${process.pid}`));
      this.#ledgers.set(out, ledger);
    }
    await (await ledger).append(record);
  }
}
