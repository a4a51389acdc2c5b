// SPDX-License-Identifier: MIT
import { SubjectError } from '../../../core/model/errors.ts';

/** Why a task failed: its data or options, a crash of its process, a limit, a stop that was requested, or anything else. */
export type TaskFault = 'input' | 'crash' | 'memory' | 'time' | 'stopped' | 'other';

/** A failed task. The message is one sentence for people. */
export class TaskError extends Error {
  readonly fault: TaskFault;
  /** The message without what the process printed, which may name files of this machine. */
  readonly summary: string;

  /** @param detail what the process printed last; '' if nothing */
  constructor(message: string, fault: TaskFault, detail = '') {
    super(detail === '' ? message : `${message}: ${detail}`);
    this.name = 'TaskError';
    this.fault = fault;
    this.summary = message;
  }

  /** Whether another attempt may succeed. The same data and the same limits fail again. */
  get isRetried(): boolean {
    return this.fault === 'crash' || this.fault === 'other';
  }
}

/** The fault of an error of a job. A failed read or write may succeed later, on a network drive above all. */
export function taskFaultOf(error: unknown): TaskFault {
  if (!(error instanceof SubjectError)) return 'other';
  const cause = error.cause as { code?: unknown } | undefined;
  return typeof cause?.code === 'string' && /^E[A-Z]+$/.test(cause.code) && cause.code !== 'ENOENT' ? 'other' : 'input';
}
