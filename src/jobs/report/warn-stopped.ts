// SPDX-License-Identifier: MIT

import { formatNumber, type JobContext } from '../engine/index.ts';

/** Warns that the solve did not finish: it was interrupted, or reached its time limit. */
export function warnStopped(context: JobContext, status?: string): void {
  const { time } = context.options as { time?: number };
  if (context.signal.aborted) context.noteInterrupted();
  else if (time !== undefined && status === 'stopped')
    context.note(`stopped after ${formatNumber(time)} s; writing the best result so far`);
}
