// SPDX-License-Identifier: MIT
// D. Anguelov et al., "Recovering articulated object models from 3D range data", UAI 2004; S. Schaefer and C. Yuksel, "Example-based skeleton extraction", SGP
// 2007; Course 2014, §2.2.2: the point o at which two bones move alike,
//   min Σₖ |(Mⱼₖ − Mₗₖ) õ|² = õᵀ Q̃ õ,   Q̃ = Σₖ (Mⱼₖ − Mₗₖ)ᵀ(Mⱼₖ − Mₗₖ) = Pⱼⱼ + Pₗₗ − Pⱼₗ − Pₗⱼ = [Q q; qᵀ c],   õ = (o, 1).   (Eq. 22)
// P are the products of bones from the weight solve, so a pair costs ten additions for any number of frames.
//
// For a hinge, o is not determined along its axis: Q has a small eigenvalue. Two solvers:
// - 'soft' (Eq. 23): Q + μI regularizes o towards a given point; it never fails. μ is relative to the mean eigenvalue, so that it does not depend on the scale; it is 0.01 in the course.
// - 'pseudo-inverse': o differs from the given point only along eigenvectors of Q with large eigenvalues.

import { eigenSymmetric } from '../../../core/algebra/eigen-symmetric.ts';
import { widthOf } from '../../../core/kernels/bones/bone-products.ts';
import { SYM4_11, SYM4_FIRST, SYM4_INDEX, SYM4_SIZE } from '../../../core/math/sym4.ts';
import type { JointSolver } from '../options.ts';

/** μ of the soft solver, relative to the mean eigenvalue. */
const SOFT_PULL = 1e-2;
/** Eigenvalues below this ratio of the largest are free directions of the pseudo-inverse. Chosen by hand. */
const FREE_RATIO = 1e-2;

/** The joint of two bones. */
export interface PairJoint {
  /** Rest position. */
  joint: [number, number, number];
  /** õᵀQ̃õ: squared gap, summed over frames. */
  error: number;
}

/** Q̃ of two bones, as ten numbers (core/math/sym4.ts). */
export function pairGapInto(pairs: Float64Array, boneCount: number, j: number, l: number, out: Float64Array): void {
  const width = widthOf(boneCount);
  for (let c = 0; c < SYM4_SIZE; c++) {
    out[c] =
      pairs[(j * SYM4_SIZE + c) * width + j] +
      pairs[(l * SYM4_SIZE + c) * width + l] -
      2 * pairs[(j * SYM4_SIZE + c) * width + l];
  }
}

/** The joint of two bones from their Q̃; near determines free directions. */
export function solvePairJoint(gap: Float64Array, near: ArrayLike<number>, solver: JointSolver): PairJoint {
  const q = new Float64Array(9);
  for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) q[3 * a + b] = gap[SYM4_INDEX[a][b]];
  const { values, vectors } = eigenSymmetric(q, 3);
  const trace = Math.max(0, values[0]) + Math.max(0, values[1]) + Math.max(0, values[2]);
  const joint: [number, number, number] = [near[0], near[1], near[2]];
  // the gradient of half the error at near
  const slope = [0, 1, 2].map(
    (a) =>
      gap[SYM4_INDEX[a][0]] * near[0] +
      gap[SYM4_INDEX[a][1]] * near[1] +
      gap[SYM4_INDEX[a][2]] * near[2] +
      gap[SYM4_FIRST[a]],
  );
  const pull = (SOFT_PULL * trace) / 3;
  for (let n = 0; n < 3 && trace > 0; n++) {
    if (solver === 'pseudo-inverse' && values[n] <= FREE_RATIO * values[0]) continue;
    const v = vectors.subarray(3 * n, 3 * n + 3);
    const along = v[0] * slope[0] + v[1] * slope[1] + v[2] * slope[2];
    const step = along / (Math.max(0, values[n]) + (solver === 'soft' ? pull : 0));
    for (let r = 0; r < 3; r++) joint[r] -= step * v[r];
  }
  return {
    joint,
    error: Math.max(0, measureGap(gap, joint)),
  };
}

/** õᵀQ̃õ */
export function measureGap(gap: Float64Array, joint: ArrayLike<number>): number {
  let sum = gap[SYM4_11];
  for (let a = 0; a < 3; a++) {
    sum += 2 * joint[a] * gap[SYM4_FIRST[a]];
    for (let b = 0; b < 3; b++) sum += joint[a] * joint[b] * gap[SYM4_INDEX[a][b]];
  }
  return sum;
}
