// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import { bakeAt } from './bake/bake-at.ts';
import type { PlayedClip } from './clip-source.ts';
import { listPoseTimes } from './times/list-pose-times.ts';

/** Maximum frames of all references together. */
const MAX_FRAMES = 300;

/**
 * Lists what an asset shows, as references for a result: its clips, or frames of its animations with the animations themselves for the times between. An asset that
 * does not move gives its only pose.
 * @param maxFrames of all animations together; between the frames, references are exact
 */
export function listReferences(asset: Asset, maxFrames = MAX_FRAMES): PlayedClip[] {
  if (asset.clips.length > 0) return asset.clips.map((clip) => ({ clip }));
  return listPoseTimes(asset, maxFrames).map(({ animation, times }) => ({
    clip: bakeAt(asset, animation, times),
    source: { asset, animation, shift: 0 },
  }));
}
