// SPDX-License-Identifier: MIT
// npm run fuzz -- --format glb --count 1000000 --seed 7. docs/fuzzing.md describes it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { FORMATS } from './formats.ts';
import {
  type Defect,
  type FileRange,
  FUZZ_LIMITS,
  type FuzzCounts,
  type FuzzLimits,
  fuzzFiles,
  makeFile,
  tryFile,
} from './fuzz-files.ts';
import type { Seed } from './fuzz-format.ts';
import { minimize } from './minimize.ts';

interface Task extends FileRange {
  name: string;
  seeds: Seed[];
  /** Milliseconds that the thread may take. */
  budget: number;
  limits: FuzzLimits;
  /** The file that is being read, for the thread that watches. */
  present: Int32Array;
}

/** Heap of a thread, megabytes: data of a reader that is not in typed arrays. */
const HEAP_MB = 1024;
/** How often threads are watched, and how many time limits a file may take before its thread is ended. */
const WATCH_MS = 500;
const WATCH_LIMITS = 10;
const PROGRESS_FILES = 1000;

/** The program, and each of its threads. */
export function run(): Promise<void> {
  return isMainThread ? main() : work(workerData as Task);
}

/** Reads files in a thread and reports the counts. */
async function work(task: Task): Promise<void> {
  for (const name of ['log', 'warn', 'error', 'info'] as const) console[name] = () => undefined;
  // three.js leaves rejected promises behind; the load itself reports the error.
  process.on('unhandledRejection', () => undefined);
  const { name, seeds, limits, present } = task;
  const format = FORMATS[name];
  const counts = await fuzzFiles(
    format,
    seeds,
    { ...task, deadline: performance.now() + task.budget },
    limits,
    (file, sofar) => {
      Atomics.store(present, 0, file);
      if (sofar.files % PROGRESS_FILES === 0) parentPort!.postMessage({ counts: sofar });
    },
  );
  const reproducers: { defect: Defect; file: number; bytes: Uint8Array }[] = [];
  for (const { file, defect } of counts.defects) {
    const bytes = makeFile(format, seeds, task.seed, file);
    Atomics.store(present, 0, -1);
    reproducers.push({ defect, file, bytes: await minimize(format, bytes, defect.signature, limits) });
  }
  parentPort!.postMessage({ counts, reproducers });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      format: { type: 'string', default: 'all' },
      count: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '0' },
      jobs: { type: 'string', default: '1' },
      replay: { type: 'string' },
      minutes: { type: 'string', default: 'Infinity' },
      out: { type: 'string', default: 'out/fuzz/found' },
      time: { type: 'string', default: String(FUZZ_LIMITS.time) },
      memory: { type: 'string', default: String(FUZZ_LIMITS.memory / 2 ** 20) },
    },
  });
  const names = values.format === 'all' ? Object.keys(FORMATS) : values.format.split(',');
  const [count, seed, jobs, time, memory] = [values.count, values.seed, values.jobs, values.time, values.memory].map(
    Number,
  );
  const minutes = Number(values.minutes);
  const unknown = names.find((name) => !FORMATS[name]);
  if (
    unknown !== undefined ||
    ![count, jobs, time, memory].every((value) => value >= 1) ||
    !(minutes > 0) ||
    !Number.isInteger(seed)
  ) {
    console.error(
      `usage: npm run fuzz -- --format ${Object.keys(FORMATS).join('|')}|all --count N --seed N --jobs N --minutes N`,
    );
    console.error('       --replay FILE (read one file and print what happens)');
    console.error('       --out FOLDER (reproducers) --time MS --memory MB (limits per file)');
    process.exitCode = 2;
    return;
  }
  if (values.replay !== undefined) {
    const bytes = Uint8Array.from(readFileSync(values.replay));
    for (const name of names)
      console.log(name, await tryFile(FORMATS[name], bytes, { time, memory: memory * 2 ** 20 }));
    return;
  }
  const rows: string[][] = [];
  for (const name of names) {
    const start = performance.now();
    const seeds = await FORMATS[name].makeSeeds();
    const total = await fuzzFormat(
      name,
      seeds,
      { seed, end: count, jobs, minutes, limits: { time, memory: memory * 2 ** 20 } },
      values.out,
    );
    const seconds = (performance.now() - start) / 1000;
    rows.push(rowOf(name, total, seconds));
    if (total.defects.length > 0) process.exitCode = 1;
  }
  printTable([
    ['format', 'files', 'accepted', 'refused', 'slowest ms (file)', 'largest MB', 'defects', 'files/s'],
    ...rows,
  ]);
}

