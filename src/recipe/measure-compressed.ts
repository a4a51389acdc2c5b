// SPDX-License-Identifier: MIT
// What a written two-layer file is worth: it is read back, played, and measured against Direct Delta Mush in double.
import { readAsset } from '../io/read-asset.ts';
import { type ErrorReport, measureError } from '../metric/measure-error.ts';
import type { Asset } from '../model/asset.ts';
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import { InputError } from '../model/errors.ts';
import { MOST_COMPRESS_FRAMES } from './compress-by-error.ts';
import { listPoseTimes } from './mush.ts';
import { playPoses } from './play-poses.ts';

export interface MeasuredCompressed {
  /** The file's two layers against Direct Delta Mush. */
  error: ErrorReport;
  /** The file's plain skin against Direct Delta Mush. */
  plain: ErrorReport;
  /** The input's own skin against Direct Delta Mush. */
  lbs: ErrorReport;
  frames: number;
}

export async function measureCompressed(
  bytes: Uint8Array,
  input: Asset,
  ddm: DirectDeltaMush,
): Promise<MeasuredCompressed> {
  const asset = await readAsset([{ name: 'the written file', bytes }]);
  if (!asset.twoLayer) throw new InputError('the written file', 'lost its virtual bones');
  const poses = listPoseTimes(input, MOST_COMPRESS_FRAMES);
  const bake = (one: Asset) => playPoses(one, input, poses);
  const up = { up: input.up };
  const bare = { ddm: undefined, twoLayer: undefined };
  const reference = bake({ ...input, ...bare, ddm });
  return {
    error: measureError(reference, bake(asset), up),
    plain: measureError(reference, bake({ ...asset, ...bare }), up),
    lbs: measureError(reference, bake({ ...input, ...bare }), up),
    frames: reference.times.length,
  };
}
