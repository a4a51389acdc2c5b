// SPDX-License-Identifier: MIT
// The fewest virtual bones that keep every vertex within a distance of Direct Delta Mush in the animations of the asset. Errors fall about as the count to
// the power −0.7, which gives the next count to try; between a count that fails and one that meets the error, the geometric mean is next.

import { bakeAt } from '../deform/bake-at.ts';
import { listPoseTimes } from '../deform/list-pose-times.ts';
import { powerOf } from '../math/sine.ts';
import { measureError } from '../metric/measure-error.ts';
import type { Asset } from '../model/asset.ts';
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import { InputError, UsageError } from '../model/errors.ts';
import { joinClips } from '../model/join-clips.ts';
import type { TwoLayer } from '../model/two-layer.ts';
import type { CompressOptions } from './compress-options.ts';
import type { CompressResult, DdmCompressor } from './make-ddm-compressor.ts';

export interface CompressByErrorResult extends Omit<CompressResult, 'status'> {
  status: CompressResult['status'] | 'stalled';
  tried: { virtualBones: number; max: number }[];
}

const FIRST_COUNT = 32;
const POWER = 0.7;
/** Maximum number of virtual bones to try. */
const MAX_COUNT = 2048;
/** Maximum ratio of the count found to one that fails. */
const CLOSE = 1.1;
/** Minimum and maximum ratio of one count to the one before. */
const MIN_GROWTH = 1.25;
const MAX_GROWTH = 4;
/** Maximum frames to measure, over all animations. */
export const MAX_COMPRESS_FRAMES = 120;
/** Ratio of the remaining progress for each solve, since the number of solves is not known. */
const PROGRESS_PART = 0.3;

/** Finds the count and returns its model. If none meets the error, status is 'stalled' and the closest model is returned. */
export async function compressByError(
  asset: Asset,
  ddm: DirectDeltaMush,
  compressor: DdmCompressor,
  maxError: number,
  options: Pick<CompressOptions, 'influences' | 'onProgress' | 'signal'>,
): Promise<CompressByErrorResult> {
  if (!(maxError > 0 && Number.isFinite(maxError)))
    throw new UsageError('compress', `maxError must be a length above zero, got ${maxError}`);
  if (asset.animations.length === 0)
    throw new InputError(
      'compress',
      'the file has no animation to hold an error in; ask for a number of virtual bones',
    );
  const poses = listPoseTimes(asset, MAX_COMPRESS_FRAMES);
  const bake = (parts: { ddm?: DirectDeltaMush; twoLayer?: TwoLayer }) =>
    joinClips(
      poses.map(({ animation, times }) =>
        bakeAt({ ...asset, ddm: undefined, twoLayer: undefined, ...parts }, animation, times),
      ),
    );
  const reference = bake({ ddm });
  const maxCount = Math.min(MAX_COUNT, compressor.pointCount);
  const minCount = Math.min(maxCount, Math.max(1, options.influences ?? 1));
  const tried: CompressByErrorResult['tried'] = [];
  let done = 0;
  let best: { result: CompressResult; max: number; count: number } | undefined;
  const solve = async (count: number) => {
    const from = done;
    const result = await compressor.compress({
      ...options,
      virtualBones: count,
      onProgress: (info) => {
        done = from + PROGRESS_PART * (1 - from) * info.fraction;
        options.onProgress?.({ ...info, fraction: done });
      },
    });
    const { max } = measureError(reference, bake({ twoLayer: result.model }), { up: asset.up });
    tried.push({ virtualBones: count, max });
    const isMet = max <= maxError;
    const isBetter = !best || (isMet ? best.max > maxError || count < best.count : max < best.max);
    if (isBetter) best = { result, max, count };
    return { max, isMet, isStopped: result.status === 'stopped' };
  };
  let low = minCount - 1;
  let high: number | undefined;
  let count = Math.min(maxCount, Math.max(minCount, FIRST_COUNT));
  for (;;) {
    const { max, isMet, isStopped } = await solve(count);
    if (isStopped) break;
    if (isMet) high = count;
    else low = count;
    if (high === undefined) {
      if (count >= maxCount) break;
      const guess = Math.min(MAX_GROWTH, Math.max(MIN_GROWTH, powerOf(max / maxError, 1 / POWER)));
      count = Math.min(maxCount, Math.ceil(count * guess));
    } else {
      if (high - low <= 1 || high <= CLOSE * low) break;
      count = Math.max(low + 1, Math.min(high - 1, Math.round(Math.sqrt(Math.max(1, low) * high))));
    }
  }
  const { result, max } = best!;
  const status = result.status !== 'stopped' && max > maxError ? 'stalled' : result.status;
  return { ...result, status, tried };
}
