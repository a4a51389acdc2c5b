// SPDX-License-Identifier: MIT
// Jobs that arrive one by one with their file. Each has a folder of its own with a random name; nothing that a client sends becomes a part of a path.
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { UsageError } from '../../core/model/errors.ts';
import { shortName } from '../../core/model/plain-text.ts';
import { listFiles } from '../../core/options/list-files.ts';
import { flagOf, type Json } from '../../core/options/option.ts';
import { ASSET_FORMATS } from '../../formats/assets/index.ts';
import type { JobSpec } from '../../jobs/engine/index.ts';
import { checkJob, findJob, JOBS } from '../../jobs/table/index.ts';
import { type JobRecord, placeOutput, TaskError, type TaskProgress, type TaskRunner } from '../batch/index.ts';

/** What a client wants. */
export interface JobRequest {
  command: string;
  /** Name of the file, for its extension and for messages. */
  name: string;
  options: Readonly<Record<string, Json>>;
  /** Format of the output. Default: the first that the command writes. */
  extension?: string;
}

export type ServedStatus = 'receiving' | 'queued' | 'running' | 'done' | 'failed';

/** Characters of a name that are kept. */
const MAX_NAME = 200;

/** A job and its state. `changed` is emitted after each change of it. */
export class ServedJob extends EventEmitter<{ changed: [] }> {
  readonly id: string = randomBytes(16).toString('hex');
  readonly request: JobRequest;
  readonly folder: string;
  /** Where the file of the client is stored. */
  readonly input: string;
  status: ServedStatus = 'receiving';
  progress: TaskProgress | undefined;
  record: JobRecord | undefined;
  error: string | undefined;
  endedAt: number | undefined;
  /** Of its files, as far as they are known: the file of the client until the end, then the result. */
  bytes = 0;
  readonly stop = new AbortController();

  constructor(request: JobRequest, parent: string) {
    super();
    // a name is shown in messages; only its extension is used
    this.request = { ...request, name: shortName(request.name, MAX_NAME) };
    this.folder = join(parent, this.id);
    this.input = join(this.folder, `input${extname(request.name).toLowerCase()}`);
    this.setMaxListeners(0);
  }

  /** The output; undefined before the end. */
  get output(): string | undefined {
    return this.record?.output === undefined ? undefined : join(this.folder, this.record.output);
  }

  /** A text with the name that the client gave instead of paths of this machine, which are none of its business. */
  hidePaths(text: string): string {
    return text
      .replaceAll(this.input, this.request.name)
      .replaceAll(`${this.folder}${sep}`, '')
      .replaceAll(this.folder, '');
  }

  change(more: Partial<Pick<ServedJob, 'status' | 'progress' | 'record' | 'error' | 'endedAt'>>): void {
    Object.assign(this, more);
    this.emit('changed');
  }
}

export interface ServedJobsOptions {
  runner: TaskRunner;
  folder: string;
  /** Jobs that are received, wait or run at once. */
  maxJobs: number;
  /** Seconds for which results are kept. */
  keep: number;
  /** Bytes of the files of all jobs. */
  maxStorage: number;
}

/** There is no space for a file. */
export class StorageFault extends Error {
  constructor() {
    super(
      'the storage of the server is full; try again later, or remove results that are not needed (DELETE /jobs/ID)',
    );
  }
}

/** Results that are kept, as a multiple of maxJobs. */
const KEPT_FACTOR = 10;

/** Commands that take one file and make at most one. */
export const SERVED_COMMANDS: readonly JobSpec[] = JOBS.filter(
  (spec) =>
    spec.inputs.filter(({ isOptional }) => !isOptional).length === 1 &&
    !spec.inputs[0].choices &&
    !spec.output?.isFolder &&
    isRunWithoutOptions(spec),
);

