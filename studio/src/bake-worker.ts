// SPDX-License-Identifier: MIT
// A thread that evaluates frames of an asset for a comparison.
import { bakeAt } from '../../src/deform.ts';
import type { Animation, Asset } from '../../src/index.ts';
import { Moved, type Port, serve } from './rpc.ts';

export interface BakeCalls {
  /** The asset of the calls that follow. */
  take: { give: { asset: Asset; animation: Animation | undefined }; get: boolean };
  bake: { give: { times: Float64Array }; get: Float32Array };
}

let taken: { asset: Asset; animation: Animation | undefined } | undefined;

serve<BakeCalls>(self as unknown as Port, {
  async take(given) {
    taken = given;
    return true;
  },
  async bake({ times }) {
    const { positions } = bakeAt(taken!.asset, taken!.animation, times);
    return new Moved(positions, [positions.buffer as ArrayBuffer]);
  },
});
