// SPDX-License-Identifier: MIT
// B. H. Le, K. Villeneuve, C. Gonzalez-Ochoa, "Direct Delta Mush skinning compression with continuous examples", ACM Transactions on Graphics 40 (4),
// 2021, doi:10.1145/3450626.3459779, §3: the four maps after which the mean error over all example poses is a plain sum of squares.
//
//   Eq. 3   Ω'   = Ω S⁻¹,  S = Σ Ω                 linearization: the transform without its orthogonality
//   Eq. 6   Ω''  = Σ over descendants of Ω'        hierarchical
//   Eq. 8   Ω''' = B⁻¹ Ω''                         coordinate change
//   Eq. 10  Ω''''= Sᵧ Ω''',  Sᵧ² = E[(M̄−I)ᵀ(M̄−I)]  continuous sampling
//
// Differences: S⁻¹ is computed about the row's center, with FLATNESS of the spread added to the patch, so that it exists for flat patches. The paper's
// normalization of Eq. 9 does not integrate to one: for t uniform in ±t̄ the mean of tᵀt is t̄², so β = t̄ and not 2 t̄. Ranges may differ
// per axis and may be asymmetric: with independent angles E[R] = E[Rx] E[Ry] E[Rz] and Sᵧ² = [2I − E[R] − E[R]ᵀ, (E[R] − I)ᵀE[t]; ·, E[tᵀt]].

import { eigenSymmetric } from '../../../core/algebra/eigen-symmetric.ts';
import { cosineOf, sineOf } from '../../../core/math/sine.ts';
import {
  SYM4_11,
  SYM4_X1,
  SYM4_XX,
  SYM4_XY,
  SYM4_XZ,
  SYM4_Y1,
  SYM4_YY,
  SYM4_YZ,
  SYM4_Z1,
  SYM4_ZZ,
} from '../../../core/math/sym4.ts';
import type { JointRange, Range } from '../../../fit/poses/index.ts';

/** Regularization of the inverse, relative to the patch's spread; divided among bones by weight, as if each point were a small ball. */
const FLATNESS = 1e-6;

/** Center and spread of a patch. */
export interface PatchShape {
  /** xx xy xz yy yz zz of the whole patch about its center, from an offset */
  spread: Float64Array;
  spreadOffset: number;
  /** three numbers, from an offset */
  center: Float64Array;
  centerOffset: number;
}

/**
 * Eq. 3 for one multi-weight, or a sum of some: T [A b; bᵀ ω] [S₃⁻¹ 0; 0 1] T⁻¹ with T the translation to the center.
 * @param y ten numbers about the center
 * @param out 16, column-major
 */
export function linearizationMap(y: Float64Array, patch: PatchShape, out: Float64Array, o = 0): void {
  const { center, centerOffset } = patch;
  linearizeCentered(y, patch, out, o);
  const x = center[centerOffset],
    yy = center[centerOffset + 1],
    z = center[centerOffset + 2];
  // T X: rows of the translation, times the last row
  for (let c = 0; c < 4; c++) {
    const last = out[o + 4 * c + 3];
    out[o + 4 * c] += x * last;
    out[o + 4 * c + 1] += yy * last;
    out[o + 4 * c + 2] += z * last;
  }
  // X T⁻¹: subtract the other columns times the center from the last
  for (let r = 0; r < 4; r++) out[o + 12 + r] -= x * out[o + r] + yy * out[o + 4 + r] + z * out[o + 8 + r];
}

