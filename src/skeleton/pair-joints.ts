// SPDX-License-Identifier: MIT
// D. Anguelov et al., "Recovering articulated object models from 3D range data", UAI 2004; S. Schaefer and C. Yuksel, "Example-based skeleton extraction", SGP
// 2007; Course 2014, §2.2.2: the point o at which two bones move alike,
//   min Σₖ |(Mⱼₖ − Mₗₖ) õ|² = õᵀ Q̃ õ,   Q̃ = Σₖ (Mⱼₖ − Mₗₖ)ᵀ(Mⱼₖ − Mₗₖ) = Pⱼⱼ + Pₗₗ − Pⱼₗ − Pₗⱼ = [Q q; qᵀ c],   õ = (o, 1).   (Eq. 22)
// P are the products of bones that the weight solve needs anyway, so that a pair costs ten additions whatever the number of frames.
//
// A hinge leaves o free along its axis: Q has a small eigenvalue. Two ways to choose:
// - 'soft' (Eq. 23): Q + μI pulls o to a given point; never fails. μ is a part of the mean eigenvalue, where the course has a fixed 0.01: lengths scale.
// - 'pseudo-inverse': o moves from the given point only along eigenvectors of Q whose eigenvalue is above a part of the largest.
import { widthOf } from '../kernels/bone-products.ts';
import { SYM4_11, SYM4_FIRST, SYM4_INDEX, SYM4_SIZE } from '../math/sym4.ts';
import { eigenSymmetric } from '../solve/eigen-symmetric.ts';

export const JOINT_SOLVERS = ['soft', 'pseudo-inverse'] as const;
export type JointSolver = (typeof JOINT_SOLVERS)[number];

/** Pull of the soft solver, of the mean eigenvalue. */
const SOFT_PULL = 1e-2;
/** Eigenvalues below this part of the largest are free directions to the pseudo-inverse. */
const FREE_RATIO = 1e-2;
/** A joint whose smallest eigenvalue is below this part of the middle one turns about one axis. */
const HINGE_RATIO = 0.02;

export interface PairJoint {
  joint: [number, number, number];
  /** õᵀQ̃õ: squared gap, summed over frames. */
  error: number;
  /** The least eigenvalue of Q: squared turns out of the one axis that has most of them, summed over frames; zero for a hinge. */
  offAxis: number;
  /** The free direction where the two bones turn about one axis, else undefined. */
  hinge?: [number, number, number];
}

/** Q̃ of two bones, as ten numbers (math/sym4.ts). */
export function pairGapInto(pairs: Float64Array, boneCount: number, j: number, l: number, out: Float64Array): void {
  const width = widthOf(boneCount);
  for (let c = 0; c < SYM4_SIZE; c++) {
    out[c] =
      pairs[(j * SYM4_SIZE + c) * width + j] +
      pairs[(l * SYM4_SIZE + c) * width + l] -
      2 * pairs[(j * SYM4_SIZE + c) * width + l];
  }
}

/** The joint of two bones from their Q̃; free directions are decided by the point near. */
export function solvePairJoint(gap: Float64Array, near: ArrayLike<number>, solver: JointSolver): PairJoint {
  const q = new Float64Array(9);
  for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) q[3 * a + b] = gap[SYM4_INDEX[a][b]];
  const { values, vectors } = eigenSymmetric(q, 3);
  const trace = Math.max(0, values[0]) + Math.max(0, values[1]) + Math.max(0, values[2]);
  const joint: [number, number, number] = [near[0], near[1], near[2]];
  // the gradient of half the error at the point near
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
  const isHinge = values[1] > 0 && values[2] < HINGE_RATIO * values[1];
  return {
    joint,
    error: Math.max(0, measureGap(gap, joint)),
    offAxis: Math.max(0, values[2]),
    ...(isHinge ? { hinge: [vectors[6], vectors[7], vectors[8]] as [number, number, number] } : {}),
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
