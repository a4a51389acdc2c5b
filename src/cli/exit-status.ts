// SPDX-License-Identifier: MIT
// What the process tells the shell. Scripts depend on these numbers: they never change meaning.

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
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The job failed for a reason the user can act on. One sentence that starts with the file it is about, status 1. */
export class JobError extends Error {
  override name = 'JobError';
}

/** The status that an error stands for. */
export function exitStatusOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT_USAGE;
  if (error instanceof Error && error.name === 'AbortError') return EXIT_INTERRUPTED;
  return EXIT_FAILED;
}

/** The sentence of a library error without the name of the function it starts with: people named a file, not a function. */
export function faultOf(error: Error): string {
  return error.message.replace(/^[a-z][A-Za-z]*( error)?: /, '');
}
