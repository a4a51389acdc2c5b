// SPDX-License-Identifier: MIT

import type { Compute } from '../kernels/compute.ts';
import {
  callOf,
  type KernelCall,
  type KernelViews,
  type Resident,
  type ResidentArray,
  type Slots,
} from '../kernels/kernel.ts';
import { ChildCompute, runInScope, throwFreed } from './child-compute.ts';
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
    run: (kernel, args, chunkCount) => engine.runAll([callOf(kernel, args, chunkCount)]),
    runAll: async (calls) => {
      for (const call of calls) {
        const views = viewsOf(call);
        for (let chunk = 0; chunk < call.chunkCount; chunk++) {
          call.kernel.reference(views, chunk);
          const pause = pauseForEvents();
          if (pause) await pause;
        }
      }
    },
    scope: (fn) => runInScope(engine, fn),
    child: () => new ChildCompute(engine),
    dispose: () => {},
  };
  return engine;
}

/** Arguments of the reference implementation. */
function viewsOf({ kernel, values }: KernelCall): KernelViews<Slots> {
  return Object.fromEntries(
    kernel.slotNames.map((name, n) => {
      const value = values[n];
      const type = kernel.slots[name];
      if (typeof value === 'object') return [name, value.view()];
      if (type === 'bool') return [name, value !== 0];
      return [name, type === 'int' || type === 'float' ? value : undefined];
    }),
  );
}
