// SPDX-License-Identifier: MIT
import { WORKER_SOURCE } from './worker-source.ts';

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
  /** Waits until a control word differs from a value, or a short time has passed. */
  waitFor(control: Int32Array, word: number, value: number): Promise<void>;
  end(): void;
}

/** Spins of the last wait before the thread sleeps: chunks end close together, and waking costs tens of microseconds. */
const SPINS = 2000;
const SLEEP_MS = 1000;

/** Whether this is Node (and not a bundle for the browser with a shim of process). */
export function isNode(): boolean {
  return typeof process !== 'undefined' && typeof process.versions?.node === 'string' && typeof window === 'undefined';
}

/** Imports a Node module by a name that bundlers do not follow. */
export function importNode<T>(name: string): Promise<T> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<T>;
}

/** Starts count workers; fewer, or none, if the host does not allow them. */
export async function makeThreads(count: number, data: WorkerData): Promise<Threads> {
  const ends: (() => void)[] = [];
  if (count > 0) {
    try {
      if (isNode()) {
        const { Worker } = await importNode<typeof import('node:worker_threads')>('node:worker_threads');
        for (let n = 0; n < count; n++) {
          const worker = new Worker(WORKER_SOURCE, { eval: true, workerData: { ...data, thread: n + 1 } });
          worker.unref();
          ends.push(() => void worker.terminate());
        }
      } else {
        const url = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: 'text/javascript' }));
        for (let n = 0; n < count; n++) {
          const worker = new Worker(url);
          worker.postMessage({ ...data, thread: n + 1 });
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
    waitFor,
    end: () => {
      for (const end of ends.splice(0)) end();
    },
  };
}

async function waitFor(control: Int32Array, word: number, value: number): Promise<void> {
  for (let n = 0; n < SPINS; n++) if (Atomics.load(control, word) !== value) return;
  if (canBlock()) {
    Atomics.wait(control, word, value, SLEEP_MS);
    return;
  }
  const waitAsync = (Atomics as { waitAsync?: typeof Atomics.wait }).waitAsync as
    | ((a: Int32Array, i: number, v: number, ms: number) => { value: unknown })
    | undefined;
  if (waitAsync) await waitAsync(control, word, value, SLEEP_MS).value;
  else await new Promise((resolve) => setTimeout(resolve, 0));
}

/** The main thread of a page must not block; workers and Node may. */
function canBlock(): boolean {
  return typeof window === 'undefined';
}
