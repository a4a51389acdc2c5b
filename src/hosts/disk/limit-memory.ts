// SPDX-License-Identifier: MIT
// --max-memory while inputs are read: the bytes of the files before any is read, and what readers made of them. What jobs make of an input is checked by jobs (check-job-memory.ts).
import { stat } from 'node:fs/promises';
import { InputError } from '../../core/model/errors.ts';
import { formatBytes } from '../../jobs/engine/index.ts';

/** Point caches: jobs say how to read them in parts, or with fewer frames, once the number of frames is known. */
const CACHES = /\.(pc2|mdd)$/i;

/** Throws an InputError if files are larger than the limit together. Files that cannot be looked at are left to the reader, point caches to the job. */
export async function checkFileBytes(input: string, paths: readonly string[], maxMemory: number): Promise<void> {
  let bytes = 0;
  for (const path of paths.filter((one) => !CACHES.test(one))) {
    const facts = await stat(path).catch(() => undefined);
    if (facts?.isFile()) bytes += facts.size;
  }
  if (bytes > maxMemory) throw refuse(input, `has ${formatBytes(bytes)}`, maxMemory);
}

/** Throws an InputError if the arrays of an asset are larger than the limit together. Point caches are left to the job. */
export function checkHeldBytes(input: string, paths: readonly string[], asset: object, maxMemory: number): void {
  if (paths.some((path) => CACHES.test(path))) return;
  const bytes = countBytes(asset, new Set());
  if (bytes > maxMemory) throw refuse(input, `takes ${formatBytes(bytes)} of memory`, maxMemory);
}

function refuse(input: string, what: string, maxMemory: number): InputError {
  return new InputError(input, `${what}, above the limit of ${formatBytes(maxMemory)}; raise the limit (--max-memory)`);
}

/** Bytes of all buffers in a value; each is counted once. */
function countBytes(value: unknown, seen: Set<object>): number {
  if (typeof value !== 'object' || value === null) return 0;
  const held = ArrayBuffer.isView(value) ? value.buffer : value;
  if (seen.has(held)) return 0;
  seen.add(held);
  if (held instanceof ArrayBuffer || held instanceof SharedArrayBuffer) return held.byteLength;
  const parts = held instanceof Map ? held.values() : Object.values(held);
  let bytes = 0;
  for (const part of parts) bytes += countBytes(part, seen);
  return bytes;
}
