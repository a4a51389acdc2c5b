// SPDX-License-Identifier: MIT

import { listPoseTimes } from '../deform/list-pose-times.ts';
import { playPoses } from '../deform/play-poses.ts';
import { type ErrorReport, measureError } from '../metric/measure-error.ts';
import type { Asset } from '../model/asset.ts';
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import { InputError } from '../model/errors.ts';
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
export function measureCompressed(asset: Asset, input: Asset, ddm: DirectDeltaMush): MeasuredCompressed {
  if (!asset.twoLayer) throw new InputError('the written file', 'lost its virtual bones');
  const poses = listPoseTimes(input, MAX_COMPRESS_FRAMES);
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
