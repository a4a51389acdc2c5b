// SPDX-License-Identifier: MIT
import { addOuterSym4, SYM4_11, SYM4_SIZE, SYM4_X1, SYM4_Y1, SYM4_Z1, translateSym4 } from '../../core/math/sym4.ts';
import type { MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import type { SmoothedRows } from './bind/smooth-binding.ts';

/**
 * Ωᵢⱼ = (1 − α) Ψᵢⱼ + α w'ᵢⱼ [p pᵀ p; pᵀ 1], converted from coordinates about an origin to file coordinates. A bone may have only one of the two
 * terms. Bones are in ascending order within a row.
 * @param products Ψ, about the origin
 * @param weights w'; default: those of Ψ (kappa = lambda)
 * @param alphaOf α of a point
 */
export function blendMultiWeights(
  products: SmoothedRows,
  weights: SmoothedRows | undefined,
  alphaOf: (point: number) => number,
  origin: readonly [number, number, number],
): MultiWeights {
  const pointCount = products.rowStart.length - 1;
  const maxEntries = products.boneIndices.length + (weights?.boneIndices.length ?? 0);
  const rowStart = new Uint32Array(pointCount + 1);
  const bones = new Uint32Array(maxEntries);
  const omegas = new Float64Array(maxEntries * SYM4_SIZE);
  let n = 0;
  for (let i = 0; i < pointCount; i++) {
    const alpha = alphaOf(i);
    const s = SYM4_SIZE * i;
    const total = products.sums[s + SYM4_11];
    const px = products.sums[s + SYM4_X1] / total,
      py = products.sums[s + SYM4_Y1] / total,
      pz = products.sums[s + SYM4_Z1] / total;
    let a = products.rowStart[i];
    let b = weights ? weights.rowStart[i] : 0;
    const aEnd = products.rowStart[i + 1];
    const bEnd = weights ? weights.rowStart[i + 1] : 0;
    while (a < aEnd || b < bEnd) {
      const boneA = a < aEnd ? products.boneIndices[a] : Number.POSITIVE_INFINITY;
      const boneB = weights && b < bEnd ? weights.boneIndices[b] : Number.POSITIVE_INFINITY;
      const o = SYM4_SIZE * n;
      bones[n++] = Math.min(boneA, boneB);
      let weight = 0;
      if (boneB <= boneA && weights) weight = alpha * weights.values[b++];
      if (boneA <= boneB || !weights) {
        if (!weights) weight = alpha * products.values[SYM4_SIZE * a + SYM4_11];
        for (let c = 0; c < SYM4_SIZE; c++) omegas[o + c] = (1 - alpha) * products.values[SYM4_SIZE * a + c];
        a++;
      }
      addOuterSym4(weight, px, py, pz, omegas, o);
      translateSym4(omegas, o, origin[0], origin[1], origin[2]);
    }
    rowStart[i + 1] = n;
  }
  return { rowStart, boneIndices: bones.slice(0, n), omegas: omegas.slice(0, SYM4_SIZE * n) };
}
