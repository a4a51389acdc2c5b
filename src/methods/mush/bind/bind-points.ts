// SPDX-License-Identifier: MIT

import type { Weld } from '../../../core/mesh/topology/weld.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';

/** Weights of welded points, in compressed rows like those of a skin: in descending order within a row, each row summing to one. */
export interface PointBinding {
  /** pointCount + 1 */
  rowStart: Uint32Array;
  /** entryCount bone indices */
  boneIndices: Uint32Array;
  /** entryCount */
  weights: Float64Array;
}

/**
 * The initial binding of the smoothing: each point is bound to its strongest bone ('rigid'), or keeps its weights ('smooth').
 * If the vertices of a point have different weights, as where parts of a model meet, their mean is used. Of equal weights the first is the strongest.
 * Throws if a vertex has no weights.
 */
export function bindPoints(skin: Skin, weld: Weld, boneCount: number, bind: 'rigid' | 'smooth'): PointBinding {
  const vertexCount = weld.pointOfVertex.length;
  if (skin.rowStart.length !== vertexCount + 1)
    throw new InputError(
      'direct delta mush',
      `the skin has ${skin.rowStart.length - 1} rows for ${vertexCount} vertices`,
    );
  const rows: Map<number, number>[] = Array.from({ length: weld.pointCount }, () => new Map());
  for (let i = 0; i < vertexCount; i++) {
    const row = rows[weld.pointOfVertex[i]];
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      const bone = skin.boneIndices[e];
      const weight = skin.weights[e];
      if (bone >= boneCount)
        throw new InputError(
          'direct delta mush',
          `vertex ${i} is bound to bone ${bone}, and the skeleton has ${boneCount}`,
        );
      if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY))
        throw new InputError('direct delta mush', `vertex ${i} has the weight ${weight}`);
      if (weight > 0) row.set(bone, (row.get(bone) ?? 0) + weight);
    }
  }
  const rowStart = new Uint32Array(weld.pointCount + 1);
  const bones: number[] = [];
  const weights: number[] = [];
  rows.forEach((row, p) => {
    if (row.size === 0)
      throw new InputError(
        'direct delta mush',
        `vertex ${weld.vertexOfPoint[p]} has no weight; bind the mesh to its bones first`,
      );
    // stable sort: of equal weights the first one of the skin stays first, as in other deformers
    const entries = [...row].sort((a, b) => b[1] - a[1]);
    if (bind === 'rigid') entries.length = 1;
    const sum = entries.reduce((total, [, weight]) => total + weight, 0);
    for (const [bone, weight] of entries) {
      bones.push(bone);
      weights.push(weight / sum);
    }
    rowStart[p + 1] = bones.length;
  });
  return { rowStart, boneIndices: Uint32Array.from(bones), weights: Float64Array.from(weights) };
}
