// SPDX-License-Identifier: MIT
// Over-relaxation of bones (fit/skin/skin-fit.ts): B + β(B − B_before), with the 3x3 part of rigid bones replaced by the nearest rotation.
import { nearestRotationInto } from '../../math/rotation.ts';
import type { KernelCall, Resident, ResidentArray } from '../compute.ts';

/** Arrays of the extrapolation. */
export interface ExtrapolateArrays {
  /** rows x width boneCount, changed in place */
  bones: Resident<Float64Array>;
  /** rows x width boneCount */
  before: Resident<Float64Array>;
  /** rows x width boneCount: filled with the bones before the extrapolation */
  plain: Resident<Float64Array>;
  /** threads x 9: scratch memory */
  scratch: Resident<Float64Array>;
}

export interface ExtrapolateOptions {
  boneCount: number;
  /** Numbers per bone and row: 4 with translations, 3 without. */
  width: 3 | 4;
  beta: number;
  isRigid: boolean;
}

/** A call for runAll that extrapolates bones and keeps a copy of them. */
export function callExtrapolateBones(
  { bones, before, plain, scratch }: ExtrapolateArrays,
  { boneCount, width, beta, isRigid }: ExtrapolateOptions,
): KernelCall {
  return {
    kernel: 'extrapolateBones',
    args: [bones, before, plain, boneCount, width, beta, isRigid ? 1 : 0, scratch],
    chunkCount: bones.length / (3 * width * boneCount),
  };
}

/** args: T, T before, T plain, boneCount, numbers per bone and row, beta, 1 for rigid bones. One chunk per frame. */
export function extrapolateBonesReference(args: readonly (ResidentArray | number)[], k: number): void {
  const [bones, before, plain] = args as Float64Array[];
  const [boneCount, width, beta, isRigid] = args.slice(3) as number[];
  const stride = width * boneCount;
  const begin = 3 * k * stride;
  for (let e = begin; e < begin + 3 * stride; e++) {
    plain[e] = bones[e];
    bones[e] = plain[e] + beta * (plain[e] - before[e]);
  }
  if (!isRigid) return;
  const m = new Float64Array(9);
  for (let o = begin; o < begin + stride; o += width) {
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) m[3 * c + r] = bones[o + r * stride + c];
    nearestRotationInto(m, m);
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) bones[o + r * stride + c] = m[3 * c + r];
  }
}
