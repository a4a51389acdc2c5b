// SPDX-License-Identifier: MIT
// npm run fuzz -- --growth. Each input is measured in a process of its own, whose heap is as small as the budget: what is not in typed arrays counts too.
// Where times do not count, inputs with the same heap share a process, and the inputs after one that ends it get a new one: most of the time was starts.
import { fork } from 'node:child_process';
import { processorTime } from '../run/processor-time.ts';
import type { GrowingInput } from './growing-input.ts';
import { GROWING_INPUTS } from './growing-inputs.ts';
import { BUDGET, type GrowthRow, listSizes, MAX_WORK_RATIO, measureGrowth, memoryFor } from './measure-growth.ts';

/** Argument of the processes that this program starts. */
const PROCESS_ARGUMENT = 'growth-process';
/** Argument of processes whose times count. */
const TIMED = 'timed';
/** Heap of this program and its modules before anything is read, megabytes. */
const HEAP_MB = 48;
/** Heap of commands, megabytes. */
const WORK_HEAP_MB = 1024;
/** Milliseconds of the processor after which a process that does not end is ended; of inputs that are known not to. */
const MAX_MS = 120_000;
const MAX_PENDING_MS = 15_000;
const CHECK_MS = 500;

export interface GrowthOptions {
  /** Formats and commands; all if empty. */
  names: readonly string[];
  /** Bytes of the largest file. */
  largest: number;
  /** Whether times count. */
  isTimed: boolean;
  /** Processes at a time. */
  jobs: number;
}

export function isGrowthProcess(): boolean {
  return process.argv[2] === PROCESS_ARGUMENT;
}

/** Measures inputs in a process that runGrowth has started. */
export async function growInProcess(): Promise<void> {
  const largest = Number(process.argv[4]);
  for (const index of process.argv[3].split(',').map(Number)) {
    const input = GROWING_INPUTS[index];
    // modules are loaded once, and code is compiled, before times are taken
    if (process.argv[5] === TIMED) await measureGrowth(input, listSizes(input, largest)[0]);
    for (const size of listSizes(input, largest)) {
      const row = await measureGrowth(input, size);
      await new Promise<void>((resolve) =>
        process.send?.({ index, row, rss: process.resourceUsage().maxRSS * 1024 }, () => resolve()),
      );
    }
  }
  process.exit();
}

