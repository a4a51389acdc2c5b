// SPDX-License-Identifier: MIT
// What the process tells the shell. Scripts depend on these numbers: they never change meaning.

import { InputError, UsageError as LibraryUsageError } from '../model/errors.ts';

export const EXIT_DONE = 0;
/** The job failed: a file is missing, broken, or cannot be written. */
export const EXIT_FAILED = 1;
/** Wrong usage, bad option values included. */
export const EXIT_USAGE = 2;
/** The quality gate was not met; the output is still written. */
export const EXIT_GATE = 3;
/** Interrupted; the best result so far is written where there is one. */
export const EXIT_INTERRUPTED = 130;

/** The caller asked for something that cannot be asked for. One sentence, status 2. */
export class UsageError extends LibraryUsageError {
  constructor(message: string, options?: ErrorOptions) {
    super('', message, options);
  }
}

/** The job failed for a reason the user can act on. One sentence that starts with the file it is about, status 1. */
export class JobError extends InputError {
  constructor(message: string, options?: ErrorOptions) {
    super('', message, options);
  }
}

/** The status that an error stands for. */
export function exitStatusOf(error: unknown): number {
  if (error instanceof LibraryUsageError) return EXIT_USAGE;
  if (error instanceof Error && error.name === 'AbortError') return EXIT_INTERRUPTED;
  return EXIT_FAILED;
}

export { faultOf } from '../model/errors.ts';
