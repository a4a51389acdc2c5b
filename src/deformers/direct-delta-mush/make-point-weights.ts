// SPDX-License-Identifier: MIT
import { SYM4_SIZE } from '../../core/math/sym4.ts';
import type { MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import { type Skin, sliceSkin } from '../../core/model/skin/skin.ts';
import type { DecodeBudget } from '../layout/index.ts';

/**
 * The plain weights of a part as multi-weights: the patch of every vertex is the vertex itself.
 * @param positions vertexCount x 3, of the whole mesh
 */
export function makePointWeights(
  skin: Skin,
  positions: Float32Array,
  { vertexStart, vertexCount }: { vertexStart: number; vertexCount: number },
  budget: DecodeBudget,
): MultiWeights {
  budget((skin.rowStart[vertexStart + vertexCount] - skin.rowStart[vertexStart]) * 84);
  const { rowStart, boneIndices, weights } = sliceSkin(skin, vertexStart, vertexCount);
  const omegas = new Float64Array(boneIndices.length * SYM4_SIZE);
  for (let i = 0; i < vertexCount; i++) {
    const [x, y, z] = positions.subarray(3 * (vertexStart + i), 3 * (vertexStart + i) + 3);
    const products = [x * x, x * y, x * z, x, y * y, y * z, y, z * z, z, 1];
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
      for (let c = 0; c < SYM4_SIZE; c++) omegas[SYM4_SIZE * e + c] = weights[e] * products[c];
  }
  return { rowStart, boneIndices, omegas };
}
