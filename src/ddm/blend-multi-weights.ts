// SPDX-License-Identifier: MIT
import { type MultiWeights, shiftOmega } from '../model/direct-delta-mush.ts';
import type { SmoothedRows } from './smooth-binding.ts';

/**
 * Ωᵢⱼ = (1 − α) Ψᵢⱼ + α w'ᵢⱼ [p pᵀ p; pᵀ 1], moved from coordinates about an origin to those of the file. A bone that has only one of the two
 * gets that one. Bones rise within a row.
 * @param products Ψ, about the origin
 * @param weights w'; where absent, those of Ψ (kappa = lambda)
 * @param alphaOf α of a point
 */
export function blendMultiWeights(
  products: SmoothedRows,
  weights: SmoothedRows | undefined,
  alphaOf: (point: number) => number,
  origin: readonly [number, number, number],
): MultiWeights {
  const pointCount = products.rowStart.length - 1;
  const most = products.boneIndices.length + (weights?.boneIndices.length ?? 0);
  const rowStart = new Uint32Array(pointCount + 1);
  const bones = new Uint32Array(most);
  const omegas = new Float64Array(most * 10);
  let n = 0;
  for (let i = 0; i < pointCount; i++) {
    const alpha = alphaOf(i);
    const s = 10 * i;
    const total = products.sums[s + 9];
    const px = products.sums[s + 3] / total,
      py = products.sums[s + 6] / total,
      pz = products.sums[s + 8] / total;
    let a = products.rowStart[i];
    let b = weights ? weights.rowStart[i] : 0;
    const aEnd = products.rowStart[i + 1];
    const bEnd = weights ? weights.rowStart[i + 1] : 0;
    while (a < aEnd || b < bEnd) {
      const boneA = a < aEnd ? products.boneIndices[a] : Number.POSITIVE_INFINITY;
      const boneB = weights && b < bEnd ? weights.boneIndices[b] : Number.POSITIVE_INFINITY;
      const o = 10 * n;
      bones[n++] = Math.min(boneA, boneB);
      let weight = 0;
      if (boneB <= boneA && weights) weight = alpha * weights.values[b++];
      if (boneA <= boneB || !weights) {
        if (!weights) weight = alpha * products.values[10 * a + 9];
        for (let c = 0; c < 10; c++) omegas[o + c] = (1 - alpha) * products.values[10 * a + c];
        a++;
      }
      omegas[o] += weight * px * px;
      omegas[o + 1] += weight * px * py;
      omegas[o + 2] += weight * px * pz;
      omegas[o + 3] += weight * px;
      omegas[o + 4] += weight * py * py;
      omegas[o + 5] += weight * py * pz;
      omegas[o + 6] += weight * py;
      omegas[o + 7] += weight * pz * pz;
      omegas[o + 8] += weight * pz;
      omegas[o + 9] += weight;
      shiftOmega(omegas, o, origin[0], origin[1], origin[2]);
    }
    rowStart[i + 1] = n;
  }
  return { rowStart, boneIndices: bones.slice(0, n), omegas: omegas.slice(0, 10 * n) };
}
