// SPDX-License-Identifier: MIT
// The fewest virtual bones that keep every vertex within a distance of Direct Delta Mush in the animations of the asset. Every number above one that failed continues from
// its virtual bones, with fewer iterations (fit/search/search-count.ts).

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import { joinClips } from '../../core/model/clip/join-clips.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import type { TwoLayer } from '../../core/model/deformed/two-layer.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { bakeAt, listPoseTimes } from '../../deformers/playback/index.ts';
import { searchCount } from '../../fit/search/index.ts';
import { measureError } from '../../measure/index.ts';
import type { CompressOptions, CompressResult, DdmCompressor } from './compressor.ts';

export interface CompressByErrorResult extends Omit<CompressResult, 'status'> {
  status: CompressResult['status'] | 'stalled';
  tried: { virtualBones: number; max: number }[];
}

const FIRST_COUNT = 32;
/** Errors fall about as the number of virtual bones to this power. */
const POWER = 0.7;
/** Iterations of a solve that continues from another, relative to those of the first. */
const TRIAL_RATIO = 0.5;
/** Maximum number of virtual bones to try. */
const MAX_COUNT = 2048;
/** Maximum ratio of the count found to one that fails. */
const CLOSE = 1.1;
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
  const { diagonal } = measureBounds(asset.mesh.positions);
  let done = 0;
  const { best, status, tried } = await searchCount<CompressResult>({
    ...{ maxError, range: [minCount, maxCount], first: FIRST_COUNT, power: POWER, close: CLOSE },
    ...{ noun: 'virtual bone', diagonal },
    solve: async (count, from, phase) => {
      const start = done;
      const result = await compressor.compress({
        ...options,
        virtualBones: count,
        ...(from ? { from: from.result.model, iterations: Math.ceil(TRIAL_RATIO * compressor.iterations) } : {}),
        onProgress: (info) => {
          done = start + PROGRESS_PART * (1 - start) * info.fraction;
          options.onProgress?.({ ...info, phase, fraction: done });
        },
      });
      const { max } = measureError(reference, bake({ twoLayer: result.model }), { up: asset.up });
      return { result, max, isStopped: result.status === 'stopped' };
    },
  });
  return {
    ...best.result,
    status: status === 'converged' ? best.result.status : status,
    tried: tried.map(({ count, max }) => ({ virtualBones: count, max })),
  };
}
