// SPDX-License-Identifier: MIT
import { createHash } from 'node:crypto';
import type { QueueEvents } from 'bullmq';
import { type BatchTask, type JobRecord, TaskError, type TaskProgress, type TaskRunner } from '../batch/index.ts';
import { buildId } from '../disk/index.ts';
import { connectionOf, loadBullMq, openQueue, type QueuePlace, queueNameOf, type TaskQueue } from './open-queue.ts';

/** Milliseconds between looks at jobs whose events may be lost, and jobs per look. */
const SWEEP_INTERVAL = 3000;
const SWEEP_SIZE = 200;

/** Finished jobs stay in Redis for a day, so that a batch that was not connected finds them. */
const KEEP = { age: 24 * 3600, count: 100_000 };

/** Milliseconds before the second attempt; BullMQ doubles it for each further one. */
const BACKOFF = 1000;

const PLACE_DIGITS = 16;

/** A task of this runner, and everyone who waits for it: two jobs without outputs may be the same. */
interface Pending {
  task: BatchTask;
  priority: number;
  waiting: Set<Waiting>;
}

interface Waiting {
  resolve(record: JobRecord): void;
  reject(error: Error): void;
  onStart?(): void;
  onProgress?(progress: TaskProgress): void;
}

/** Hands tasks to a queue and waits for workers to run them. A task that is in the queue already is followed, not added again. */
export class QueueRunner implements TaskRunner {
  readonly #queue: TaskQueue;
  readonly #events: QueueEvents;
  readonly #attempts: number;
  readonly #pending = new Map<string, Pending>();
  readonly #timer: NodeJS.Timeout;
  #isSweeping = false;
  #next = 0;

  private constructor(queue: TaskQueue, events: QueueEvents, attempts: number) {
    this.#queue = queue;
    this.#events = events;
    this.#attempts = attempts;
    // connections are made again by themselves; until then the sweep fails too
    events.on('error', () => undefined);
    events.on('active', ({ jobId }) => this.#each(jobId, (one) => one.onStart?.()));
    events.on('progress', ({ jobId, data }) =>
      this.#each(jobId, (one) => one.onProgress?.(data as object as TaskProgress)),
    );
    events.on('completed', ({ jobId, returnvalue }) => this.#complete(jobId, returnvalue as unknown));
    events.on('failed', ({ jobId, failedReason }) => this.#fail(jobId, failedReason));
    this.#timer = setInterval(() => {
      this.#sweep().catch(() => undefined);
    }, SWEEP_INTERVAL);
  }

  /** @param attempts attempts on a job that crashes, before it is set aside */
  static async connect(place: QueuePlace, attempts: number): Promise<QueueRunner> {
    const queue = await openQueue(place);
    const { QueueEvents: EventsClass } = await loadBullMq();
    const events = new EventsClass(queueNameOf(place), { connection: connectionOf(place) });
    await events.waitUntilReady();
    return new QueueRunner(queue, events, attempts);
  }

  run(task: BatchTask, hooks: Parameters<TaskRunner['run']>[1]): Promise<JobRecord> {
    return new Promise((resolve, reject) => {
      const { priority = 0, signal, onStart, onProgress } = hooks;
      const id = queuedIdOf(task);
      const settle = () => {
        const pending = this.#pending.get(id);
        pending?.waiting.delete(waiting);
        if (pending?.waiting.size === 0) this.#pending.delete(id);
        signal?.removeEventListener('abort', stop);
      };
      const waiting: Waiting = {
        ...{ onStart, onProgress },
        resolve: (record) => {
          settle();
          resolve(record);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      // the job stays in the queue: other machines go on with it
      const stop = () => waiting.reject(new TaskError('stopped', 'stopped'));
      signal?.addEventListener('abort', stop, { once: true });
      const same = this.#pending.get(id);
      if (same) {
        same.waiting.add(waiting);
        return;
      }
      this.#pending.set(id, { task, priority, waiting: new Set([waiting]) });
      // what an earlier batch left in Redis; a job that is running cannot be removed and is followed
      this.#queue
        .remove(id)
        .then(() => this.#add(id))
        .catch((error: Error) => this.#each(id, (one) => one.reject(new TaskError(error.message, 'other'))));
    });
  }

  /** Number of connected workers of this version; undefined if the server does not tell. */
  async countWorkers(): Promise<number | undefined> {
    return this.#queue.getWorkersCount().catch(() => undefined);
  }

  /** Numbers of jobs in the queue by their state. */
  async counts(): Promise<Record<string, number>> {
    return this.#queue.getJobCounts();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#events.close(), this.#queue.close()].map((one) => one.catch(() => undefined)));
  }

  async #add(id: string): Promise<void> {
    const pending = this.#pending.get(id);
    if (!pending) return;
    const data = { ...pending.task, build: buildId() };
    await this.#queue.add(pending.task.job.command, data, {
      jobId: id,
      attempts: this.#attempts,
      backoff: { type: 'exponential', delay: BACKOFF },
      priority: pending.priority,
      removeOnComplete: KEEP,
      removeOnFail: KEEP,
    });
  }

  #complete(id: string, value: unknown): void {
    const record = (typeof value === 'string' ? JSON.parse(value) : value) as JobRecord;
    this.#each(id, (one) => one.resolve(record));
  }

  #fail(id: string, reason: string): void {
    // workers tried as often as is allowed
    this.#each(id, (one) => one.reject(new TaskError(reason, 'input')));
  }

  #each(id: string, act: (waiting: Waiting) => void): void {
    for (const one of [...(this.#pending.get(id)?.waiting ?? [])]) act(one);
  }

  /** Events are lost while Redis restarts, and from streams that are too long: looks at a few jobs in turn. */
  async #sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    try {
      const ids = [...this.#pending.keys()];
      const start = ids.length === 0 ? 0 : this.#next % ids.length;
      this.#next = start + SWEEP_SIZE;
      for (const id of [...ids.slice(start), ...ids.slice(0, start)].slice(0, SWEEP_SIZE)) {
        // the state is read first: a job that is finished then has its result
        const state = await this.#queue.getJobState(id);
        if (state === 'unknown') await this.#add(id);
        if (state !== 'completed' && state !== 'failed') continue;
        const job = await this.#queue.getJob(id);
        if (job && state === 'completed') this.#complete(id, job.returnvalue);
        else if (job) this.#fail(id, job.failedReason);
      }
    } finally {
      this.#isSweeping = false;
    }
  }
}

/**
 * The name of a task in the queue: the identity of its job, and where its outputs go. Two batches with the same jobs and other output folders have other tasks, and a task
 * replaces the one of an earlier batch only in its own folder.
 */
export function queuedIdOf({ id, out }: Pick<BatchTask, 'id' | 'out'>): string {
  const place = createHash('sha256').update(out.replace(/\/+$/, '')).digest('hex').slice(0, PLACE_DIGITS);
  // BullMQ reserves ids that are numbers
  return `ossify-${id}-${place}`;
}
