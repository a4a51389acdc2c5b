// SPDX-License-Identifier: MIT

import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import { InputError } from '../../core/model/errors.ts';
import { makeDdm } from '../../deformers/direct-delta-mush/index.ts';

/** Distances between the shapes of two sets of multi-weights, file units. */
export interface DropError {
  rms: number;
  max: number;
  /** One per pose. */
  perPose: { rms: number; max: number }[];
  /** Entries per vertex of the two. */
  entriesPerVertex: number;
  entriesPerVertexBefore: number;
}

/**
 * Measures the effect of dropping entries: the same variant with all entries and with the remaining ones, over poses. All vertices have the same weight.
 * @param full the model with threshold 0, or a small one
 * @param dropped the same model with fewer entries
 * @param poses each boneCount x 16
 */
export function measureDrop(
  full: DirectDeltaMush,
  dropped: DirectDeltaMush,
  poses: readonly Float64Array[],
): DropError {
  const vertexCount = full.mesh.positions.length / 3;
  if (dropped.mesh.positions.length !== full.mesh.positions.length)
    throw new InputError(
      'measureDrop',
      `the models have ${vertexCount} and ${dropped.mesh.positions.length / 3} vertices`,
    );
  const reference = makeDdm(full, dropped.variant);
  const result = makeDdm(dropped);
  const a = new Float64Array(3 * vertexCount);
  const b = new Float64Array(3 * vertexCount);
  let total = 0;
  let max = 0;
  const perPose = poses.map((bones) => {
    reference.deformInto({ bones }, a);
    result.deformInto({ bones }, b);
    let sum = 0;
    let maxSquare = 0;
    for (let c = 0; c < a.length; c += 3) {
      const square = (a[c] - b[c]) ** 2 + (a[c + 1] - b[c + 1]) ** 2 + (a[c + 2] - b[c + 2]) ** 2;
      sum += square;
      maxSquare = Math.max(maxSquare, square);
    }
    total += sum;
    max = Math.max(max, Math.sqrt(maxSquare));
    return { rms: Math.sqrt(sum / vertexCount), max: Math.sqrt(maxSquare) };
  });
  return {
    rms: poses.length === 0 ? 0 : Math.sqrt(total / (vertexCount * poses.length)),
    max,
    perPose,
    entriesPerVertex: dropped.multiWeights.boneIndices.length / vertexCount,
    entriesPerVertexBefore: full.multiWeights.boneIndices.length / vertexCount,
  };
}
