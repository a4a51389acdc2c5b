// SPDX-License-Identifier: MIT
import { ChildCompute, runInScope, throwFreed } from './child-compute.ts';
import type { Compute, Resident, ResidentArray } from './compute.ts';
import { KERNEL_NAMES, type KernelName } from './kernel-list.ts';
import { MemoryPool } from './memory-pool.ts';
import { makeThreads, type Threads } from './threads.ts';
import {
  CONTROL_ARGS,
  CONTROL_CHUNKS,
  CONTROL_DONE,
  CONTROL_KERNEL,
  CONTROL_TICKET,
  CONTROL_WORDS,
  TICKET_BITS,
} from './worker-source.ts';

/** Address of the kernel arguments: above the module's static data, below the pool. */
const ARGS_ADDRESS = 1 << 15;
const MAX_CHUNKS = 1 << (TICKET_BITS - 1);
const MAX_PAGES = 65536;

type Kernel = (args: number, chunk: number, thread: number) => void;

/** Makes the engine from compiled modules; more than one thread needs the shared module. */
export async function makeWasmEngine(
  module: WebAssembly.Module,
  shared: boolean,
  threadCount: number,
): Promise<Compute> {
  const memory = makeMemory(shared);
  const instance = await WebAssembly.instantiate(module, { env: { memory, abort } });
  const kernels = KERNEL_NAMES.map((name) => instance.exports[name] as Kernel);
  const pool = new MemoryPool(memory);
  const control = shared ? new Int32Array(new SharedArrayBuffer(CONTROL_WORDS * 4)) : new Int32Array(CONTROL_WORDS);
  const threads = await makeThreads(shared ? threadCount - 1 : 0, { module, memory, control, names: KERNEL_NAMES });
  return new WasmEngine(kernels, pool, control, threads);
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
  #job = 0;

  constructor(kernels: Kernel[], pool: MemoryPool, control: Int32Array, threads: Threads) {
    this.#kernels = kernels;
    this.#pool = pool;
    this.#control = control;
    this.#threads = threads;
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
    if (chunkCount > MAX_CHUNKS) throw new Error(`compute: ${chunkCount} chunks are too many, at most ${MAX_CHUNKS}`);
    const index = KERNEL_NAMES.indexOf(kernel);
    const slots = new Float64Array(this.#pool.memory.buffer, ARGS_ADDRESS, args.length);
    for (let a = 0; a < args.length; a++) {
      const value = args[a];
      slots[a] = typeof value === 'number' ? value : (value as WasmArray).address;
    }
    if (this.#threads.count === 0 || chunkCount === 1) {
      for (let chunk = 0; chunk < chunkCount; chunk++) this.#kernels[index](ARGS_ADDRESS, chunk, 0);
      return;
    }
    await this.#runShared(index, chunkCount);
  }

  async #runShared(index: number, chunkCount: number): Promise<void> {
    const control = this.#control;
    this.#job = (this.#job + 1) & 0x7ff;
    const mask = (1 << TICKET_BITS) - 1;
    // A ticket past the last chunk closes the old job, so that no thread can take a chunk while the new job is written.
    Atomics.store(control, CONTROL_TICKET, (this.#job << TICKET_BITS) | mask);
    Atomics.store(control, CONTROL_DONE, 0);
    Atomics.store(control, CONTROL_KERNEL, index);
    Atomics.store(control, CONTROL_ARGS, ARGS_ADDRESS);
    Atomics.store(control, CONTROL_CHUNKS, chunkCount);
    Atomics.store(control, CONTROL_TICKET, this.#job << TICKET_BITS);
    Atomics.notify(control, CONTROL_TICKET);
    for (;;) {
      const ticket = Atomics.load(control, CONTROL_TICKET);
      const chunk = ticket & mask;
      if (chunk >= chunkCount) break;
      if (Atomics.compareExchange(control, CONTROL_TICKET, ticket, ticket + 1) !== ticket) continue;
      this.#kernels[index](ARGS_ADDRESS, chunk, 0);
      Atomics.add(control, CONTROL_DONE, 1);
    }
    for (;;) {
      const done = Atomics.load(control, CONTROL_DONE);
      if (done === chunkCount) return;
      await this.#threads.waitFor(control, CONTROL_DONE, done);
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
