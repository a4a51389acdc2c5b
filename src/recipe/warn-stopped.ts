// SPDX-License-Identifier: MIT
import { formatNumber } from './format-number.ts';
import type { JobContext } from './job-context.ts';

/** Notes that a result is not the end of the solve: it was interrupted, or its time limit ran out. */
export function warnStopped(context: JobContext, status?: string): void {
  const { time } = context.options as { time?: number };
  if (context.signal.aborted) context.noteInterrupted();
  else if (time !== undefined && status === 'stopped')
    context.note(`stopped after ${formatNumber(time)} s; writing the best result so far`);
}
