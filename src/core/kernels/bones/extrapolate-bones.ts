// SPDX-License-Identifier: MIT
// Over-relaxation of bones (fit/skin/skin-fit.ts): B + β(B − B_before), with the 3x3 part of rigid bones replaced by the nearest rotation.
import { nearestRotationInto } from '../../math/rotation.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';

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
  const args = { bones, before, plain, boneCount, width, beta, isRigid, scratch };
  return callOf(extrapolateBonesKernel, args, bones.length / (3 * width * boneCount));
}

/** One chunk per frame. */
export const extrapolateBonesKernel = kernel(
  'extrapolateBones',
  {
    bones: 'f64',
    before: 'f64',
    plain: 'f64',
    boneCount: 'int',
    width: 'int',
    beta: 'float',
    isRigid: 'bool',
    scratch: 'f64',
  },
  ({ bones, before, plain, boneCount, width, beta, isRigid }, k) => {
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
  },
);
