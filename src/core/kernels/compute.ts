// SPDX-License-Identifier: MIT
import type { ArgumentsOf, Kernel, KernelCall, Resident } from './kernel.ts';

export type { KernelCall, Resident, ResidentArray } from './kernel.ts';

/**
 * Where hot loops run. A kernel is called once per chunk; chunks are fixed by the caller, never by the number of threads, and
 * each chunk writes to its own place, so that results are the same bytes whatever the number of threads.
 */
export interface Compute {
  /** Implementation of the kernels. */
  readonly kind: 'wasm' | 'typescript';
  /** Number of threads, this one included. */
  readonly threads: number;
  /** Allocates an array of doubles, filled with zeros. */
  float64(length: number): Resident<Float64Array>;
  /** Allocates an array of floats, filled with zeros. */
  float32(length: number): Resident<Float32Array>;
  /** Allocates an array of unsigned integers, filled with zeros. */
  uint32(length: number): Resident<Uint32Array>;
  /** Runs chunks 0 … chunkCount − 1 of a kernel and waits for all of them. Arguments are arrays and numbers, by the names of the kernel's slots. */
  run<K extends Kernel>(kernel: K, args: ArgumentsOf<K>, chunkCount: number): Promise<void>;
  /** Runs kernels one after another: each starts when all chunks of the one before it are done. Cheaper than a run for each: threads continue by themselves. */
  runAll(calls: readonly KernelCall[]): Promise<void>;
  /**
   * Runs fn with a child of this compute, and frees every array that was allocated from the child when fn ends, also when it throws. Allocate
   * arrays that must outlive fn from the compute that encloses the scope.
   */
  scope<T>(fn: (memory: Compute) => Promise<T>): Promise<T>;
  /** A compute on the same threads whose dispose() frees the arrays allocated from it, and nothing else: memory that lives as long as an object. */
  child(): Compute;
  /** Ends the threads and frees all memory; of a child, frees its arrays. */
  dispose(): void;
}

/** Options of makeCompute. */
export interface ComputeOptions {
  /** Number of threads, this one included; 0: one per core, at most 16. */
  threads?: number;
  /** 'auto' is WebAssembly with SIMD if it loads, otherwise the TypeScript reference implementation. */
  kind?: 'auto' | 'wasm' | 'typescript';
}

/** Makes a resident copy of numbers. */
export function uploadFloat64(compute: Compute, values: ArrayLike<number>): Resident<Float64Array> {
  const array = compute.float64(values.length);
  array.view().set(values);
  return array;
}

export function uploadFloat32(compute: Compute, values: ArrayLike<number>): Resident<Float32Array> {
  const array = compute.float32(values.length);
  array.view().set(values);
  return array;
}

export function uploadUint32(compute: Compute, values: ArrayLike<number>): Resident<Uint32Array> {
  const array = compute.uint32(values.length);
  array.view().set(values);
  return array;
}