async function fuzzFormat(
  name: string,
  seeds: Seed[],
  {
    seed,
    end,
    jobs,
    minutes,
    limits,
  }: { seed: number; end: number; jobs: number; minutes: number; limits: FuzzLimits },
  folder: string,
): Promise<FuzzCounts> {
  const total: FuzzCounts = {
    ...{ files: 0, accepted: 0, refused: 0, defects: [] },
    ...{ slowest: { milliseconds: 0, file: -1 }, largest: { bytes: 0, file: -1 } },
  };
  const known = new Set<string>();
  const report = (file: number, defect: Defect, bytes: Uint8Array): void => {
    if (known.has(defect.signature)) return;
    known.add(defect.signature);
    total.defects.push({ file, defect });
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${name}-${seed}-${file}.${FORMATS[name].extension}`);
    writeFileSync(path, bytes);
    console.log(`${name}: file ${file}: ${defect.signature}\n  ${path} (${bytes.length} bytes)`);
  };
  const add = (counts: FuzzCounts): void => {
    total.files += counts.files;
    total.accepted += counts.accepted;
    total.refused += counts.refused;
    if (counts.slowest.milliseconds > total.slowest.milliseconds) total.slowest = counts.slowest;
    if (counts.largest.bytes > total.largest.bytes) total.largest = counts.largest;
  };
  const deadline = performance.now() + minutes * 60_000;
  /** Runs one thread to its end; a thread that is stuck or runs out of memory is replaced by one that goes on behind its file. */
  const runThread = async (start: number): Promise<void> => {
    for (let first = start; first < end; ) {
      const present = new Int32Array(new SharedArrayBuffer(4)).fill(first);
      const budget = deadline - performance.now();
      if (budget <= 0) return;
      const task = { name, seeds, seed, first, step: jobs, end, limits, present, budget };
      const { counts, reproducers, fault } = await runWorker(task);
      if (counts) add(counts);
      for (const { file, defect, bytes } of reproducers ?? []) report(file, defect, bytes);
      if (!fault) return;
      const file = Atomics.load(present, 0);
      if (file < 0) return;
      const defect: Defect = { kind: 'time', signature: `${fault} ${file}`, detail: fault };
      report(file, defect, makeFile(FORMATS[name], seeds, seed, file));
      first = file + jobs;
    }
  };
  await Promise.all(Array.from({ length: jobs }, (_, n) => runThread(n)));
  return total;
}

interface WorkerResult {
  counts?: FuzzCounts;
  reproducers?: { defect: Defect; file: number; bytes: Uint8Array }[];
  fault?: string;
}

function runWorker(task: Task): Promise<WorkerResult> {
  return new Promise((resolve) => {
    const worker = new Worker(process.argv[1], {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    let result: WorkerResult = { fault: 'the thread ended' };
    let last = -1;
    let since = performance.now();
    const timer = setInterval(() => {
      const file = Atomics.load(task.present, 0);
      if (file !== last || file < 0) since = performance.now();
      last = file;
      if (performance.now() - since < WATCH_LIMITS * task.limits.time) return;
      result = { ...result, fault: 'the file does not end' };
      worker.terminate();
    }, WATCH_MS);
    worker.on('message', (message: WorkerResult) => {
      result = message.reproducers ? message : { ...result, counts: message.counts };
    });
    worker.on('error', (error) => {
      result = { ...result, fault: `the thread failed: ${error.message}` };
    });
    worker.on('exit', () => {
      clearInterval(timer);
      resolve(result);
    });
  });
}

function rowOf(
  name: string,
  { files, accepted, refused, slowest, largest, defects }: FuzzCounts,
  seconds: number,
): string[] {
  const megabytes = (largest.bytes / 2 ** 20).toFixed(1);
  const numbers = [files, accepted, refused].map((value) => value.toLocaleString('en'));
  const rate = Math.round(files / seconds).toLocaleString('en');
  return [
    name,
    ...numbers,
    `${slowest.milliseconds.toFixed(1)} (${slowest.file})`,
    megabytes,
    String(defects.length),
    rate,
  ];
}

function printTable(rows: string[][]): void {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  for (const row of rows)
    console.log(row.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('  '));
}
