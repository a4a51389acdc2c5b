// SPDX-License-Identifier: MIT

import type { Adjacency } from '../../core/mesh/topology/adjacency.ts';
import type { SkinFit } from '../../fit/skin/index.ts';

/** Maximum number of candidates of a vertex. */
export const MAX_CANDIDATES = 14;

/** By vertex: the bones of the vertex, in order, and then those of its neighbours, as of this call. */
export function listCandidates(fit: SkinFit, { rowStart, neighbours }: Adjacency): (i: number) => number[] {
  const { influences } = fit.weights;
  const ids = fit.weights.bones.view().slice();
  const weights = fit.weights.weights.view().slice();
  const marks = new Int32Array(fit.boneCount).fill(-1);
  return (i) => {
    const candidates: number[] = [];
    const add = (v: number): void => {
      for (let e = v * influences; e < (v + 1) * influences && candidates.length < MAX_CANDIDATES; e++) {
        if (!(weights[e] > 0) || marks[ids[e]] === i) continue;
        marks[ids[e]] = i;
        candidates.push(ids[e]);
      }
    };
    add(i);
    for (let n = rowStart[i]; n < rowStart[i + 1]; n++) add(neighbours[n]);
    return candidates;
  };
}
