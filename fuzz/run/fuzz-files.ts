// SPDX-License-Identifier: MIT
import { makeRandom } from '../../src/core/math/random.ts';
import { FormatError, InputError, UsageError } from '../../src/core/model/errors.ts';
import type { FuzzFormat, Seed } from '../fuzz-format.ts';
import { countAllocations, MemoryLimitError, resetAllocations } from './track-allocations.ts';

export interface FuzzLimits {
  /** Milliseconds that a file may take, of the processor. */
  time: number;
  /** Bytes of typed arrays that reading a file may allocate in all. */
  memory: number;
}

export const FUZZ_LIMITS: FuzzLimits = { time: 1000, memory: 256 * 2 ** 20 };

/** Times up to this are not repeated. */
const MIN_SLOW_MS = 2;
const REPEATS = 4;

/** What is wrong with how a file was treated. */
export interface Defect {
  kind: 'error' | 'time' | 'memory' | 'accepted' | 'message';
  /** Equal for defects that probably have one cause. */
  signature: string;
  detail: string;
}

export interface Outcome {
  isAccepted: boolean;
  milliseconds: number;
  bytes: number;
  defect?: Defect;
}

/** Totals of many files. */
export interface FuzzCounts {
  files: number;
  accepted: number;
  refused: number;
  slowest: { milliseconds: number; file: number };
  largest: { bytes: number; file: number };
  defects: { file: number; defect: Defect }[];
}

/** The file of a number: the same for the same seed, whoever makes it. */
export function makeFile(format: FuzzFormat, seeds: readonly Seed[], seed: number, file: number) {
  return format.mutate(makeRandom(Math.imul(seed + 1, 0x9e3779b1) + file), seeds);
}

export interface FileRange {
  seed: number;
  first: number;
  step: number;
  end: number;
  /** Time of performance.now() at which to stop. */
  deadline?: number;
}

/** Fuzzes the files first, first + step … below end. Defects with a known signature are counted, not listed again. */
export async function fuzzFiles(
  format: FuzzFormat,
  seeds: readonly Seed[],
  { seed, first, step, end, deadline = Infinity }: FileRange,
  limits: FuzzLimits,
  onFile?: (file: number, counts: FuzzCounts) => void | Promise<void>,
): Promise<FuzzCounts> {
  const counts: FuzzCounts = {
    ...{ files: 0, accepted: 0, refused: 0, defects: [] },
    ...{ slowest: { milliseconds: 0, file: -1 }, largest: { bytes: 0, file: -1 } },
  };
  const known = new Set<string>();
  for (let file = first; file < end && performance.now() < deadline; file += step) {
    await onFile?.(file, counts);
    const bytes = makeFile(format, seeds, seed, file);
    let outcome = await tryFile(format, bytes, limits, 'wall');
    // The machine may have been busy: the shortest of several times of the processor counts.
    for (let n = 0; n < REPEATS && outcome.milliseconds > Math.max(counts.slowest.milliseconds, MIN_SLOW_MS); n++) {
      const again = await tryFile(format, bytes, limits);
      if (again.milliseconds < outcome.milliseconds) outcome = again;
    }
    counts.files++;
    if (outcome.isAccepted) counts.accepted++;
    else counts.refused++;
    if (outcome.milliseconds > counts.slowest.milliseconds)
      counts.slowest = { milliseconds: outcome.milliseconds, file };
    if (outcome.bytes > counts.largest.bytes) counts.largest = { bytes: outcome.bytes, file };
    const { defect } = outcome;
    if (!defect || known.has(defect.signature)) continue;
    known.add(defect.signature);
    counts.defects.push({ file, defect });
  }
  return counts;
}

/**
 * Reads one file and judges what happens.
 * @param clock `wall` gives an upper limit of the time of the processor. Reading the clock of the processor takes as long as reading a small file
 */
export async function tryFile(
  { target }: Pick<FuzzFormat, 'target'>,
  bytes: Uint8Array<ArrayBuffer>,
  limits: FuzzLimits,
  clock: 'processor' | 'wall' = 'processor',
): Promise<Outcome> {
  resetAllocations(limits.memory);
  const start = performance.now();
  const startCpu = clock === 'processor' ? process.cpuUsage() : undefined;
  let defect: Defect | undefined;
  let isAccepted = false;
  try {
    const verdict = await target(bytes);
    isAccepted = true;
    if (verdict !== undefined) defect = makeDefect('accepted', verdict);
  } catch (error) {
    defect = judge(error);
  }
  // On a busy machine a process waits for the processor, which is not the reader's fault.
  const { user, system } = startCpu ? process.cpuUsage(startCpu) : { user: Infinity, system: 0 };
  const milliseconds = Math.min(performance.now() - start, (user + system) / 1000);
  const allocated = countAllocations();
  resetAllocations(Infinity);
  // Readers may turn the error of the limit into one of their own.
  if (allocated > limits.memory) defect = makeDefect('memory', `more than ${limits.memory} bytes`);
  if (!defect && milliseconds > limits.time) defect = makeDefect('time', `more than ${limits.time} ms`);
  return { isAccepted, milliseconds, bytes: allocated, ...(defect ? { defect } : {}) };
}

/** What is wrong with an error, in a line; undefined if it is a sentence about the file. */
export function describeError(error: unknown): string | undefined {
  return judge(error)?.signature;
}

/** Errors about the file are refusals; all others are defects. */
function judge(error: unknown): Defect | undefined {
  if (error instanceof MemoryLimitError) return makeDefect('memory', error.message);
  const isMeant = error instanceof FormatError || error instanceof InputError || error instanceof UsageError;
  // The cause of a FormatError is an error that the reader did not expect.
  if (!isMeant || error.cause !== undefined) {
    const cause = isMeant ? error.cause : error;
    return makeDefect('error', cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched
  if (/[\u0000-\u001f\u007f-\u009f]/.test(error.message)) return makeDefect('message', 'control characters');
  if (error.message.length > 500) return makeDefect('message', 'more than 500 characters');
  return undefined;
}

function makeDefect(kind: Defect['kind'], detail: string): Defect {
  const place = /\n\s+at ([^\n]*)/.exec(detail)?.[1] ?? '';
  const sentence = detail.split('\n')[0].replace(/"[^"]*"|-?[\d.]+(e[+-]?\d+)?|NaN|-?Infinity/g, '#');
  return { kind, detail, signature: `${kind}: ${sentence} ${place}`.trim() };
}
