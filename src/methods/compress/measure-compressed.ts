// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import { InputError } from '../../core/model/errors.ts';
import { listPoseTimes, type PoseTimes, playPosesWith } from '../../deformers/playback/index.ts';
import { type ErrorReport, LOCAL_MEASURE_HOST, type MeasureRun, shareProgress } from '../../measure/index.ts';
import { MAX_COMPRESS_FRAMES } from './compress-by-error.ts';

export interface MeasuredCompressed {
  /** The file's two layers against Direct Delta Mush in double precision. */
  error: ErrorReport;
  /** The same halfway between frames; absent where there is one pose. */
  between?: ErrorReport;
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
  const [tellModel, tellLayers, tellPlain, tellOwn, tellBetween, ...tellErrors] = shareProgress(
    onProgress,
    [8, 3, 1, 1, 11, 1, 1, 1],
  );
  const bake = (one: Asset, tell: (fraction: number) => void, at: readonly PoseTimes[] = poses) =>
    playPosesWith(host.bake, one, input, at, tell);
  const reference = await bake({ ...input, ...bare, ddm }, tellModel);
  const layers = await bake(asset, tellLayers);
  const skinned = await bake({ ...asset, ...bare }, tellPlain);
  const own = await bake({ ...input, ...bare }, tellOwn);
  const [error, plain, lbs] = await Promise.all(
    [layers, skinned, own].map((one, n) => host.measure(reference, one, { up, onFrame: tellErrors[n] })),
  );
  const halves = poses.filter(({ times }) => times.length > 1).map(halveTimes);
  if (halves.length === 0) return { error, plain, lbs, frames: reference.times.length };
  const [truth, found] = await Promise.all([
    bake({ ...input, ...bare, ddm }, tellBetween, halves),
    bake(asset, () => {}, halves),
  ]);
  const between = await host.measure(truth, found, { up });
  return { error, between, plain, lbs, frames: reference.times.length };
}

/** The times halfway between the frames of an animation. */
const halveTimes = ({ animation, times }: PoseTimes): PoseTimes => ({
  animation,
  times: Float64Array.from({ length: times.length - 1 }, (_, k) => (times[k] + times[k + 1]) / 2),
});