/** The same about the center: [A b; bᵀ ω] [S₃⁻¹ 0; 0 1]. */
export function linearizeCentered(
  y: Float64Array,
  { spread, spreadOffset: s }: PatchShape,
  out: Float64Array,
  o = 0,
): void {
  const thick = FLATNESS * (spread[s] + spread[s + 3] + spread[s + 5]) + 1e-300;
  const a = spread[s] + thick,
    b = spread[s + 1],
    c = spread[s + 2],
    d = spread[s + 3] + thick,
    e = spread[s + 4],
    f = spread[s + 5] + thick;
  const c00 = d * f - e * e,
    c01 = c * e - b * f,
    c02 = b * e - c * d;
  const inv = 1 / (a * c00 + b * c01 + c * c02);
  const i00 = c00 * inv,
    i01 = c01 * inv,
    i02 = c02 * inv,
    i11 = (a * f - c * c) * inv,
    i12 = (b * c - a * e) * inv,
    i22 = (a * d - b * b) * inv;
  const ball = thick * y[SYM4_11];
  const xx = y[SYM4_XX] + ball,
    yy = y[SYM4_YY] + ball,
    zz = y[SYM4_ZZ] + ball,
    xy = y[SYM4_XY],
    xz = y[SYM4_XZ],
    yz = y[SYM4_YZ],
    x1 = y[SYM4_X1],
    y1 = y[SYM4_Y1],
    z1 = y[SYM4_Z1];
  out[o] = xx * i00 + xy * i01 + xz * i02;
  out[o + 1] = xy * i00 + yy * i01 + yz * i02;
  out[o + 2] = xz * i00 + yz * i01 + zz * i02;
  out[o + 3] = x1 * i00 + y1 * i01 + z1 * i02;
  out[o + 4] = xx * i01 + xy * i11 + xz * i12;
  out[o + 5] = xy * i01 + yy * i11 + yz * i12;
  out[o + 6] = xz * i01 + yz * i11 + zz * i12;
  out[o + 7] = x1 * i01 + y1 * i11 + z1 * i12;
  out[o + 8] = xx * i02 + xy * i12 + xz * i22;
  out[o + 9] = xy * i02 + yy * i12 + yz * i22;
  out[o + 10] = xz * i02 + yz * i12 + zz * i22;
  out[o + 11] = x1 * i02 + y1 * i12 + z1 * i22;
  out[o + 12] = x1;
  out[o + 13] = y1;
  out[o + 14] = z1;
  out[o + 15] = y[SYM4_11];
}

/** Sᵧ² of a joint's range: 4x4, symmetric. */
export function samplingSquare({ rotation, translation }: JointRange): Float64Array {
  const mean = meanRotation(rotation);
  const square = new Float64Array(16);
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) square[4 * c + r] = (r === c ? 2 : 0) - mean[3 * c + r] - mean[3 * r + c];
  }
  const shift = translation.map(([low, high]) => (low + high) / 2);
  for (let r = 0; r < 3; r++) {
    let sum = -shift[r];
    for (let c = 0; c < 3; c++) sum += mean[3 * r + c] * shift[c];
    square[12 + r] = sum;
    square[4 * r + 3] = sum;
  }
  square[15] = translation.reduce((sum, [low, high]) => sum + (low * low + low * high + high * high) / 3, 0);
  return square;
}

/** Sᵧ: the symmetric root. */
export function samplingRoot(range: JointRange): Float64Array {
  const { values, vectors } = eigenSymmetric(samplingSquare(range), 4);
  const root = new Float64Array(16);
  for (let n = 0; n < 4; n++) {
    const value = Math.sqrt(Math.max(0, values[n]));
    for (let c = 0; c < 4; c++) {
      for (let r = 0; r < 4; r++) root[4 * c + r] += value * vectors[4 * n + r] * vectors[4 * n + c];
    }
  }
  return root;
}

/** E[Rx] E[Ry] E[Rz], column-major. */
function meanRotation([rx, ry, rz]: readonly [Range, Range, Range]): Float64Array {
  const [cx, sx] = meanCosSin(rx);
  const [cy, sy] = meanCosSin(ry);
  const [cz, sz] = meanCosSin(rz);
  return Float64Array.of(
    ...[cy * cz, cx * sz + sx * sy * cz, sx * sz - cx * sy * cz],
    ...[-cy * sz, cx * cz - sx * sy * sz, sx * cz + cx * sy * sz],
    ...[sy, -sx * cy, cx * cy],
  );
}

function meanCosSin([low, high]: Range): [number, number] {
  const width = high - low;
  // the limit: here the difference of sines would be a rounding error
  if (width < 1e-6) return [cosineOf((low + high) / 2), sineOf((low + high) / 2)];
  return [(sineOf(high) - sineOf(low)) / width, (cosineOf(low) - cosineOf(high)) / width];
}
