// SPDX-License-Identifier: MIT

import type { Compute } from '../kernels/compute.ts';
import {
  type ArgumentsOf,
  callOf,
  type Kernel,
  type KernelCall,
  type Resident,
  type ResidentArray,
} from '../kernels/kernel.ts';
import { ChildCompute, runInScope, throwFreed } from './child-compute.ts';
import { type ClearBytes, MemoryPool } from './memory-pool.ts';
import { makePauseForEvents } from './pause-for-events.ts';
import { makeThreads, SLEEP_MS, type Threads } from './threads.ts';
import {
  CONTROL_ARGS,
  CONTROL_CALL,
  CONTROL_CALLS,
  CONTROL_CHUNKS,
  CONTROL_DONE,
  CONTROL_ERROR,
  CONTROL_KERNEL,
  CONTROL_LEFT,
  CONTROL_SIGNAL,
  CONTROL_TABLE,
  CONTROL_TEXT,
  CONTROL_WORDS,
  MAX_CALLS,
} from './worker-source.ts';

/** Address of the kernel arguments: above the module's static data, below the pool. */
const ARGS_ADDRESS = 1 << 15;
/** Bytes of the arguments of a call: 32 slots. */
const ARGS_BYTES = 256;
const MAX_PAGES = 65536;
/** Waiting time in which no chunk ends before a run fails. Chunks take milliseconds, and seconds on a machine that is overloaded. */
const MAX_SILENCE_MS = 300_000;

