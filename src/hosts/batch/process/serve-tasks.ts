// SPDX-License-Identifier: MIT
import { buildId } from '../../disk/index.ts';
import type { BatchTask, JobRecord } from '../batch-job.ts';
import { type ChildLimits, type ChildMessage, LIMITS_VARIABLE, type ParentMessage } from './child-messages.ts';
import type { TaskHost } from './run-task.ts';
import { taskFaultOf } from './task-error.ts';
import { watchProcess } from './watch-process.ts';

/** Milliseconds between two messages about progress. */
const PROGRESS_INTERVAL = 250;

/** What a process of the pool can do. */
export interface TaskFunctions {
  run(task: BatchTask, host: TaskHost): Promise<JobRecord>;
  /** A picture of a file, PNG. */
  draw(path: string): Promise<Uint8Array>;
}

/** Runs tasks for the pool that started this process, one at a time, until the pool ends. */
export function serveTasks({ run, draw }: TaskFunctions): void {
  const limits = JSON.parse(process.env[LIMITS_VARIABLE] ?? '{}') as ChildLimits;
  watchProcess(limits.maxMemory);
  // the pool decides when this process ends; Ctrl-C reaches all processes of a terminal
  for (const name of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(name, () => undefined);
  process.on('disconnect', () => process.exit(0));
  const send = (message: ChildMessage) => {
    if (process.connected) process.send?.(message);
  };
  let answer: { kind: string; resolve(): void; reject(error: Error): void } | undefined;
  const request = (message: ChildMessage, kind: ParentMessage['kind']) =>
    new Promise<void>((resolve, reject) => {
      answer = { kind, resolve, reject };
      send(message);
    });
  const perform = async (work: () => Promise<ChildMessage>) => {
    try {
      send(await work());
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      send({ kind: 'failed', message, fault: taskFaultOf(error) });
    }
  };
  process.on('message', (message: ParentMessage) => {
    if (message.kind === 'run') {
      let last = 0;
      const host: TaskHost = {
        ...limits,
        reserveMemory: (bytes) => request({ kind: 'reserve', bytes }, 'granted'),
        claim: () => request({ kind: 'claim' }, 'claimed'),
        commit: (record) => request({ kind: 'commit', record }, 'committed'),
        onProgress({ phase, fraction }) {
          if (performance.now() - last < PROGRESS_INTERVAL) return;
          last = performance.now();
          send({ kind: 'progress', progress: { phase, fraction } });
        },
      };
      perform(async () => ({ kind: 'done', record: await run(message.task, host) }));
    } else if (message.kind === 'draw') {
      perform(async () => ({ kind: 'drawn', png: Buffer.from(await draw(message.path)).toString('base64') }));
    } else if (answer?.kind === message.kind) {
      const { resolve, reject } = answer;
      answer = undefined;
      if ('error' in message && message.error !== undefined) reject(new Error(message.error));
      else resolve();
    }
  });
  send({ kind: 'ready', build: buildId() });
}
