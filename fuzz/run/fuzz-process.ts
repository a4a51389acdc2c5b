// SPDX-License-Identifier: MIT
// Files are read in processes, not in threads. Threads of Node share the queue that compiles code: while one waits for a WebAssembly module, it waits
// until the queue is empty, which the other threads can prevent for minutes. A process can also be ended at any time, and measures its own processor time.
import { fork } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FORMATS } from '../formats.ts';
import type { Seed } from '../fuzz-format.ts';
import { type Defect, type FileRange, type FuzzCounts, type FuzzLimits, fuzzFiles, makeFile } from './fuzz-files.ts';
import { minimize } from './minimize.ts';
import { processorTime } from './processor-time.ts';

/** What a process fuzzes. */
export interface FuzzTask extends FileRange {
  name: string;
  seeds: Seed[];
  /** Milliseconds that the process may take. */
  budget: number;
  limits: FuzzLimits;
}

export interface Reproducer {
  defect: Defect;
  file: number;
  bytes: Uint8Array;
}

interface Message {
  counts: FuzzCounts;
  /** Present in the last message. */
  reproducers?: Reproducer[];
}

export interface FuzzProcessResult extends Partial<Message> {
  /** Why the process did not finish. */
  fault?: string;
  /** The file that was read last; -1 if all were. */
  file: number;
}

/** Argument of the processes that this program starts. */
const PROCESS_ARGUMENT = 'fuzz-process';
/** Heap of a process, megabytes: data of a reader that is not in typed arrays. */
const HEAP_MB = 1024;
/** Interval at which processes are checked, and the number of time limits a file may take before its process is ended. */
const CHECK_MS = 500;
const MAX_TIME_LIMITS = 10;
const PROGRESS_FILES = 1000;
/** Descriptor of the number of the present file. It is written before a file is read, so that it is known whatever happens to the process. */
const PRESENT_FILE = 4;

export function isFuzzProcess(): boolean {
  return process.argv[2] === PROCESS_ARGUMENT;
}

/** Reads files in a process that startFuzzProcess has started, and sends the counts. */
export async function fuzzInProcess(): Promise<void> {
  for (const name of ['log', 'warn', 'error', 'info'] as const) console[name] = () => undefined;
  process.on('disconnect', () => process.exit());
  const task = await new Promise<FuzzTask>((resolve) =>
    process.once('message', (message) => resolve(message as FuzzTask)),
  );
  const { name, seeds, limits, seed, budget } = task;
  const format = FORMATS[name];
  const setPresent = (file: number): number => writeSync(PRESENT_FILE, Int32Array.of(file), 0, 4, 0);
  const counts = await fuzzFiles(
    format,
    seeds,
    { ...task, deadline: performance.now() + budget },
    limits,
    async (file, sofar) => {
      setPresent(file);
      if (sofar.files % PROGRESS_FILES === 0) await send({ counts: sofar });
    },
  );
  setPresent(-1);
  const reproducers: Reproducer[] = [];
  for (const { file, defect } of counts.defects) {
    const bytes = makeFile(format, seeds, seed, file);
    reproducers.push({ defect, file, bytes: await minimize(format, bytes, defect.signature, limits) });
  }
  await send({ counts, reproducers });
  process.exit();
}

const send = (message: Message): Promise<void> => new Promise((resolve) => process.send!(message, () => resolve()));

/** Runs a task in a process of its own. */
export function startFuzzProcess(task: FuzzTask): Promise<FuzzProcessResult> {
  const folder = mkdtempSync(join(tmpdir(), 'ossify-fuzz-'));
  const descriptor = openSync(join(folder, 'present'), 'w+');
  const present = Int32Array.of(task.first);
  writeSync(descriptor, present);
  const child = fork(process.argv[1], [PROCESS_ARGUMENT], {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    serialization: 'advanced',
    // An out-of-memory error prints a long trace, which is reported as one line.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', descriptor],
  });
  child.send(task);
  let message: Partial<Message> = {};
  let fault = 'the process ended';
  let last = -1;
  let since = processorTime(child.pid);
  const timer = setInterval(() => {
    readSync(descriptor, present, 0, 4, 0);
    const now = processorTime(child.pid);
    if (present[0] !== last || present[0] < 0) since = now;
    [last] = present;
    if (now - since < MAX_TIME_LIMITS * task.limits.time) return;
    fault = 'the file does not end';
    child.kill('SIGKILL');
  }, CHECK_MS);
  child.on('message', (received: Message) => {
    message = received;
  });
  return new Promise((resolve) => {
    // Emitted after the last message.
    child.on('close', () => {
      clearInterval(timer);
      readSync(descriptor, present, 0, 4, 0);
      closeSync(descriptor);
      rmSync(folder, { recursive: true });
      resolve({ ...message, file: present[0], ...(message.reproducers ? {} : { fault }) });
    });
  });
}