/** A kernel of the module. */
type Entry = (args: number, chunk: number, thread: number) => void;

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
  // threads identify a kernel by its place in this list
  const names = WebAssembly.Module.exports(module)
    .filter(({ kind }) => kind === 'function')
    .map(({ name }) => name);
  const entries = names.map((name) => instance.exports[name] as Entry);
  const pool = new MemoryPool(memory, instance.exports.clearBytes as ClearBytes | undefined);
  const control = shared ? new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4)) : new Int32Array(CONTROL_WORDS);
  const threads = await makeThreads(shared ? threadCount - 1 : 0, { module, memory, control, names });
  return new WasmEngine(names, entries, pool, control, threads, maxSilence);
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
  /** Places of the kernels in the entries. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #entries: readonly Entry[];
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

  constructor(
    names: readonly string[],
    entries: readonly Entry[],
    pool: MemoryPool,
    control: Int32Array,
    threads: Threads,
    maxSilence: number,
  ) {
    this.#places = new Map(names.map((name, place) => [name, place]));
    this.#entries = entries;
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

  run<K extends Kernel>(kernel: K, args: ArgumentsOf<K>, chunkCount: number): Promise<void> {
    return this.runAll([callOf(kernel, args, chunkCount)]);
  }

  async runAll(calls: readonly KernelCall[]): Promise<void> {
    if (this.#isBusy) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#isBusy = true;
    try {
      for (let n = 0; n < calls.length; n += MAX_CALLS) await this.#runJob(calls.slice(n, n + MAX_CALLS));
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#isBusy = false;
    }
  }

  async #runJob(calls: readonly KernelCall[]): Promise<void> {
    if (this.#loss) throw new Error(`compute: ${this.#loss}`);
    const control = this.#control;
    let count = 0;
    for (const { kernel, values, chunkCount } of calls) {
      if (chunkCount === 0) continue;
      const place = this.#places.get(kernel.name);
      if (place === undefined) throw new Error(`compute: the module has no kernel "${kernel.name}"; rebuild it`);
      const address = ARGS_ADDRESS + count * ARGS_BYTES;
      const slots = new Float64Array(this.#pool.memory.buffer, address, values.length);
      for (let n = 0; n < values.length; n++) {
        const value = values[n];
        slots[n] = typeof value === 'number' ? value : (value as WasmArray).address;
      }
      const entry = CONTROL_TABLE + 3 * count++;
      Atomics.store(control, entry, place);
      Atomics.store(control, entry + 1, address);
      Atomics.store(control, entry + 2, chunkCount);
    }
    if (this.#threads.count === 0 || (count === 1 && control[CONTROL_TABLE + 2] === 1)) await this.#runAlone(count);
    else if (count > 0) await this.#runShared(count);
  }

  async #runAlone(callCount: number): Promise<void> {
    for (let entry = CONTROL_TABLE; entry < CONTROL_TABLE + 3 * callCount; entry += 3) {
      const [index, address, chunkCount] = this.#control.subarray(entry, entry + 3);
      for (let chunk = 0; chunk < chunkCount; chunk++) {
        this.#entries[index](address, chunk, 0);
        const pause = this.#pauseForEvents();
        if (pause) await pause;
      }
    }
  }

  /** Shares the chunks with the other threads (worker-source.ts has the protocol). Ends when all chunks are done or given up, also after an error. */
  async #runShared(callCount: number): Promise<void> {
    const control = this.#control;
    Atomics.store(control, CONTROL_ERROR, 0);
    Atomics.store(control, CONTROL_CALLS, callCount);
    startCall(control, 0);
    let failure: { error: unknown } | undefined;
    for (;;) {
      const signal = Atomics.load(control, CONTROL_SIGNAL);
      const left = Atomics.load(control, CONTROL_LEFT);
      if (left === 0) {
        if (Atomics.load(control, CONTROL_CALL) === callCount) break;
        await this.#waitForSignal(signal);
        continue;
      }
      if (Atomics.compareExchange(control, CONTROL_LEFT, left, left - 1) !== left) continue;
      const chunks = Atomics.load(control, CONTROL_CHUNKS);
      let done = 1;
      try {
        this.#entries[Atomics.load(control, CONTROL_KERNEL)](Atomics.load(control, CONTROL_ARGS), chunks - left, 0);
      } catch (error) {
        failure = { error };
        Atomics.compareExchange(control, CONTROL_ERROR, 0, 1);
        done += Atomics.exchange(control, CONTROL_LEFT, 0);
      }
      finishChunk(control, done, chunks);
      const pause = this.#pauseForEvents();
      if (pause) await pause;
    }
    if (failure) throw failure.error;
    const length = Atomics.load(control, CONTROL_ERROR) - 1;
    if (length >= 0)
      throw new Error(`compute: ${String.fromCharCode(...control.subarray(CONTROL_TEXT, CONTROL_TEXT + length))}`);
  }

  /** Waits until the present call is over: its last chunks are with other threads. */
  async #waitForSignal(signal: number): Promise<void> {
    const control = this.#control;
    let silence = 0;
    while (Atomics.load(control, CONTROL_SIGNAL) === signal) {
      const done = Atomics.load(control, CONTROL_DONE);
      const start = performance.now();
      await this.#threads.waitFor(control, CONTROL_SIGNAL, signal);
      if (Atomics.load(control, CONTROL_SIGNAL) !== signal) return;
      // A computer that sleeps adds little to the silence.
      silence =
        Atomics.load(control, CONTROL_DONE) !== done ? 0 : silence + Math.min(performance.now() - start, 10 * SLEEP_MS);
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

/** Starts a call of the job. */
function startCall(control: Int32Array, call: number): void {
  const entry = CONTROL_TABLE + 3 * call;
  Atomics.store(control, CONTROL_KERNEL, Atomics.load(control, entry));
  Atomics.store(control, CONTROL_ARGS, Atomics.load(control, entry + 1));
  Atomics.store(control, CONTROL_CHUNKS, Atomics.load(control, entry + 2));
  Atomics.store(control, CONTROL_DONE, 0);
  Atomics.store(control, CONTROL_CALL, call);
  Atomics.store(control, CONTROL_LEFT, Atomics.load(control, entry + 2));
  Atomics.add(control, CONTROL_SIGNAL, 1);
  Atomics.notify(control, CONTROL_SIGNAL);
}

/** Counts chunks of the present call as done. After the last of them, starts the next call, or ends the job. */
function finishChunk(control: Int32Array, done: number, chunks: number): void {
  if (Atomics.add(control, CONTROL_DONE, done) + done !== chunks) return;
  const calls = Atomics.load(control, CONTROL_CALLS);
  const next = Atomics.load(control, CONTROL_ERROR) === 0 ? Atomics.load(control, CONTROL_CALL) + 1 : calls;
  if (next < calls) startCall(control, next);
  else {
    Atomics.store(control, CONTROL_CALL, calls);
    Atomics.add(control, CONTROL_SIGNAL, 1);
    Atomics.notify(control, CONTROL_SIGNAL);
  }
}

interface WasmArray<T extends ResidentArray = ResidentArray> extends Resident<T> {
  readonly address: number;
}
