// SPDX-License-Identifier: MIT

import type { Clip } from '../../core/model/clip/clip.ts';
import { type BakeSide, bakeAt } from '../../deformers/playback/index.ts';
import { type ErrorReport, type MeasureOptions, measureError } from './measure-error.ts';

/** Evaluates and measures frames, on one thread or on several. All hosts give the same numbers. */
export interface MeasureHost {
  /** Frames of an asset at given times, as bakeAt does. */
  bake: BakeSide;
  /** The errors of a clip, as measureError does. */
  measure(reference: Clip, result: Clip, options?: MeasureOptions): Promise<ErrorReport>;
}

/** Measures on the thread of the caller. */
export const LOCAL_MEASURE_HOST: MeasureHost = {
  bake: async (asset, animation, times) => bakeAt(asset, animation, times),
  measure: async (reference, result, options) => measureError(reference, result, options),
};

/** How a measurement runs. */
export interface MeasureRun {
  /** Default: the thread of the caller. */
  host?: MeasureHost;
  /** Called with the fraction done. */
  onProgress?: (fraction: number) => void;
}

/** One fraction for several tasks that run at the same time: the callback of each task, by its weight. */
export function shareProgress(
  tell: ((fraction: number) => void) | undefined,
  weights: readonly number[],
): ((fraction: number) => void)[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const done = weights.map(() => 0);
  return weights.map((weight, n) => (fraction) => {
    done[n] = (weight * fraction) / total;
    tell?.(done.reduce((sum, one) => sum + one, 0));
  });
}
