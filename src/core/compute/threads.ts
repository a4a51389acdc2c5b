// SPDX-License-Identifier: MIT
import { pauseForEvents } from './pause-for-events.ts';
import { heldWordOf, WORKER_SOURCE } from './worker-source.ts';

/** Start message of a worker. */
export interface WorkerData {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  control: Int32Array;
  names: string[];
}

/** Helper threads in addition to the calling thread. */
export interface Threads {
  readonly count: number;
  /** Why a job cannot end: a thread that held a chunk has stopped, or all were ended. */
  findLoss(): string | undefined;
  /** Waits until a control word differs from a value, or a short time has passed. Events are handled if the time passes. */
  waitFor(control: Int32Array, word: number, value: number): Promise<void>;
  end(): void;
}

/** Spins of the last wait before the thread sleeps: chunks end close together, and waking costs tens of microseconds. */
const SPINS = 2000;
/** Longest sleep without handling events: errors of threads and Ctrl-C are events. */
export const SLEEP_MS = 20;

/** Whether this is Node (and not a bundle for the browser with a shim of process). */
export function isNode(): boolean {
  return typeof process !== 'undefined' && typeof process.versions?.node === 'string' && typeof window === 'undefined';
}

/** Imports a Node module by a name that bundlers do not follow. */
export function importNode<T>(name: string): Promise<T> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<T>;
}

/** Starts count workers; fewer, or none, if the host does not allow them. A worker that fails to start is no error: the others do its work. */
export async function makeThreads(count: number, data: WorkerData): Promise<Threads> {
  const ends: (() => void)[] = [];
  /** What stopped a thread, by thread. */
  const stopped = new Map<number, string>();
  let isEnded = false;
  if (count > 0) {
    try {
      if (isNode()) {
        const { Worker } = await importNode<typeof import('node:worker_threads')>('node:worker_threads');
        for (let thread = 1; thread <= count; thread++) {
          const worker = new Worker(WORKER_SOURCE, { eval: true, workerData: { ...data, thread } });
          worker.unref();
          worker.on('error', (error) => stopped.set(thread, error.message));
          worker.on('exit', (code) => stopped.has(thread) || stopped.set(thread, `it ended with code ${code}`));
          ends.push(() => void worker.terminate());
        }
      } else {
        const url = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: 'text/javascript' }));
        for (let thread = 1; thread <= count; thread++) {
          const worker = new Worker(url);
          worker.addEventListener('error', ({ message }) => stopped.set(thread, message));
          worker.postMessage({ ...data, thread });
          ends.push(() => worker.terminate());
        }
        URL.revokeObjectURL(url);
      }
    } catch {
      // A page's content policy may forbid workers made from text: the calling thread then does all the work.
      for (const end of ends.splice(0)) end();
    }
  }
  return {
    count: ends.length,
    findLoss: () => {
      if (isEnded) return 'it was disposed during a run';
      for (const [thread, fault] of stopped)
        if (Atomics.load(data.control, heldWordOf(thread)) !== 0) return `a thread stopped: ${fault}`;
      return undefined;
    },
    waitFor,
    end: () => {
      isEnded = true;
      for (const end of ends.splice(0)) end();
    },
  };
}

async function waitFor(control: Int32Array, word: number, value: number): Promise<void> {
  for (let n = 0; n < SPINS; n++) if (Atomics.load(control, word) !== value) return;
  if (canBlock()) {
    if (Atomics.wait(control, word, value, SLEEP_MS) === 'timed-out') await pauseForEvents();
    return;
  }
  const waitAsync = (Atomics as { waitAsync?: typeof Atomics.wait }).waitAsync as
    | ((a: Int32Array, i: number, v: number, ms: number) => { value: unknown })
    | undefined;
  if (waitAsync) await waitAsync(control, word, value, SLEEP_MS).value;
  else await pauseForEvents();
}

/** The main thread of a page must not block; workers and Node may. */
function canBlock(): boolean {
  return typeof window === 'undefined';
}
