// SPDX-License-Identifier: MIT
import type { BatchTask, JobRecord, TaskProgress } from '../batch-job.ts';
import type { ChildMessage } from './child-messages.ts';
import { JobProcess } from './job-process.ts';
import { TaskError } from './task-error.ts';

/** How many processes there are, and their limits. */
export interface PoolOptions {
  /** Number of processes. */
  size: number;
  /** Bytes that all jobs may use together, and the limit of each process. */
  maxMemory: number;
  /** Threads of a job that does not give a number. Default: 1. */
  threads?: number;
  /** Seconds for one job. Default: 3600. */
  timeLimit?: number;
  /** The module of the processes; for tests. */
  module?: URL;
}

/** What a caller of a task receives while it runs. */
export interface TaskHooks {
  /** Whether the task may still write; see TaskHost.claim. */
  claim?(): Promise<void>;
  /** Stores the record; see TaskHost.commit. */
  commit(record: JobRecord): Promise<void>;
  /** Called when a process is free. */
  onStart?(): void;
  /** Called several times a second. */
  onProgress?(progress: TaskProgress): void;
  /** Ends the process of the task. */
  signal?: AbortSignal;
}

/** Seconds for one job if nothing else is given. */
export const DEFAULT_TIME_LIMIT = 3600;

/** The module of the processes; Node runs the source itself from version 22.18 on. */
const MODULE = new URL(import.meta.url.endsWith('.ts') ? './job-child.ts' : './job-child.js', import.meta.url);

/**
 * Processes of this machine that run jobs. They are started when they are needed, load all methods once, and are used again. A job that crashes,
 * exceeds its memory or its time ends one process and fails alone.
 */
export class JobPool {
  readonly #maxMemory: number;
  readonly #all: JobProcess[];
  readonly #idle: JobProcess[];
  readonly #waiting: ((process: JobProcess) => void)[] = [];
  /** Bytes that running jobs have reserved. */
  readonly #reserved = new Map<JobProcess, number>();
  readonly #reservations: { process: JobProcess; bytes: number; grant(): void }[] = [];
  #isClosed = false;

  constructor({ size, maxMemory, module = MODULE, threads = 1, timeLimit = DEFAULT_TIME_LIMIT }: PoolOptions) {
    this.#maxMemory = maxMemory;
    this.#all = Array.from({ length: size }, () => new JobProcess({ module, maxMemory, threads, timeLimit }));
    this.#idle = [...this.#all].reverse();
  }

  /** Number of processes. */
  get size(): number {
    return this.#all.length;
  }

  /** Numbers of the running processes. */
  get pids(): number[] {
    return this.#all.map(({ pid }) => pid).filter((pid) => pid !== undefined);
  }

  /** Runs a task when a process is free. Rejects with a TaskError. */
  async run(task: BatchTask, hooks: TaskHooks): Promise<JobRecord> {
    const answer = await this.#use({ kind: 'run', task }, hooks);
    if (answer.kind !== 'done') throw new TaskError('the process gave no result', 'other');
    return answer.record;
  }

  /** A small picture of a file as base64 of a PNG. */
  async draw(path: string): Promise<string> {
    const answer = await this.#use({ kind: 'draw', path }, { commit: async () => undefined });
    return answer.kind === 'drawn' ? answer.png : '';
  }

  /** Ends all processes. Running tasks fail with the fault stopped. */
  close(): void {
    this.#isClosed = true;
    for (const process of this.#all) process.kill('stopped');
    for (const next of this.#waiting.splice(0)) next(this.#all[0]);
  }

  async #use(message: Parameters<JobProcess['request']>[0], hooks: TaskHooks): Promise<ChildMessage> {
    const process = this.#idle.pop() ?? (await new Promise<JobProcess>((resolve) => this.#waiting.push(resolve)));
    const stop = () => process.kill('stopped');
    try {
      if (this.#isClosed || hooks.signal?.aborted) throw new TaskError('stopped', 'stopped');
      hooks.signal?.addEventListener('abort', stop, { once: true });
      hooks.onStart?.();
      return await process.request(message, {
        onMessage: (one, reply) => {
          if (one.kind === 'progress') hooks.onProgress?.(one.progress);
          else if (one.kind === 'reserve') this.#reserve(process, one.bytes, () => reply({ kind: 'granted' }));
          else if (one.kind === 'claim' || one.kind === 'commit') {
            const isClaim = one.kind === 'claim';
            const kind = isClaim ? 'claimed' : 'committed';
            (isClaim ? (hooks.claim?.() ?? Promise.resolve()) : hooks.commit(one.record)).then(
              () => reply({ kind }),
              (error: Error) => reply({ kind, error: error.message }),
            );
          }
        },
      });
    } finally {
      hooks.signal?.removeEventListener('abort', stop);
      this.#release(process);
      const next = this.#waiting.shift();
      if (next) next(process);
      else this.#idle.push(process);
    }
  }

  /** Jobs start in turn when they fit. One that does not fit beside others runs alone. */
  #reserve(process: JobProcess, bytes: number, grant: () => void): void {
    this.#reservations.push({ process, bytes, grant });
    this.#grant();
  }

  #release(process: JobProcess): void {
    this.#reserved.delete(process);
    const waiting = this.#reservations.findIndex((one) => one.process === process);
    if (waiting >= 0) this.#reservations.splice(waiting, 1);
    this.#grant();
  }

  #grant(): void {
    for (;;) {
      const [first] = this.#reservations;
      if (!first) return;
      const used = [...this.#reserved.values()].reduce((sum, bytes) => sum + bytes, 0);
      if (this.#reserved.size > 0 && used + first.bytes > this.#maxMemory) return;
      this.#reservations.shift();
      this.#reserved.set(first.process, first.bytes);
      first.grant();
    }
  }
}
