// SPDX-License-Identifier: MIT
// One pose of Direct Delta Mush without its multi-weights, for interactive use. The sums of the run-time are linear in them, so the sum over bones comes first:
//
//   S  (n x 12)   Σⱼ Mⱼ Ψᵢⱼ                        computed once per pose: independent of kappa, alpha and the variant
//   W  (n x 12)   Σⱼ ψᵢⱼ Mⱼ, ψ the 11 element     the same
//   B  (n x 12)   Σₖ Cᵢₖ (Σⱼ wₖⱼ Mⱼ)              12 columns through kappa's smoothing instead of one per bone
//   [Q q]         (1 − α) S + α B [p pᵀ p; pᵀ 1]  = Σⱼ Mⱼ Ωᵢⱼ
//
// The result equals that of Ω with a threshold of 0. Only variants 0, 1, 3 and 5: the quaternion blends of 2 and 4 depend on signs per bone and are not linear.

import { nearestRotationInto } from '../../core/math/rotation.ts';
import {
  addRowTimesSym4,
  SYM4_11,
  SYM4_SIZE,
  SYM4_X1,
  SYM4_XX,
  SYM4_XY,
  SYM4_XZ,
  SYM4_Y1,
  SYM4_YY,
  SYM4_YZ,
  SYM4_Z1,
  SYM4_ZZ,
} from '../../core/math/sym4.ts';
import type { DdmVariant } from '../../core/model/deformed/direct-delta-mush.ts';
import { cofactorsInto } from '../../deformers/direct-delta-mush/index.ts';
import type { PointBinding } from './bind/bind-points.ts';
import type { SmoothedRows } from './bind/smooth-binding.ts';

/** Numbers of a 3x4, column-major: three rows in four columns. */
const SIZE = 12;

/** Σ of bones with the products, and with their weights, per point. */
export interface PosedProducts {
  /** pointCount x 12: S */
  moments: Float64Array;
  /** pointCount x 12: W */
  weights: Float64Array;
}

export function isPreviewed(variant: DdmVariant): boolean {
  return variant === 0 || variant === 1 || variant === 3 || variant === 5;
}

/** Bones as maps from coordinates about an origin: boneCount x 12. */
export function centerBones(bones: Float64Array, origin: readonly [number, number, number]): Float64Array {
  const out = new Float64Array((bones.length / 16) * SIZE);
  for (let j = 0; j < bones.length / 16; j++) {
    for (let row = 0; row < 3; row++) {
      const m = 16 * j + row;
      for (let c = 0; c < 3; c++) out[SIZE * j + 3 * c + row] = bones[m + 4 * c];
      out[SIZE * j + 9 + row] =
        bones[m] * origin[0] + bones[m + 4] * origin[1] + bones[m + 8] * origin[2] + bones[m + 12];
    }
  }
  return out;
}

/** @param bones boneCount x 12, from centerBones */
export function poseProducts({ rowStart, boneIndices, values }: SmoothedRows, bones: Float64Array): PosedProducts {
  const pointCount = rowStart.length - 1;
  const moments = new Float64Array(pointCount * SIZE);
  const weights = new Float64Array(pointCount * SIZE);
  const boneRow = new Float64Array(4);
  for (let i = 0; i < pointCount; i++) {
    const s = SIZE * i;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const o = SYM4_SIZE * e;
      const m = SIZE * boneIndices[e];
      const w = values[o + SYM4_11];
      for (let row = 0; row < 3; row++) {
        for (let c = 0; c < 4; c++) boneRow[c] = bones[m + 3 * c + row];
        addRowTimesSym4(boneRow, values, o, moments, s + row);
        for (let c = 0; c < 4; c++) weights[s + 3 * c + row] += w * boneRow[c];
      }
    }
  }
  return { moments, weights };
}

/** Σⱼ wₖⱼ Mⱼ per point, to be smoothed: pointCount x 12. */
export function bindBones({ rowStart, boneIndices, weights }: PointBinding, bones: Float64Array): Float64Array {
  const out = new Float64Array((rowStart.length - 1) * SIZE);
  for (let k = 0; k + 1 < rowStart.length; k++) {
    for (let e = rowStart[k]; e < rowStart[k + 1]; e++) {
      const m = SIZE * boneIndices[e];
      for (let c = 0; c < SIZE; c++) out[SIZE * k + c] += weights[e] * bones[m + c];
    }
  }
  return out;
}

