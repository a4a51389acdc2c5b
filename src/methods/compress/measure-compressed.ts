// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import { InputError } from '../../core/model/errors.ts';
import { listPoseTimes, playPosesWith } from '../../deformers/playback/index.ts';
import { type ErrorReport, LOCAL_MEASURE_HOST, type MeasureRun, shareProgress } from '../../measure/index.ts';
import { MAX_COMPRESS_FRAMES } from './compress-by-error.ts';

export interface MeasuredCompressed {
  /** The file's two layers against Direct Delta Mush in double precision. */
  error: ErrorReport;
  /** The file's plain skin against Direct Delta Mush. */
  plain: ErrorReport;
  /** The input's own skin against Direct Delta Mush. */
  lbs: ErrorReport;
  frames: number;
}

/**
 * Measures a two-layer file at the poses of the animations of its input.
 * @param asset the written file
 */
export async function measureCompressed(
  asset: Asset,
  input: Asset,
  ddm: DirectDeltaMush,
  { host = LOCAL_MEASURE_HOST, onProgress }: MeasureRun,
): Promise<MeasuredCompressed> {
  if (!asset.twoLayer) throw new InputError('the written file', 'lost its virtual bones');
  const poses = listPoseTimes(input, MAX_COMPRESS_FRAMES);
  const { up } = input;
  const bare = { ddm: undefined, twoLayer: undefined };
  const [tellModel, tellLayers, tellPlain, tellOwn, ...tellErrors] = shareProgress(onProgress, [8, 3, 1, 1, 1, 1, 1]);
  const bake = (one: Asset, tell: (fraction: number) => void) => playPosesWith(host.bake, one, input, poses, tell);
  const reference = await bake({ ...input, ...bare, ddm }, tellModel);
  const layers = await bake(asset, tellLayers);
  const skinned = await bake({ ...asset, ...bare }, tellPlain);
  const own = await bake({ ...input, ...bare }, tellOwn);
  const [error, plain, lbs] = await Promise.all(
    [layers, skinned, own].map((one, n) => host.measure(reference, one, { up, onFrame: tellErrors[n] })),
  );
  return { error, plain, lbs, frames: reference.times.length };
}
