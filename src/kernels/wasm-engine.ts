// SPDX-License-Identifier: MIT
import { ChildCompute, runInScope, throwFreed } from './child-compute.ts';
import type { Compute, Resident, ResidentArray } from './compute.ts';
import { KERNEL_NAMES, type KernelName } from './kernel-list.ts';
import { MemoryPool } from './memory-pool.ts';
import { makePauseForEvents } from './pause-for-events.ts';
import { makeThreads, SLEEP_MS, type Threads } from './threads.ts';
import {
  CONTROL_ARGS,
  CONTROL_CHUNKS,
  CONTROL_DONE,
  CONTROL_ERROR,
  CONTROL_KERNEL,
  CONTROL_LEFT,
  CONTROL_TEXT,
  CONTROL_WORDS,
} from './worker-source.ts';

/** Address of the kernel arguments: above the module's static data, below the pool. */
const ARGS_ADDRESS = 1 << 15;
const MAX_PAGES = 65536;
/** Waiting time in which no chunk ends before a run fails. Chunks take milliseconds, and seconds on a machine that is overloaded. */
const MAX_SILENCE_MS = 300_000;

type Kernel = (args: number, chunk: number, thread: number) => void;

/**
 * Makes the engine from compiled modules; more than one thread needs the shared module.
 * @param maxSilence milliseconds without progress of the other threads after which a run fails
 */
export async function makeWasmEngine(
  module: WebAssembly.Module,
  shared: boolean,
  threadCount: number,
  maxSilence = MAX_SILENCE_MS,
): Promise<Compute> {
  const memory = makeMemory(shared);
  const instance = await WebAssembly.instantiate(module, { env: { memory, abort } });
  const kernels = KERNEL_NAMES.map((name) => instance.exports[name] as Kernel);
  const pool = new MemoryPool(memory);
  const control = shared ? new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4)) : new Int32Array(CONTROL_WORDS);
  const threads = await makeThreads(shared ? threadCount - 1 : 0, { module, memory, control, names: KERNEL_NAMES });
  return new WasmEngine(kernels, pool, control, threads, maxSilence);
}

function abort(): never {
  throw new Error('compute: a kernel stopped unexpectedly');
}

/** The largest memory maximum that the host grants: some hosts reserve address space for it at once. */
function makeMemory(shared: boolean): WebAssembly.Memory {
  for (let maximum = MAX_PAGES; ; maximum /= 2) {
    try {
      return new WebAssembly.Memory({ initial: 2, maximum, shared });
    } catch (error) {
      if (maximum < 1024) throw error;
    }
  }
}

class WasmEngine implements Compute {
  readonly kind = 'wasm';
  readonly #kernels: Kernel[];
  readonly #pool: MemoryPool;
  readonly #control: Int32Array;
  readonly #threads: Threads;
  readonly #maxSilence: number;
  readonly #pauseForEvents = makePauseForEvents();
  /** Runs that wait for the present one: they share the control block and the place of the arguments. */
  readonly #queue: (() => void)[] = [];
  #isBusy = false;
  /** Why no further run is possible. */
  #loss?: string;

  constructor(kernels: Kernel[], pool: MemoryPool, control: Int32Array, threads: Threads, maxSilence: number) {
    this.#kernels = kernels;
    this.#pool = pool;
    this.#control = control;
    this.#threads = threads;
    this.#maxSilence = maxSilence;
  }

  get threads(): number {
    return this.#threads.count + 1;
  }

  float64(length: number): Resident<Float64Array> {
    return this.#reserve(length, 8, (buffer, address) => new Float64Array(buffer, address, length));
  }

  float32(length: number): Resident<Float32Array> {
    return this.#reserve(length, 4, (buffer, address) => new Float32Array(buffer, address, length));
  }

  uint32(length: number): Resident<Uint32Array> {
    return this.#reserve(length, 4, (buffer, address) => new Uint32Array(buffer, address, length));
  }

