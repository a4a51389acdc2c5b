// SPDX-License-Identifier: MIT
import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';

/** Weights of points, influences numbers each. */
export interface PointWeights {
  ids: Uint32Array;
  weights: Float64Array;
}

/** Bones of a point, then of its neighbours, up to a maximum. */
export function listCandidateBones(
  i: number,
  { ids, weights }: PointWeights,
  influences: number,
  { rowStart, neighbours }: Pick<Adjacency, 'rowStart' | 'neighbours'>,
  maxCount: number,
): number[] {
  const found = new Set<number>();
  const add = (point: number): void => {
    for (let e = point * influences; e < (point + 1) * influences; e++)
      if (weights[e] > 0 && found.size < maxCount) found.add(ids[e]);
  };
  add(i);
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++) add(neighbours[e]);
  return [...found];
}
