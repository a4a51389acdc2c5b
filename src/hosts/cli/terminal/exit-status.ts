// SPDX-License-Identifier: MIT
// Exit statuses. Scripts depend on these numbers: their meaning never changes.
import { UsageError } from '../../../core/model/errors.ts';

export const EXIT_DONE = 0;
/** The job failed: a file is missing, broken, or cannot be written. */
export const EXIT_FAILED = 1;
/** Wrong usage, including invalid option values. */
export const EXIT_USAGE = 2;
/** The error limit was not met; the output is still written. */
export const EXIT_GATE = 3;
/** Interrupted; the best result so far is written if there is one. */
export const EXIT_INTERRUPTED = 130;

/** The status of an error. */
export function exitStatusOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT_USAGE;
  if (error instanceof Error && error.name === 'AbortError') return EXIT_INTERRUPTED;
  return EXIT_FAILED;
}
