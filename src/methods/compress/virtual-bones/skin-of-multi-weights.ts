// SPDX-License-Identifier: MIT

import { SYM4_11, SYM4_SIZE } from '../../../core/math/sym4.ts';
import type { MultiWeights } from '../../../core/model/deformed/direct-delta-mush.ts';
import { UsageError } from '../../../core/model/errors.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';

/**
 * The plain skin of multi-weights: their 44 elements, which are smoothed weights; linear blend skinning with them is variant 5. With a limit, the
 * largest weights are kept and scaled to sum to one.
 * @param influences maximum number of weights per vertex; 0 keeps all
 * @example
 * ```ts
 * import { skinOfMultiWeights, writeGlb } from 'ossify';
 *
 * const fallback = skinOfMultiWeights(ddm.multiWeights, 4);
 * const glb = await writeGlb(asset, { kind: 'delta-mush', model: ddm, skin: fallback });
 * ```
 */
export function skinOfMultiWeights(multiWeights: MultiWeights, influences = 0): Skin {
  if (!(Number.isInteger(influences) && influences >= 0))
    throw new UsageError('skin of multi-weights', `influences must be a whole number, got ${influences}`);
  const vertexCount = multiWeights.rowStart.length - 1;
  const rowStart = new Uint32Array(vertexCount + 1);
  const boneIndices: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < vertexCount; i++) {
    const start = multiWeights.rowStart[i];
    const count = multiWeights.rowStart[i + 1] - start;
    const kept = influences > 0 ? Math.min(count, influences) : count;
    let sum = 0;
    // rows are in descending order, so the largest come first
    for (let e = start; e < start + kept; e++) sum += Math.max(0, multiWeights.omegas[SYM4_SIZE * e + SYM4_11]);
    for (let e = start; e < start + kept; e++) {
      boneIndices.push(multiWeights.boneIndices[e]);
      weights.push(Math.max(0, multiWeights.omegas[SYM4_SIZE * e + SYM4_11]) / sum);
    }
    rowStart[i + 1] = boneIndices.length;
  }
  return { rowStart, boneIndices: Uint32Array.from(boneIndices), weights: Float32Array.from(weights) };
}
