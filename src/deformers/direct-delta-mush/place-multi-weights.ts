// SPDX-License-Identifier: MIT

import { invertAffine, multiply } from '../../core/math/mat4.ts';
import { SYM4_SIZE } from '../../core/math/sym4.ts';
import type { MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import { fail } from '../layout/index.ts';

/** The matrix from the space of an extension to that of the joined mesh, 16 numbers; undefined if they are the same. */
export function findMove(bindMatrix: Float64Array, restMatrix: Float64Array): Float64Array | undefined {
  if (bindMatrix.every((x, c) => x === restMatrix[c])) return undefined;
  const move = new Float64Array(16);
  invertAffine(bindMatrix, move);
  multiply(restMatrix, move, move);
  return move;
}

/** Indices of the products of x y z 1 in the ten numbers. */
const PLACE = [
  [0, 1, 2, 3],
  [1, 4, 5, 6],
  [2, 5, 7, 8],
  [3, 6, 8, 9],
];

/**
 * Replaces joints by bones, and every Ω by M Ω Mᵀ if there is a matrix M, in place.
 * @param jointBones the bone of each joint
 */
export function placeMultiWeights(
  { boneIndices, omegas }: MultiWeights,
  jointBones: Uint32Array,
  m: Float64Array | undefined,
): void {
  for (let e = 0; e < boneIndices.length; e++) boneIndices[e] = jointBones[boneIndices[e]];
  if (!m) return;
  const half = new Float64Array(16);
  for (let o = 0; o < omegas.length; o += SYM4_SIZE) {
    half.fill(0);
    for (let r = 0; r < 4; r++)
      for (let c = 0; c < 4; c++) for (let k = 0; k < 4; k++) half[4 * r + c] += m[4 * k + r] * omegas[o + PLACE[k][c]];
    for (let r = 0; r < 4; r++) {
      for (let c = r; c < 4; c++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += half[4 * r + k] * m[4 * k + c];
        if (!Number.isFinite(sum)) fail('value', 'multi-weights are too large for the bindMatrix they are stored with');
        omegas[o + PLACE[r][c]] = sum;
      }
    }
  }
}