/** Whether a command needs nothing but its input: one that needs a second file, as edit, cannot get it. */
function isRunWithoutOptions(spec: JobSpec): boolean {
  try {
    checkJob(spec, placeOutput({ command: spec.name, inputs: ['input'] }, 'output'));
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

export class ServedJobs {
  readonly #jobs = new Map<string, ServedJob>();
  readonly #options: ServedJobsOptions;
  readonly #timer: NodeJS.Timeout;

  constructor(options: ServedJobsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#expire(), Math.min(options.keep * 500, 30_000));
    this.#timer.unref();
  }

  get(id: string): ServedJob | undefined {
    return this.#jobs.get(id);
  }

  get isFull(): boolean {
    const active = [...this.#jobs.values()].filter(({ endedAt }) => endedAt === undefined);
    return active.length >= this.#options.maxJobs;
  }

  /** Bytes of the files of all jobs. */
  get storage(): number {
    return [...this.#jobs.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Makes space for the file of a job, and removes the oldest results for it. Throws a StorageFault if they are not enough. */
  reserve(job: ServedJob, bytes: number): void {
    const before = job.bytes;
    job.bytes = Math.max(before, bytes);
    this.#shrink(job);
    if (this.storage <= this.#options.maxStorage) return;
    job.bytes = before;
    throw new StorageFault();
  }

  /** Checks a request and makes the folder for its file. Throws a UsageError. */
  async open(request: JobRequest): Promise<ServedJob> {
    checkRequest(request);
    const job = new ServedJob(request, this.#options.folder);
    this.#jobs.set(job.id, job);
    try {
      await mkdir(job.folder, { recursive: true });
    } catch (error) {
      this.#jobs.delete(job.id);
      throw error;
    }
    return job;
  }

  /** Runs a job whose file is complete. */
  async run(job: ServedJob): Promise<void> {
    const { command, options, extension } = job.request;
    job.change({ status: 'queued' });
    try {
      const placed = placeOutput({ command, inputs: [job.input], options }, 'output', extension);
      const record = await this.#options.runner.run(
        { id: job.id, out: job.folder, job: placed },
        {
          commit: async () => undefined,
          onStart: () => job.change({ status: 'running' }),
          onProgress: (progress) => job.change({ progress }),
          signal: job.stop.signal,
        },
      );
      job.bytes = record.files.reduce((sum, file) => sum + file.bytes, 0);
      job.change({ status: 'done', record, endedAt: Date.now() });
    } catch (error) {
      const message = error instanceof TaskError ? error.summary : (error as Error).message;
      const isStopped = error instanceof TaskError && error.fault === 'stopped';
      const shown = isStopped ? 'the job was stopped' : job.hidePaths(message);
      job.bytes = 0;
      job.change({ status: 'failed', error: shown, endedAt: Date.now() });
    } finally {
      // nobody needs the file of the client any more
      await rm(job.input, { force: true }).catch(() => undefined);
      this.#shrink(job);
    }
  }

  /** Stops a job and removes its files. */
  async remove(job: ServedJob): Promise<void> {
    this.#jobs.delete(job.id);
    job.stop.abort();
    if (job.endedAt === undefined) job.change({ status: 'failed', error: 'the job was removed', endedAt: Date.now() });
    await rm(job.folder, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#jobs.values()].map((job) => this.remove(job)));
  }

  /** Removes the oldest results while there is too much. */
  #shrink(besides: ServedJob): void {
    for (const job of [...this.#jobs.values()]) {
      if (this.storage <= this.#options.maxStorage) return;
      if (job !== besides && job.endedAt !== undefined && job.bytes > 0) this.remove(job).catch(() => undefined);
    }
  }

  #expire(): void {
    const { keep, maxJobs } = this.#options;
    const ended = [...this.#jobs.values()].filter(({ endedAt }) => endedAt !== undefined);
    const surplus = ended.length - KEPT_FACTOR * maxJobs;
    for (const [n, job] of ended.entries())
      if (n < surplus || Date.now() - Number(job.endedAt) > keep * 1000) this.remove(job).catch(() => undefined);
  }
}

/** Options that the server decides. */
const LIMITS = ['threads', 'maxMemory'];

function checkRequest({ command, name, options, extension }: JobRequest): void {
  const spec = findJob(command);
  if (!SERVED_COMMANDS.includes(spec))
    throw new UsageError(
      'command',
      `"${command}" is not served; there are ${SERVED_COMMANDS.map((one) => one.name).join(', ')}`,
    );
  const known = ASSET_FORMATS.flatMap(({ extensions, kind }) => (kind === 'cache' ? [] : extensions));
  if (!known.includes(extname(name).slice(1).toLowerCase()))
    throw new UsageError('name', `must end in .${known.join(', .')}`);
  if (extension !== undefined && !/^\w{1,10}$/.test(extension)) throw new UsageError('format', 'is not an extension');
  const limited = LIMITS.find((key) => Object.hasOwn(options, key));
  if (limited !== undefined) throw new UsageError(flagOf(limited), 'is set by the server');
  // a name of a file would be a file of this machine
  const [file] = listFiles(spec.options, options);
  if (file) throw new UsageError(flagOf(file.key), 'names a file, which jobs over HTTP cannot use');
  checkJob(spec, placeOutput({ command, inputs: ['input'], options }, 'output', extension));
}