/** Measures all inputs, prints a table, and returns whether all stay within the budget. */
export async function runGrowth({ names, largest, isTimed, jobs }: GrowthOptions): Promise<boolean> {
  const rows: string[][] = [['format', 'input', 'bytes', 'arrays MB', 'process MB', 'ms', 'verdict']];
  let isWithin = true;
  const chosen = [...GROWING_INPUTS.keys()].filter(
    (n) => names.length === 0 || names.includes(GROWING_INPUTS[n].format),
  );
  const results = new Map<number, Measured>();
  const left = isTimed ? chosen.map((index) => [index]) : shareProcesses(chosen, largest, jobs);
  const work = async (): Promise<void> => {
    for (let own = left.shift(); own !== undefined; own = left.shift()) {
      const measured = await startProcess(own, largest, isTimed);
      for (const [index, one] of measured) results.set(index, one);
      // the first without a result has ended the process
      const rest = own.slice(measured.size);
      if (rest.length > 0) left.push(rest);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  for (const index of chosen) {
    const input = GROWING_INPUTS[index];
    const { measured, rss, hasEnded } = results.get(index) ?? NOTHING;
    const fault =
      judge(input, measured, isTimed) ??
      (hasEnded ? undefined : 'the process ended: out of memory, or an error of the input itself');
    if (fault && !input.pending) isWithin = false;
    const last = measured.at(-1);
    rows.push([
      ...[input.format, input.name, String(last?.bytes ?? '-'), megabytes(last?.arrays ?? 0), megabytes(rss)],
      ...[last ? last.milliseconds.toFixed(0) : '-', describe(input, fault, last)],
    ]);
  }
  printRows(rows);
  return isWithin;
}

function describe({ pending }: GrowingInput, fault: string | undefined, last: GrowthRow | undefined): string {
  if (fault) return pending ? `pending: ${pending} (${fault})` : `DEFECT ${fault}`;
  const outcome = last?.isAccepted ? 'read' : `refused: ${last?.refusal?.slice(0, 80)}`;
  return pending ? `${outcome}; no longer pending` : outcome;
}

/** The first fault of the sizes that were measured. */
function judge(input: GrowingInput, rows: readonly GrowthRow[], isTimed: boolean): string | undefined {
  const isWork = input.grows === 'work';
  for (const [n, row] of rows.entries()) {
    const at = `at ${row.size}`;
    if (!isWork && row.arrays > memoryFor(row.bytes)) return `memory: arrays of ${megabytes(row.arrays)} MB ${at}`;
    if (row.fault) return `${row.fault} ${at}`;
    const before = rows[n - 1];
    if (isWork && before && row.arrays > MAX_WORK_RATIO * before.arrays)
      return `memory grows by more than the items ${at}`;
    if (!isTimed) continue;
    if (!isWork && row.milliseconds > BUDGET.milliseconds + BUDGET.millisecondsPerByte * row.bytes) return `time ${at}`;
    if (isWork && before && row.milliseconds > BUDGET.milliseconds + MAX_WORK_RATIO * before.milliseconds)
      return `time grows by more than the items ${at}`;
  }
  return undefined;
}

interface Measured {
  measured: GrowthRow[];
  rss: number;
  hasEnded: boolean;
}

const NOTHING: Measured = { measured: [], rss: 0, hasEnded: false };

/** Megabytes of the heap of the process of an input. */
function heapOf({ grows }: GrowingInput, largest: number): number {
  if (grows === 'work') return WORK_HEAP_MB;
  return Math.ceil(HEAP_MB + memoryFor(grows === 'bytes' ? largest : 0) / 2 ** 20);
}

/** Inputs of the same heap together; as many processes per heap as run at a time. */
function shareProcesses(chosen: readonly number[], largest: number, jobs: number): number[][] {
  const byHeap = new Map<number, number[][]>();
  for (const index of chosen) {
    const heap = heapOf(GROWING_INPUTS[index], largest);
    const lists = byHeap.get(heap) ?? Array.from({ length: jobs }, (): number[] => []);
    byHeap.set(heap, lists);
    lists.reduce((a, b) => (b.length < a.length ? b : a)).push(index);
  }
  return [...byHeap.values()].flat().filter((list) => list.length > 0);
}

/** Measures inputs one after the other in one process. Returns those that it came to: the last may have ended it. */
function startProcess(indices: readonly number[], largest: number, isTimed: boolean): Promise<Map<number, Measured>> {
  const inputs = indices.map((index) => GROWING_INPUTS[index]);
  const child = fork(process.argv[1], [PROCESS_ARGUMENT, indices.join(','), String(largest), isTimed ? TIMED : ''], {
    execArgv: [`--max-old-space-size=${heapOf(inputs[0], largest)}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const results = new Map<number, Measured>();
  let before = 0;
  const timer = setInterval(() => {
    const time = processorTime(child.pid) - before;
    const current = inputs[Math.max(0, results.size - 1)];
    if (time > (current.pending ? MAX_PENDING_MS : MAX_MS)) child.kill('SIGKILL');
  }, CHECK_MS);
  child.on('message', (message) => {
    const { index, row, rss } = message as { index: number; row: GrowthRow; rss: number };
    const result = results.get(index) ?? { ...NOTHING, measured: [] };
    if (!results.has(index)) before = processorTime(child.pid);
    results.set(index, result);
    result.measured.push(row);
    result.rss = rss;
    result.hasEnded = result.measured.length === listSizes(GROWING_INPUTS[index], largest).length;
  });
  return new Promise((resolve) => {
    child.on('close', () => {
      clearInterval(timer);
      const stopped = indices[results.size];
      const last = indices[results.size - 1];
      // an input that ended the process before its first row
      if (stopped !== undefined && (last === undefined || results.get(last)?.hasEnded)) results.set(stopped, NOTHING);
      resolve(results);
    });
  });
}

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

function printRows(rows: readonly string[][]): void {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  for (const row of rows) {
    const cells = row.map((cell, c) =>
      c < 2 || c === row.length - 1 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]),
    );
    console.log(cells.join('  ').trimEnd());
  }
}
