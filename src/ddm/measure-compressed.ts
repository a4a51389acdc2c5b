// SPDX-License-Identifier: MIT

import type { BakeSide } from '../deform/clip-pair.ts';
import { listPoseTimes } from '../deform/list-pose-times.ts';
import { sameAnimation } from '../deform/play-poses.ts';
import { type ErrorReport, measureError } from '../metric/measure-error.ts';
import type { Asset } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import { InputError } from '../model/errors.ts';
import { joinClips } from '../model/join-clips.ts';
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
 * @param options bake evaluates frames, on threads where the host has them; onProgress is called with the fraction done
 */
export async function measureCompressed(
  asset: Asset,
  input: Asset,
  ddm: DirectDeltaMush,
  { bake, onProgress }: { bake: BakeSide; onProgress(fraction: number): void },
): Promise<MeasuredCompressed> {
  if (!asset.twoLayer) throw new InputError('the written file', 'lost its virtual bones');
  const poses = listPoseTimes(input, MAX_COMPRESS_FRAMES);
  /** Plays the poses; progress goes from one fraction to another. */
  const play = async (one: Asset, from: number, to: number): Promise<Clip> => {
    const clips: Clip[] = [];
    for (const [n, pose] of poses.entries()) {
      onProgress(from + ((to - from) * n) / poses.length);
      clips.push(await bake(one, sameAnimation(one, input, pose), pose.times));
    }
    return joinClips(clips);
  };
  const up = { up: input.up };
  const bare = { ddm: undefined, twoLayer: undefined };
  const reference = await play({ ...input, ...bare, ddm }, 0, 0.4);
  /** Measures an asset, which takes progress from one fraction to another. */
  const measure = async (one: Asset, from: number, to: number): Promise<ErrorReport> => {
    const half = (from + to) / 2;
    const result = await play(one, from, half);
    return measureError(reference, result, { ...up, onFrame: (ratio) => onProgress(half + (to - half) * ratio) });
  };
  return {
    error: await measure(asset, 0.4, 0.7),
    plain: await measure({ ...asset, ...bare }, 0.7, 0.85),
    lbs: await measure({ ...input, ...bare }, 0.85, 1),
    frames: reference.times.length,
  };
}
