// SPDX-License-Identifier: MIT

import type { Weld } from '../../core/mesh/topology/weld.ts';
import { makeSkin, type Skin } from '../../core/model/skin/skin.ts';

/** An array behind a view, as a Resident. */
export interface Viewed<T> {
  view(): T;
}

/** Weights of points, influences numbers each, padded with zeros. */
export interface SolvedWeights {
  influences: number;
  bones: Viewed<Uint32Array>;
  weights: Viewed<Float64Array>;
}

/**
 * The skin of a fit: every vertex gets the weights of its welded point.
 * @param boneOf by bone of the fit: its index in the skin. Default: the same.
 */
export function makeFitSkin(weld: Weld, fitWeights: SolvedWeights, boneOf?: ArrayLike<number>): Skin {
  const { influences } = fitWeights;
  const [ids, weights] = [fitWeights.bones.view(), fitWeights.weights.view()];
  const vertexCount = weld.pointOfVertex.length;
  const vertexIds = new Uint32Array(vertexCount * influences);
  const vertexWeights = new Float64Array(vertexCount * influences);
  for (let v = 0; v < vertexCount; v++) {
    const i = weld.pointOfVertex[v];
    vertexIds.set(ids.subarray(i * influences, (i + 1) * influences), v * influences);
    vertexWeights.set(weights.subarray(i * influences, (i + 1) * influences), v * influences);
  }
  return makeSkin(boneOf ? vertexIds.map((bone) => boneOf[bone]) : vertexIds, vertexWeights, influences);
}