export interface PreviewOptions {
  /** pointCount x 10: Σⱼ Ψ */
  sums: Float64Array;
  /** pointCount x 12: B */
  smoothed: Float64Array;
  /** pointCount x 3, about the origin */
  points: Float64Array;
  alphaOf: (point: number) => number;
  variant: DdmVariant;
}

/** The posed points: pointCount x 3, file coordinates. */
export function previewPoints({ moments, weights }: PosedProducts, options: PreviewOptions): Float64Array {
  const { sums, smoothed, points, alphaOf, variant } = options;
  const out = new Float64Array(points.length);
  const matrix = new Float64Array(9);
  const r = new Float64Array(9);
  const q = new Float64Array(3);
  const spread = new Float64Array(6);
  for (let i = 0; i < points.length / 3; i++) {
    const s = SIZE * i;
    const alpha = alphaOf(i);
    const sum = SYM4_SIZE * i;
    const total = sums[sum + SYM4_11];
    const px = sums[sum + SYM4_X1] / total,
      py = sums[sum + SYM4_Y1] / total,
      pz = sums[sum + SYM4_Z1] / total;
    for (let row = 0; row < 3; row++) {
      const b0 = smoothed[s + row],
        b1 = smoothed[s + 3 + row],
        b2 = smoothed[s + 6 + row];
      const image = alpha * (b0 * px + b1 * py + b2 * pz + smoothed[s + 9 + row]);
      q[row] = (1 - alpha) * moments[s + 9 + row] + image;
      if (variant >= 3) {
        r[row] = (1 - alpha) * weights[s + row] + alpha * b0;
        r[3 + row] = (1 - alpha) * weights[s + 3 + row] + alpha * b1;
        r[6 + row] = (1 - alpha) * weights[s + 6 + row] + alpha * b2;
        // variant 5: the point itself is moved by the blend of the weights
        if (variant === 5)
          q[row] =
            (1 - alpha) * weights[s + 9 + row] +
            alpha * smoothed[s + 9 + row] +
            r[row] * px +
            r[3 + row] * py +
            r[6 + row] * pz;
      } else {
        matrix[row] = (1 - alpha) * moments[s + row] + (image - q[row]) * px;
        matrix[3 + row] = (1 - alpha) * moments[s + 3 + row] + (image - q[row]) * py;
        matrix[6 + row] = (1 - alpha) * moments[s + 6 + row] + (image - q[row]) * pz;
      }
    }
    if (variant === 0) nearestRotationInto(matrix, r);
    else if (variant === 1) {
      spread[0] = (1 - alpha) * (sums[sum + SYM4_XX] - px * px);
      spread[1] = (1 - alpha) * (sums[sum + SYM4_XY] - px * py);
      spread[2] = (1 - alpha) * (sums[sum + SYM4_XZ] - px * pz);
      spread[3] = (1 - alpha) * (sums[sum + SYM4_YY] - py * py);
      spread[4] = (1 - alpha) * (sums[sum + SYM4_YZ] - py * pz);
      spread[5] = (1 - alpha) * (sums[sum + SYM4_ZZ] - pz * pz);
      turnClosely(matrix, spread, r);
    }
    const x = points[3 * i] - px,
      y = points[3 * i + 1] - py,
      z = points[3 * i + 2] - pz;
    for (let row = 0; row < 3; row++) out[3 * i + row] = r[row] * x + r[3 + row] * y + r[6 + row] * z + q[row];
  }
  return out;
}

/** R = (Q − q pᵀ)⁻ᵀ S with S = P − p pᵀ, or the rotation of v0 if there is no inverse. */
function turnClosely(matrix: Float64Array, s: Float64Array, r: Float64Array): void {
  const cofactors = new Float64Array(9);
  const inverse = 1 / cofactorsInto(matrix, cofactors);
  if (!Number.isFinite(inverse)) {
    nearestRotationInto(matrix, r);
    return;
  }
  for (let row = 0; row < 3; row++) {
    const m0 = inverse * cofactors[row],
      m1 = inverse * cofactors[3 + row],
      m2 = inverse * cofactors[6 + row];
    r[row] = m0 * s[0] + m1 * s[1] + m2 * s[2];
    r[3 + row] = m0 * s[1] + m1 * s[3] + m2 * s[4];
    r[6 + row] = m0 * s[2] + m1 * s[4] + m2 * s[5];
  }
}
