// SPDX-License-Identifier: MIT

import {
  addSecondSym4,
  centroidSym4Into,
  SYM4_11,
  SYM4_SIZE,
  SYM4_XX,
  SYM4_YY,
  SYM4_ZZ,
  translateSym4,
} from '../../core/math/sym4.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';

/**
 * Thickening of patches, relative to their own spread and to the model's size squared. In some directions the moments of a flat or point-like patch are only
 * rounding error (1e-16 of the size squared), and a rotation from them would be arbitrary. 1e-13 is above that error; relative to a patch of a thousandth of the
 * model's size it is 1e-7.
 */
const OWN_THICKNESS = 1e-12;
const SIZE_THICKNESS = 1e-13;

/**
 * Multi-weights about each vertex's center of rotation p (Le et al. 2021, DDM compression, §5): Ω* = T(−p) Ω T(−p)ᵀ = [A b; bᵀ ω]. Then
 * Σⱼ Mⱼ T(p) Ω*ⱼ = [Q − q pᵀ, q; 0 1] needs no difference of large numbers, and Σ b = 0.
 * Thickening adds ε ωⱼ I to each A: a small ball that moves with each bone. It changes neither p nor q, follows rigid motion, and leaves the
 * identity pose exact.
 */
export interface DdmPatches {
  /** entryCount x 10: A, b, ω as one symmetric matrix (core/math/sym4.ts) */
  centered: Float64Array;
  /** vertexCount x 3: p */
  centers: Float64Array;
  /** vertexCount x 3: rest position minus p */
  offsets: Float64Array;
  /** vertexCount x 6: Σ A = P − p pᵀ + ε I, xx xy xz yy yz zz */
  spreads: Float64Array;
}

export function makeDdmPatches(model: DirectDeltaMush): DdmPatches {
  const { rowStart, omegas } = model.multiWeights;
  const rest = model.mesh.positions;
  const vertexCount = rest.length / 3;
  const size = measureBounds(rest).diagonal;
  const centered = omegas.slice();
  const centers = new Float64Array(vertexCount * 3);
  const offsets = new Float64Array(vertexCount * 3);
  const spreads = new Float64Array(vertexCount * 6);
  for (let i = 0; i < vertexCount; i++) {
    const [start, end] = [SYM4_SIZE * rowStart[i], SYM4_SIZE * rowStart[i + 1]];
    centroidSym4Into(omegas, start, end, centers, 3 * i);
    const x = centers[3 * i],
      y = centers[3 * i + 1],
      z = centers[3 * i + 2];
    for (let c = 3 * i; c < 3 * i + 3; c++) offsets[c] = rest[c] - centers[c];
    let spread = 0;
    for (let o = start; o < end; o += SYM4_SIZE) {
      translateSym4(centered, o, -x, -y, -z);
      spread += centered[o + SYM4_XX] + centered[o + SYM4_YY] + centered[o + SYM4_ZZ];
    }
    const thickness =
      OWN_THICKNESS * Math.max(0, spread) + SIZE_THICKNESS * (size * size + x * x + y * y + z * z) || SIZE_THICKNESS;
    for (let o = start; o < end; o += SYM4_SIZE) {
      const ball = thickness * centered[o + SYM4_11];
      centered[o + SYM4_XX] += ball;
      centered[o + SYM4_YY] += ball;
      centered[o + SYM4_ZZ] += ball;
      addSecondSym4(centered, o, spreads, 6 * i);
    }
  }
  return { centered, centers, offsets, spreads };
}
