// SPDX-License-Identifier: MIT

import { makeCompute } from '../../core/compute/make-compute.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import { UsageError } from '../../core/model/errors.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import type { ProgressInfo } from '../../core/progress/solve-monitor.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import { poseAsset } from '../../fit/poses/index.ts';
import { searchCount } from '../../fit/search/index.ts';
import { measureFor } from '../../measure/index.ts';
import type { ReduceOptions, ReduceResult } from '../../methods/reduce/index.ts';
import { makeAssetReducer } from './reduce.ts';

/** The smallest skin that meets an error limit, and what was tried. */
export interface ReduceByErrorResult extends ReduceResult {
  /** What was tried, with its maximum vertex error at frames and between them, file units. */
  tried: { influences?: number; virtualBones?: number; max: number }[];
}

/** The search for a number of virtual bones: its first number, the power of the number by which errors fall, and the ratio of the bracket at which it ends. */
const VIRTUAL = { first: 32, power: 1, close: 1.1 };
/** The same for influences; every number in the bracket is tried. The power was chosen by hand. */
const INFLUENCES = { first: 4, power: 2, close: 1 };
/** Ratio of the remaining progress for each solve, since the number of solves is not known. */
const PROGRESS_PART = 0.3;

/**
 * Finds the smallest skin that meets an error. The error of weights in the poses is computed once, and two layers grow from one number of virtual bones to the next. If none does, status is 'stalled' and the closest result is returned.
 * @example
 * ```ts
 * import { maxInfluencesOf, measureBounds, reduceByError } from 'ossify';
 *
 * const { diagonal } = measureBounds(asset.mesh.positions);
 * const { skin, status } = await reduceByError(asset, 0.001 * diagonal);
 * if (status !== 'stalled') console.log(`${maxInfluencesOf(skin)} influences are enough`);
 * ```
 */
export async function reduceByError(
  asset: Asset,
  maxError: number,
  options: Omit<ReduceOptions, 'influences' | 'virtualBones' | 'error'> = {},
): Promise<ReduceByErrorResult> {
  if (!(maxError > 0 && Number.isFinite(maxError)))
    throw new UsageError('reduce', `maxError must be a length above zero, got ${maxError}`);
  const isTwo = options.method === 'twolayer';
  const largest = isTwo ? asset.mesh.positions.length / 3 : asset.rig ? maxInfluencesOf(asset.rig.skin) : 1;
  const first = { ...(isTwo ? { virtualBones: 2 } : { influences: 1 }) };
  const compute = options.compute ?? (await makeCompute({ threads: options.threads }));
  const reducer = await makeAssetReducer(asset, { ...options, ...first, compute });
  const { asset: moving } = poseAsset(asset, { ...options, poses: options.poses === 'none' ? 'auto' : options.poses });
  const references = options.clip ? [{ clip: options.clip }] : listReferences(moving);
  let done = 0;
  try {
    const { best, status, tried } = await searchCount<ReduceResult>({
      ...{ maxError, range: isTwo ? [2, largest] : [1, largest], ...(isTwo ? VIRTUAL : INFLUENCES) },
      noun: isTwo ? 'virtual bone' : 'influence',
      diagonal: measureBounds(asset.mesh.positions).diagonal,
      solve: async (count, from, phase) => {
        const start = done;
        const onProgress = (info: ProgressInfo) => {
          done = start + PROGRESS_PART * (1 - start) * info.fraction;
          options.onProgress?.({ ...info, phase, fraction: done });
        };
        const counted = isTwo ? { virtualBones: count, from: from?.result } : { influences: count };
        const result = await reducer.reduce({ ...counted, onProgress });
        const made = { ...moving, linearTwoLayer: result.twoLayer, rig: { ...asset.rig!, skin: result.skin } };
        const { error, between } = await measureFor(made, references, { player: 'runtime', up: asset.up, compute });
        return { result, max: Math.max(error.max, between.max), isStopped: result.status === 'stopped' };
      },
    });
    return {
      ...best.result,
      status: status === 'converged' ? best.result.status : status,
      tried: tried.map(({ count, max }) => ({ ...(isTwo ? { virtualBones: count } : { influences: count }), max })),
    };
  } finally {
    reducer.dispose();
    if (!options.compute) compute.dispose();
  }
}
