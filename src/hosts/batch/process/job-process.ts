// SPDX-License-Identifier: MIT
import { type ChildProcess, fork } from 'node:child_process';
import { plainText } from '../../../core/model/plain-text.ts';
import { formatBytes, formatNumber } from '../../../jobs/engine/index.ts';
import { buildId } from '../../disk/index.ts';
import { type ChildLimits, type ChildMessage, LIMITS_VARIABLE, type ParentMessage } from './child-messages.ts';
import { TaskError, type TaskFault } from './task-error.ts';
import { MEMORY_MARK } from './watch-process.ts';

/** Characters of stderr that are kept to explain a crash. */
const MAX_STDERR = 4000;

/** What a process asks while it works. */
export interface ProcessHandlers {
  onMessage(message: ChildMessage, reply: (message: ParentMessage) => void): void;
}

/** Starts processes of a pool. */
export interface ProcessOptions extends ChildLimits {
  /** The module that the process runs. */
  module: URL;
  /** Seconds for one job. */
  timeLimit: number;
}

/** One process of a pool: does one thing at a time, and is used again. A new one is started after a crash. */
export class JobProcess {
  readonly #options: ProcessOptions;
  /** Of this process, from before any of its children was started. */
  readonly #build = buildId();
  #child: ChildProcess | undefined;
  #stderr = '';
  /** Why the pool ended the process; undefined if it ended by itself. */
  #killed: TaskFault | undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  /** Number of the process; undefined before the first job and after a crash. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Sends a message and waits for `done`, `drawn` or `failed`. Rejects with a TaskError if the process ends before. */
  request(message: ParentMessage, { onMessage }: ProcessHandlers): Promise<ChildMessage> {
    const child = this.#start();
    return new Promise((resolve, reject) => {
      // a timer of more than 24 days would fire at once
      const milliseconds = Math.min(this.#options.timeLimit * 1000, 2 ** 31 - 1);
      let timer: NodeJS.Timeout | undefined;
      const settle = () => {
        clearTimeout(timer);
        child.off('message', onAnswer);
        child.off('exit', onExit);
        child.off('error', onError);
      };
      const send = (one: ParentMessage) => {
        if (child.connected) child.send(one, () => undefined);
      };
      const startTimer = () => {
        timer = setTimeout(() => this.kill('time'), milliseconds);
      };
      const begin = () => {
        startTimer();
        send(message);
      };
      const reply = (one: ParentMessage) => {
        if (one.kind === 'granted') startTimer();
        send(one);
      };
      const onAnswer = (one: ChildMessage) => {
        if (one.kind === 'ready' && one.build === this.#build) begin();
        else if (one.kind === 'ready') {
          settle();
          child.kill('SIGKILL');
          this.#child = undefined;
          reject(new TaskError(describeReplaced(this.#build, one.build), 'input'));
        } else if (one.kind === 'done' || one.kind === 'drawn') {
          settle();
          resolve(one);
        } else if (one.kind === 'failed') {
          settle();
          reject(new TaskError(one.message, one.fault));
        } else {
          // a job that waits for memory does not use up its time
          if (one.kind === 'reserve') clearTimeout(timer);
          onMessage(one, reply);
        }
      };
      const onExit = (code: number | null, signal: NodeJS.Signals | null) => {
        settle();
        reject(this.#explain(code, signal));
      };
      const onError = (error: Error) => {
        settle();
        reject(new TaskError(`no process could be started: ${error.message}`, 'crash'));
      };
      child.on('message', onAnswer);
      child.on('exit', onExit);
      child.on('error', onError);
      if (this.#isReady) begin();
    });
  }

  /** Ends the process at once. Its job fails with this fault. */
  kill(fault: TaskFault): void {
    this.#killed = fault;
    this.#child?.kill('SIGKILL');
  }

  #isReady = false;

  #start(): ChildProcess {
    if (this.#child) return this.#child;
    const { module, maxMemory, threads } = this.#options;
    const megabytes = Math.max(64, Math.floor(maxMemory / 2 ** 20));
    // The queue's address may hold a password; a job needs none of it.
    const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('OSSIFY_QUEUE'));
    const limits: ChildLimits = { maxMemory, threads };
    const child = fork(module, {
      execArgv: [`--max-old-space-size=${megabytes}`],
      env: { ...Object.fromEntries(environment), [LIMITS_VARIABLE]: JSON.stringify(limits) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.#stderr = '';
    this.#killed = undefined;
    this.#isReady = false;
    child.stderr?.on('data', (text: Buffer) => {
      this.#stderr = (this.#stderr + text.toString('utf8')).slice(-MAX_STDERR);
    });
    child.on('message', (message: ChildMessage) => {
      if (message.kind === 'ready') this.#isReady = message.build === this.#build;
    });
    child.on('error', () => undefined);
    child.on('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }

  #explain(code: number | null, signal: NodeJS.Signals | null): TaskError {
    const { timeLimit, maxMemory } = this.#options;
    if (this.#killed === 'stopped') return new TaskError('stopped', 'stopped');
    if (this.#killed === 'time')
      return new TaskError(`the job took more than its time limit of ${formatNumber(timeLimit)} s`, 'time');
    if (this.#stderr.includes(MEMORY_MARK) || this.#stderr.includes('heap out of memory'))
      return new TaskError(`the job needs more memory than its limit of ${formatBytes(maxMemory)}`, 'memory');
    const how = signal === null ? `with status ${code}` : `by ${signal}`;
    const last = this.#stderr.trim().split('\n').at(-1) ?? '';
    return new TaskError(`the process of the job was ended ${how}`, 'crash', plainText(last).slice(0, 200));
  }
}

/** The identity of a job has the version and the kernels of this process: those of the process of the job must be the same. */
function describeReplaced(before: string, now: string): string {
  return `ossify was replaced while it ran (${before} by ${now}); start the command again`;
}
