// SPDX-License-Identifier: MIT
import type { Compute } from '../kernels/compute.ts';
import type { ArgumentsOf, Kernel, KernelCall, Resident, ResidentArray } from '../kernels/kernel.ts';

/** A compute on the threads of another that tracks its arrays. Arrays of grandchildren belong to their ancestors as well. */
export class ChildCompute implements Compute {
  readonly #parent: Compute;
  readonly #arrays = new Set<Resident>();

  constructor(parent: Compute) {
    this.#parent = parent;
  }

  get kind(): Compute['kind'] {
    return this.#parent.kind;
  }

  get threads(): number {
    return this.#parent.threads;
  }

  float64(length: number): Resident<Float64Array> {
    return this.#own(this.#parent.float64(length));
  }

  float32(length: number): Resident<Float32Array> {
    return this.#own(this.#parent.float32(length));
  }

  uint32(length: number): Resident<Uint32Array> {
    return this.#own(this.#parent.uint32(length));
  }

  #own<T extends ResidentArray>(array: Resident<T>): Resident<T> {
    const free = array.free;
    array.free = () => {
      this.#arrays.delete(array);
      free();
    };
    this.#arrays.add(array);
    return array;
  }

  run<K extends Kernel>(kernel: K, args: ArgumentsOf<K>, chunkCount: number): Promise<void> {
    return this.#parent.run(kernel, args, chunkCount);
  }

  runAll(calls: readonly KernelCall[]): Promise<void> {
    return this.#parent.runAll(calls);
  }

  scope<T>(fn: (memory: Compute) => Promise<T>): Promise<T> {
    return runInScope(this, fn);
  }

  child(): Compute {
    return new ChildCompute(this);
  }

  dispose(): void {
    for (const array of [...this.#arrays]) array.free();
  }
}

/** Compute.scope of any compute. */
export async function runInScope<T>(compute: Compute, fn: (memory: Compute) => Promise<T>): Promise<T> {
  const memory = compute.child();
  try {
    return await fn(memory);
  } finally {
    memory.dispose();
  }
}

/** The error of reading a freed array: its memory may already belong to another array. */
export function throwFreed(): never {
  throw new Error('compute: an array was used after its scope ended');
}
