// SPDX-License-Identifier: MIT
// A thread that evaluates frames of an asset and measures them.
import { bakeAt } from '../../../src/entry/deform.ts';
import {
  type Animation,
  type Asset,
  type Clip,
  type ErrorReport,
  type MeasureOptions,
  measureError,
} from '../../../src/entry/index.ts';
import { Moved, type Port, serve } from '../messages/rpc.ts';

export interface MeasureCalls {
  /** The asset of the calls that follow. */
  take: { give: { asset: Asset; animation: Animation | undefined }; get: boolean };
  bake: { give: { times: Float64Array }; get: Float32Array };
  measure: { give: { reference: Clip; result: Clip; options: Omit<MeasureOptions, 'onFrame'> }; get: ErrorReport };
}

/** Milliseconds between two messages about progress. */
const INTERVAL = 100;

const port = self as unknown as Port;
let taken: MeasureCalls['take']['give'] | undefined;

serve<MeasureCalls>(port, {
  async take(given) {
    taken = given;
    return true;
  },
  async bake({ times }) {
    const { positions } = bakeAt(taken!.asset, taken!.animation, times);
    return new Moved(positions, [positions.buffer as ArrayBuffer]);
  },
  async measure({ reference, result, options }) {
    return measureError(reference, result, { ...options, onFrame: makeTeller() });
  },
});

function makeTeller(): (fraction: number) => void {
  let last = performance.now();
  return (fraction) => {
    if (performance.now() - last < INTERVAL) return;
    last = performance.now();
    port.postMessage({ fraction }, []);
  };
}
