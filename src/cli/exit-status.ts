// SPDX-License-Identifier: MIT
// What the process tells the shell. Scripts depend on these numbers: they never change meaning.
import { UsageError } from '../model/errors.ts';

export const EXIT_DONE = 0;
/** The job failed: a file is missing, broken, or cannot be written. */
export const EXIT_FAILED = 1;
/** Wrong usage, bad option values included. */
export const EXIT_USAGE = 2;
/** The quality gate was not met; the output is still written. */
export const EXIT_GATE = 3;
/** Interrupted; the best result so far is written where there is one. */
export const EXIT_INTERRUPTED = 130;

/** The status of an error. */
export function exitStatusOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT_USAGE;
  if (error instanceof Error && error.name === 'AbortError') return EXIT_INTERRUPTED;
  return EXIT_FAILED;
}
