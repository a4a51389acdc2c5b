// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';

/** Bytes that work may use if the caller sets no limit. */
export const DEFAULT_MAX_MEMORY = 4e9;

/**
 * Throws if work needs more memory than its limit. Called before anything is allocated: a file of 2 kB can ask for gigabytes of frames.
 * @param work a plural noun phrase: '3000001 frames of 8 vertices'
 * @param remedy an imperative, what to change besides the limit
 */
export function checkMemory(work: string, bytes: number, maxMemory = DEFAULT_MAX_MEMORY, remedy?: string): void {
  if (bytes <= maxMemory) return;
  const steps = [...(remedy === undefined ? [] : [remedy]), 'raise the limit (--max-memory)'];
  throw new InputError(
    'bake',
    `${work} need about ${formatSize(bytes)} of memory, above the limit of ${formatSize(maxMemory)}; ${steps.join(', or ')}`,
  );
}

/** Two digits, since estimates have no more. */
function formatSize(bytes: number): string {
  const [unit, name] = bytes >= 1e12 ? [1e12, 'TB'] : bytes >= 1e9 ? [1e9, 'GB'] : [1e6, 'MB'];
  const value = bytes / unit;
  return `${value < 10 ? Number(value.toPrecision(2)) : Math.round(value)} ${name}`;
}
