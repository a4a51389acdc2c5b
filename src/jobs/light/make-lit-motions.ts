// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { makeAssetDeformer, sampleAnimation } from '../../deformers/playback/index.ts';
import type { LitMotion } from '../../methods/light/index.ts';

/**
 * Makes the frames of the animations of an asset, as players deform them.
 * @param times seconds of the frames of each animation
 */
export function makeLitMotions(asset: Asset, times: readonly Float64Array[]): LitMotion[] {
  const deformer = makeAssetDeformer(asset);
  return asset.animations.map((one, n) => ({
    name: one.name,
    times: times[n],
    frameInto(k, positions, normals) {
      const { motion, morphWeights, corrections } = sampleAnimation(asset, one, [times[n][k]]);
      deformer.deformInto({ bones: motion.matrices, morphs: morphWeights, corrections }, positions, normals);
    },
  }));
}