  #reserve<T extends ResidentArray>(
    length: number,
    size: number,
    makeView: (buffer: ArrayBuffer, address: number) => T,
  ): Resident<T> {
    const pool = this.#pool;
    const address = pool.allocate(length * size);
    let isFreed = false;
    const array: WasmArray<T> = {
      length,
      address,
      view: () => (isFreed ? throwFreed() : makeView(pool.memory.buffer, address)),
      free: () => {
        if (isFreed) throwFreed();
        isFreed = true;
        pool.release(address, length * size);
      },
    };
    return array;
  }

  async run(kernel: KernelName, args: readonly (Resident | number)[], chunkCount: number): Promise<void> {
    if (this.#isBusy) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#isBusy = true;
    try {
      if (this.#loss) throw new Error(`compute: ${this.#loss}`);
      const index = KERNEL_NAMES.indexOf(kernel);
      const slots = new Float64Array(this.#pool.memory.buffer, ARGS_ADDRESS, args.length);
      for (let a = 0; a < args.length; a++) {
        const value = args[a];
        slots[a] = typeof value === 'number' ? value : (value as WasmArray).address;
      }
      if (this.#threads.count === 0 || chunkCount === 1) await this.#runAlone(index, chunkCount);
      else await this.#runShared(index, chunkCount);
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#isBusy = false;
    }
  }

  async #runAlone(index: number, chunkCount: number): Promise<void> {
    for (let chunk = 0; chunk < chunkCount; chunk++) {
      this.#kernels[index](ARGS_ADDRESS, chunk, 0);
      const pause = this.#pauseForEvents();
      if (pause) await pause;
    }
  }

  /** Shares the chunks with the other threads (worker-source.ts has the protocol). Ends when all chunks are done or given up, also after an error. */
  async #runShared(index: number, chunkCount: number): Promise<void> {
    const control = this.#control;
    Atomics.store(control, CONTROL_DONE, 0);
    Atomics.store(control, CONTROL_ERROR, 0);
    Atomics.store(control, CONTROL_KERNEL, index);
    Atomics.store(control, CONTROL_ARGS, ARGS_ADDRESS);
    Atomics.store(control, CONTROL_CHUNKS, chunkCount);
    Atomics.store(control, CONTROL_LEFT, chunkCount);
    Atomics.notify(control, CONTROL_LEFT);
    let failure: { error: unknown } | undefined;
    for (;;) {
      const left = Atomics.load(control, CONTROL_LEFT);
      if (left === 0) break;
      if (Atomics.compareExchange(control, CONTROL_LEFT, left, left - 1) !== left) continue;
      let done = 1;
      try {
        this.#kernels[index](ARGS_ADDRESS, chunkCount - left, 0);
      } catch (error) {
        failure = { error };
        done += Atomics.exchange(control, CONTROL_LEFT, 0);
      }
      Atomics.add(control, CONTROL_DONE, done);
      const pause = this.#pauseForEvents();
      if (pause) await pause;
    }
    await this.#waitForThreads(chunkCount);
    if (failure) throw failure.error;
    const length = Atomics.load(control, CONTROL_ERROR) - 1;
    if (length >= 0)
      throw new Error(`compute: ${String.fromCharCode(...control.subarray(CONTROL_TEXT, CONTROL_TEXT + length))}`);
  }

  async #waitForThreads(chunkCount: number): Promise<void> {
    const control = this.#control;
    let silence = 0;
    for (;;) {
      const done = Atomics.load(control, CONTROL_DONE);
      if (done === chunkCount) return;
      const start = performance.now();
      await this.#threads.waitFor(control, CONTROL_DONE, done);
      if (Atomics.load(control, CONTROL_DONE) !== done) {
        silence = 0;
        continue;
      }
      // A computer that sleeps adds little to the silence.
      silence += Math.min(performance.now() - start, 10 * SLEEP_MS);
      const loss = this.#threads.findLoss();
      if (!loss && silence < this.#maxSilence) continue;
      this.#loss = loss ?? `a thread has not finished its work in ${Math.round(silence / 1000)} s; use one thread`;
      this.#threads.end();
      throw new Error(`compute: ${this.#loss}`);
    }
  }

  scope<T>(fn: (memory: Compute) => Promise<T>): Promise<T> {
    return runInScope(this, fn);
  }

  child(): Compute {
    return new ChildCompute(this);
  }

  dispose(): void {
    this.#threads.end();
  }
}

interface WasmArray<T extends ResidentArray = ResidentArray> extends Resident<T> {
  readonly address: number;
}
