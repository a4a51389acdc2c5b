// SPDX-License-Identifier: MIT
// Sums over frames of products of two bones. With Mⱼₖ the 3x4 matrix of bone j in frame k and ũ = (u, 1), the inner product of the trajectories that two bones
// give a vertex is Σₖ (Mⱼₖũ)·(Mₗₖũ) = ũᵀ (Σₖ MⱼₖᵀMₗₖ) ũ: ten numbers per pair, independent of the number of frames.
//
// T holds the bones: rows x 4 boneCount, row 3k + r the r-th row of every bone in frame k. P holds the symmetric part of each 4x4 as ten numbers
// (core/math/sym4.ts): boneCount x 10 x width, the second bone last, width = boneCount rounded up to even.
import { SYM4_INDEX, SYM4_SIZE } from '../../math/sym4.ts';
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';

/** Numbers per row of tables over bones: even, so that two fit in a register. */
export function widthOf(boneCount: number): number {
  return boneCount + (boneCount & 1);
}

export interface BoneProducts {
  boneCount: number;
  /** boneCount x 10 x width */
  pairs: Resident<Float64Array>;
  /** 10 x width: the products of a bone with itself */
  diagonal: Resident<Float64Array>;
}

export function reserveBoneProducts(compute: Compute, boneCount: number): BoneProducts {
  const width = widthOf(boneCount);
  return {
    boneCount,
    pairs: compute.float64(boneCount * SYM4_SIZE * width),
    diagonal: compute.float64(SYM4_SIZE * width),
  };
}

/** Fills products from bones: rows x 4 boneCount. */
export async function boneProductsInto(
  compute: Compute,
  bones: Resident<Float64Array>,
  boneCount: number,
  products: BoneProducts,
): Promise<void> {
  await compute.runAll([callBoneProducts(bones, boneCount, products)]);
}

/** The same as a call for runAll. */
export function callBoneProducts(
  bones: Resident<Float64Array>,
  boneCount: number,
  { pairs, diagonal }: BoneProducts,
): KernelCall {
  const rows = bones.length / (4 * boneCount);
  return callOf(boneProductsKernel, { bones, pairs, diagonal, rows, boneCount, width: widthOf(boneCount) }, boneCount);
}

/** One chunk per bone. */
export const boneProductsKernel = kernel(
  'boneProducts',
  {
    bones: 'f64',
    pairs: 'f64',
    diagonal: 'f64',
    rows: 'int',
    boneCount: 'int',
    width: 'int',
  },
  ({ bones: t, pairs: p, diagonal, rows, boneCount, width }, j) => {
    const full = new Float64Array(16);
    for (let l = j; l < boneCount; l++) {
      full.fill(0);
      for (let row = 0; row < rows; row++) {
        const o = row * 4 * boneCount;
        for (let a = 0; a < 4; a++) for (let b = 0; b < 4; b++) full[4 * a + b] += t[o + 4 * j + a] * t[o + 4 * l + b];
      }
      for (let a = 0; a < 4; a++) {
        for (let b = a; b < 4; b++) {
          const c = SYM4_INDEX[a][b];
          const value = 0.5 * (full[4 * a + b] + full[4 * b + a]);
          p[(j * SYM4_SIZE + c) * width + l] = value;
          p[(l * SYM4_SIZE + c) * width + j] = value;
          if (l === j) diagonal[c * width + j] = value;
        }
      }
    }
  },
);
