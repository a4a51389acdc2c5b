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
 * @param onProgress called with the fraction done
 */
export function measureCompressed(
  asset: Asset,
  input: Asset,
  ddm: DirectDeltaMush,
  onProgress: (fraction: number) => void = () => {},
): MeasuredCompressed {
  if (!asset.twoLayer) throw new InputError('the written file', 'lost its virtual bones');
  const poses = listPoseTimes(input, MAX_COMPRESS_FRAMES);
  const bake = (one: Asset) => playPoses(one, input, poses);
  const up = { up: input.up };
  const bare = { ddm: undefined, twoLayer: undefined };
  const reference = bake({ ...input, ...bare, ddm });
  /** Measures an asset, which takes progress from one fraction to another. */
  const measure = (one: Asset, from: number, to: number): ErrorReport => {
    onProgress(from);
    const result = bake(one);
    const half = (from + to) / 2;
    return measureError(reference, result, { ...up, onFrame: (ratio) => onProgress(half + (to - half) * ratio) });
  };
  return {
    error: measure(asset, 0.4, 0.7),
    plain: measure({ ...asset, ...bare }, 0.7, 0.85),
    lbs: measure({ ...input, ...bare }, 0.85, 1),
    frames: reference.times.length,
  };
}
