// SPDX-License-Identifier: MIT
import { measureReduced } from '../metric/measure-reduced.ts';
import type { Asset } from '../model/asset.ts';
import { UsageError } from '../model/errors.ts';
import { maxInfluencesOf } from '../model/skin.ts';
import type { ReduceOptions, ReduceResult } from '../weights/reduce-skin.ts';
import { reduce } from './reduce.ts';

/** The smallest skin that meets an error limit, and what was tried. */
export interface ReduceByErrorResult extends ReduceResult {
  /** What was tried, with its maximum vertex error, file units. */
  tried: { influences?: number; virtualBones?: number; max: number }[];
}

/** Maximum number of solves for a number of virtual bones. */
const MAX_SOLVES = 9;
/** The search ends when the bounds of the count are within this ratio. */
const CLOSE = 1.1;
const FIRST_COUNT = 32;

/** Finds the smallest skin that meets an error. If none does, status is 'stalled' and the closest result is returned. */
export async function reduceByError(
  asset: Asset,
  maxError: number,
  options: Omit<ReduceOptions, 'influences' | 'virtualBones' | 'error'> = {},
): Promise<ReduceByErrorResult> {
  if (!(maxError > 0 && Number.isFinite(maxError)))
    throw new UsageError('reduce', `maxError must be a length above zero, got ${maxError}`);
  const tried: ReduceByErrorResult['tried'] = [];
  let best: { result: ReduceResult; max: number } | undefined;
  const attempt = async (count: { influences?: number; virtualBones?: number }): Promise<boolean> => {
    const result = await reduce(asset, { ...options, ...count });
    const made = { ...asset, linearTwoLayer: result.twoLayer, rig: { ...asset.rig!, skin: result.skin } };
    const { max } = measureReduced(asset, made, options.clip).error;
    tried.push({ ...count, max });
    // the search only makes attempts that can be better
    if (!best || max <= maxError || (best.max > maxError && max < best.max)) best = { result, max };
    return max <= maxError || result.status === 'stopped';
  };
  if (options.method === 'twolayer') {
    let [low, high] = [1, Number.POSITIVE_INFINITY];
    let count = FIRST_COUNT;
    const max = asset.mesh.positions.length / 3;
    for (let n = 0; n < MAX_SOLVES; n++) {
      if (await attempt({ virtualBones: count })) high = count;
      else low = count;
      if (best?.result.status === 'stopped' || high <= CLOSE * low || low >= max) break;
      count = Number.isFinite(high) ? Math.round(Math.sqrt(low * high)) : Math.min(max, 4 * low);
      if (count <= low || count >= high) break;
    }
  } else {
    const max = asset.rig ? maxInfluencesOf(asset.rig.skin) : 1;
    for (let influences = 1; influences <= max; influences++) if (await attempt({ influences })) break;
  }
  const { result, max } = best!;
  return { ...result, status: result.status !== 'stopped' && max > maxError ? 'stalled' : result.status, tried };
}
