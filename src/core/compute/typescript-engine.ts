// SPDX-License-Identifier: MIT

import type { Compute, Resident, ResidentArray } from '../kernels/compute.ts';
import { ChildCompute, runInScope, throwFreed } from './child-compute.ts';
import { type KernelName, REFERENCE_KERNELS, type ReferenceKernel } from './kernel-list.ts';
import { makePauseForEvents } from './pause-for-events.ts';

/** The reference and the fallback: the TypeScript implementations of all kernels, on this thread. */
export function makeTypescriptEngine(): Compute {
  const reserve = <T extends ResidentArray>(array: T): Resident<T> => {
    let isFreed = false;
    return {
      length: array.length,
      view: () => (isFreed ? throwFreed() : array),
      free: () => {
        isFreed = true;
      },
    };
  };
  const pauseForEvents = makePauseForEvents();
  const engine: Compute = {
    kind: 'typescript',
    threads: 1,
    float64: (length) => reserve(new Float64Array(length)),
    float32: (length) => reserve(new Float32Array(length)),
    uint32: (length) => reserve(new Uint32Array(length)),
    run: async (kernel: KernelName, args, chunkCount) => {
      const reference: ReferenceKernel = REFERENCE_KERNELS[kernel];
      const views = args.map((value) => (typeof value === 'number' ? value : value.view()));
      for (let chunk = 0; chunk < chunkCount; chunk++) {
        reference(views, chunk);
        const pause = pauseForEvents();
        if (pause) await pause;
      }
    },
    runAll: async (calls) => {
      for (const { kernel, args, chunkCount } of calls) await engine.run(kernel, args, chunkCount);
    },
    scope: (fn) => runInScope(engine, fn),
    child: () => new ChildCompute(engine),
    dispose: () => {},
  };
  return engine;
}
