// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { fitCamera, type Image, makeContactSheet, renderView } from '../../draw/index.ts';
import type { CompareResult } from '../../measure/index.ts';
import { makeErrorScenes, makeScenes } from '../view/index.ts';

const SIZE = { width: 420, height: 360 };

/** Three pictures of a skinned result at its worst frame: the reference, the weights with bones, and the error. */
export function drawPortrait(reference: Asset, result: Asset, { clips }: CompareResult): Image {
  const { max } = clips[0].error.perFrame;
  let frame = 0;
  for (let k = 1; k < max.length; k++) if (max[k] > max[frame]) frame = k;
  const [truth] = makeScenes(reference, { frame }).scenes;
  const [weights] = makeScenes(result, { frame, weights: true, bones: true }).scenes;
  const errors = makeErrorScenes(reference, result, { frame });
  const camera = fitCamera(truth.scene.positions, { ...SIZE, up: reference.up });
  return makeContactSheet(
    [
      { image: renderView(truth.scene, { ...SIZE, camera }), caption: `frame ${frame}` },
      { image: renderView(weights.scene, { ...SIZE, camera, opacity: 0.85 }), caption: 'weights and bones' },
      { image: renderView(errors.scenes[0].scene, { ...SIZE, camera }), caption: 'distance from the frame' },
    ],
    { scale: errors.scale },
  );
}
