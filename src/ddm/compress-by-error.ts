// SPDX-License-Identifier: MIT
// The fewest virtual bones that keep every vertex within a distance of Direct Delta Mush, in the frames of the asset's animations. Errors fall about as
// the count to the power −0.7, so that each solve says where to look next; between a count that fails and one that holds, the gap is halved in proportion.

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
/** More virtual bones than this make no small model; the search ends there. */
const MOST_COUNT = 2048;
/** The count found is at most this much above one that fails. */
const CLOSE = 1.1;
/** A guess from afar may not go further than this at once. */
const LEAST_GROWTH = 1.25;
const MOST_GROWTH = 4;
/** Frames looked at, over all animations. */
export const MOST_COMPRESS_FRAMES = 120;
/** Every solve takes this part of what is left of the progress: nobody knows how many there will be. */
const PROGRESS_PART = 0.3;

/** Finds the count and returns its model; status 'stalled' where none holds the distance, with the model that came closest. */
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
  const poses = listPoseTimes(asset, MOST_COMPRESS_FRAMES);
  const bake = (parts: { ddm?: DirectDeltaMush; twoLayer?: TwoLayer }) =>
    joinClips(
      poses.map(({ animation, times }) =>
        bakeAt({ ...asset, ddm: undefined, twoLayer: undefined, ...parts }, animation, times),
      ),
    );
  const reference = bake({ ddm });
  const most = Math.min(MOST_COUNT, compressor.pointCount);
  const least = Math.min(most, Math.max(1, options.influences ?? 1));
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
    const holds = max <= maxError;
    const isBetter = !best || (holds ? best.max > maxError || count < best.count : max < best.max);
    if (isBetter) best = { result, max, count };
    return { max, holds, isStopped: result.status === 'stopped' };
  };
  let low = least - 1;
  let high: number | undefined;
  let count = Math.min(most, Math.max(least, FIRST_COUNT));
  for (;;) {
    const { max, holds, isStopped } = await solve(count);
    if (isStopped) break;
    if (holds) high = count;
    else low = count;
    if (high === undefined) {
      if (count >= most) break;
      const guess = Math.min(MOST_GROWTH, Math.max(LEAST_GROWTH, powerOf(max / maxError, 1 / POWER)));
      count = Math.min(most, Math.ceil(count * guess));
    } else {
      if (high - low <= 1 || high <= CLOSE * low) break;
      count = Math.max(low + 1, Math.min(high - 1, Math.round(Math.sqrt(Math.max(1, low) * high))));
    }
  }
  const { result, max } = best!;
  const status = result.status !== 'stopped' && max > maxError ? 'stalled' : result.status;
  return { ...result, status, tried };
}
