// SPDX-License-Identifier: MIT
// Messages between the pool and its processes.
import type { BatchTask, JobRecord, TaskProgress } from '../batch-job.ts';
import type { TaskFault } from './task-error.ts';

/** Limits of a process. They are in its environment, because it needs them before its first message. */
export interface ChildLimits {
  /** Bytes of the whole process. */
  maxMemory: number;
  threads: number;
}

/** Variable with the limits of a process. */
export const LIMITS_VARIABLE = 'OSSIFY_CHILD';

/** From the pool. */
export type ParentMessage =
  | { kind: 'run'; task: BatchTask }
  /** Draw a file of a finished job. */
  | { kind: 'draw'; path: string }
  /** Answers a `reserve`. */
  | { kind: 'granted' }
  /** Answers a `claim`. */
  | { kind: 'claimed'; error?: string }
  /** Answers a `commit`. */
  | { kind: 'committed'; error?: string };

/** From a process. */
export type ChildMessage =
  /** With the version and kernels of the process: the package may have been replaced since the pool was made. */
  | { kind: 'ready'; build: string }
  | { kind: 'progress'; progress: TaskProgress }
  | { kind: 'reserve'; bytes: number }
  | { kind: 'claim' }
  | { kind: 'commit'; record: JobRecord }
  | { kind: 'done'; record: JobRecord }
  | { kind: 'drawn'; png: string }
  | { kind: 'failed'; message: string; fault: TaskFault };
