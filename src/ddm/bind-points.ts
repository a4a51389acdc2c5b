// SPDX-License-Identifier: MIT

import type { Weld } from '../mesh/weld.ts';
import { InputError } from '../model/errors.ts';
import type { Skin } from '../model/skin.ts';

/** Weights of welded points, compressed rows like a skin's: falling within a row, each row summing to one. */
export interface PointBinding {
  /** pointCount + 1 */
  rowStart: Uint32Array;
  /** entryCount bone indices */
  boneIndices: Uint32Array;
  /** entryCount */
  weights: Float64Array;
}

/**
 * The binding that smoothing starts from: each point wholly to its strongest bone ('rigid'), or the weights as they are ('smooth').
 * Vertices of one point that disagree, as where pieces of a model meet, are averaged. Of equal weights the first counts as the strongest.
 * Throws if there is nothing to bind to.
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
    // stable: of equal weights the one that the skin names first, as other deformers take it
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
