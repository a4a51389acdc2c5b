// SPDX-License-Identifier: MIT
// Every kernel against its TypeScript twin, on one thread and on all of them.

import { makeCompute } from '../../src/core/compute/make-compute.ts';
import type { Compute } from '../../src/core/kernels/compute.ts';
import type { BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { TIME_VARIANTS_DEFAULTS, type Timing, timeVariants, type Variant } from '../shared/time-variants.ts';
import { type KernelCase, makeKernelCases } from './kernel-cases.ts';
import { KERNEL_SIZES, type KernelSizes, makeKernelProblem } from './kernel-problem.ts';

export interface BenchKernelsOptions {
  sizes?: KernelSizes;
  /** Threads of the third variant; 0 takes one per core. With one, there is no third variant. */
  threads?: number;
  seed?: number;
  /** Milliseconds per kernel, for all its variants. */
  budget?: number;
  signal?: AbortSignal;
  onProgress?(info: { phase: string; fraction: number }): void;
}

export const BENCH_KERNELS_DEFAULTS = {
  sizes: KERNEL_SIZES,
  threads: 0,
  seed: 0,
  budget: TIME_VARIANTS_DEFAULTS.budget,
} as const satisfies BenchKernelsOptions;

export const kernelsSuite: BenchSuite = {
  name: 'kernels',
  description: describeSizes(KERNEL_SIZES),
  run: ({ threads, seed, signal, onProgress }) => benchKernels({ threads, seed, signal, onProgress }),
};

/** Times each kernel in turns on the twins, on one thread and on several; the ratios are of the least times of one run. */
export async function benchKernels(options: BenchKernelsOptions = {}): Promise<BenchRow[]> {
  const { sizes, threads, seed, budget } = {
    sizes: options.sizes ?? BENCH_KERNELS_DEFAULTS.sizes,
    threads: options.threads ?? BENCH_KERNELS_DEFAULTS.threads,
    seed: options.seed ?? BENCH_KERNELS_DEFAULTS.seed,
    budget: options.budget ?? BENCH_KERNELS_DEFAULTS.budget,
  };
  const problem = makeKernelProblem(sizes, seed);
  const engines: Record<string, Compute> = {
    twin: await makeCompute({ kind: 'typescript' }),
    oneThread: await makeCompute({ kind: 'wasm', threads: 1 }),
  };
  const wide = await makeCompute({ kind: 'wasm', threads });
  if (wide.threads > 1) engines.allThreads = wide;
  try {
    const cases: Record<string, KernelCase[]> = {};
    for (const [name, compute] of Object.entries(engines)) cases[name] = await makeKernelCases(compute, problem);
    const rows: BenchRow[] = [];
    for (const [n, { name, vertexCount }] of cases.twin.entries()) {
      options.signal?.throwIfAborted();
      options.onProgress?.({ phase: name, fraction: n / cases.twin.length });
      const variants = Object.fromEntries(Object.entries(cases).map(([engine, list]) => [engine, list[n] as Variant]));
      const timings = await timeVariants(variants, { budget });
      const perVertex: Record<string, number> = vertexCount
        ? { nsPerVertex: (1e6 * timings.oneThread.least) / vertexCount }
        : {};
      const figures = { threads: wide.threads, ...ratiosOf(timings), ...perVertex, difference: differenceOf(cases, n) };
      rows.push({ case: name, timings, figures });
    }
    return rows;
  } finally {
    wide.dispose();
    for (const compute of Object.values(engines)) compute.dispose();
  }
}

function ratiosOf(timings: Record<string, Timing>): Record<string, number> {
  const { twin, oneThread, allThreads } = timings;
  return {
    ratioOneThread: twin.least / oneThread.least,
    ...(allThreads ? { ratioAllThreads: twin.least / allThreads.least } : {}),
  };
}

/** The largest difference of any result from the twin's, as a share of the largest of the twin's. */
function differenceOf(cases: Record<string, KernelCase[]>, n: number): number {
  const expected = cases.twin[n].read();
  let size = 0;
  let difference = 0;
  for (const value of expected) size = Math.max(size, Math.abs(value));
  for (const list of Object.values(cases)) {
    const found = list[n].read();
    for (let e = 0; e < found.length; e++) difference = Math.max(difference, Math.abs(found[e] - expected[e]));
  }
  return size > 0 ? difference / size : difference;
}

function describeSizes(sizes: KernelSizes): string {
  const { matrices, blendVertices, blendBones, influences, vertices, frames, bones } = sizes;
  return (
    `each kernel against its TypeScript twin, on ${matrices} matrices; blends of ${blendVertices} vertices with ${influences} of ` +
    `${blendBones} bones; fits of ${vertices} vertices, ${frames} frames, ${bones} bones, ${influences} influences`
  );
}
