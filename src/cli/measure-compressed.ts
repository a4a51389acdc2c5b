// SPDX-License-Identifier: MIT
// What a written two-layer file is worth: it is read back, played, and measured against Direct Delta Mush in double.
import { bakeAt } from '../deform/bake-at.ts';
import { readAsset } from '../io/read-asset.ts';
import { type ErrorReport, measureError } from '../metric/measure-error.ts';
import type { Asset } from '../model/asset.ts';
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import { MOST_COMPRESS_FRAMES } from '../recipe/compress-by-error.ts';
import { joinClips } from '../recipe/join-clips.ts';
import { listPoseTimes } from '../recipe/mush.ts';

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
  const asset = await readAsset([{ name: 'written.glb', bytes }]);
  if (!asset.twoLayer) throw new Error('the written file came back without its virtual bones');
  const poses = listPoseTimes(input, MOST_COMPRESS_FRAMES);
  const bake = (one: Asset) =>
    joinClips(
      poses.map(({ animation, times }) =>
        bakeAt(one, animation && one.animations[input.animations.indexOf(animation)], times),
      ),
    );
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
