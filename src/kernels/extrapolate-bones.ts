// SPDX-License-Identifier: MIT
// Over-relaxation of bones (fit/skin-fit.ts): B + β(B − B_before), with the 3x3 part of rigid bones replaced by the nearest rotation.
import { nearestRotationInto } from '../math/rotation.ts';
import type { KernelCall, Resident, ResidentArray } from './compute.ts';

/** Arrays of the extrapolation. */
export interface ExtrapolateArrays {
  /** rows x 4 boneCount, changed in place */
  bones: Resident<Float64Array>;
  /** rows x 4 boneCount */
  before: Resident<Float64Array>;
  /** rows x 4 boneCount: filled with the bones before the extrapolation */
  plain: Resident<Float64Array>;
  /** threads x 9: scratch memory */
  scratch: Resident<Float64Array>;
}

/** A call for runAll that extrapolates bones and keeps a copy of them. */
export function callExtrapolateBones(
  { bones, before, plain, scratch }: ExtrapolateArrays,
  boneCount: number,
  beta: number,
  isRigid: boolean,
): KernelCall {
  return {
    kernel: 'extrapolateBones',
    args: [bones, before, plain, boneCount, beta, isRigid ? 1 : 0, scratch],
    chunkCount: bones.length / (12 * boneCount),
  };
}

/** args: T, T before, T plain, boneCount, beta, 1 for rigid bones. One chunk per frame. */
export function extrapolateBonesReference(args: readonly (ResidentArray | number)[], k: number): void {
  const [bones, before, plain] = args as Float64Array[];
  const [boneCount, beta, isRigid] = args.slice(3) as number[];
  const stride = 4 * boneCount;
  const begin = 3 * k * stride;
  for (let e = begin; e < begin + 3 * stride; e++) {
    plain[e] = bones[e];
    bones[e] = plain[e] + beta * (plain[e] - before[e]);
  }
  if (!isRigid) return;
  const m = new Float64Array(9);
  for (let o = begin; o < begin + stride; o += 4) {
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) m[3 * c + r] = bones[o + r * stride + c];
    nearestRotationInto(m, m);
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) bones[o + r * stride + c] = m[3 * c + r];
  }
}
