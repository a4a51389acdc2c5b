// SPDX-License-Identifier: MIT
// K. Levenberg 1944; D. W. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", SIAM J. Appl. Math. 11(2), 1963; damping after
// H. B. Nielsen, "Damping parameter in Marquardt's method", IMM-REP-1999-05.
//
// min |r(x)|² over x, possibly on a manifold: a problem is linearized at its present x, r(x ⊕ δ) ≈ r + Jδ, and moved by δ. One step solves
//   (JᵀJ + λ diag(JᵀJ)) δ = −Jᵀr.
// With ρ the reduction of the error relative to that predicted by the linear model, a step is accepted if ρ > 0, and λ ← λ max(1/3, 1 − (2ρ − 1)³); otherwise λ ← νλ, ν ← 2ν.
// The error never rises.
import { factorCholesky, solveCholesky } from '../../../core/algebra/dense-cholesky.ts';

export interface LeastSquaresProblem {
  /** Number of unknowns of a step. */
  readonly size: number;
  /** |r|² at the present x. */
  measure(): number;
  /** Fills JᵀJ (size x size, the lower triangle is enough) and Jᵀr (size). */
  linearizeInto(normal: Float64Array, gradient: Float64Array): void;
  /** Moves by a step, and returns |r|² there. */
  move(step: Float64Array): number;
  /** Undoes the last move. */
  undo(): void;
}

export interface LevenbergMarquardtOptions {
  /** Maximum number of linear systems. */
  iterations?: number;
  /** Ends when a step lowers the error by less than this ratio. */
  tolerance?: number;
  /** λ of the first step, relative to the diagonal of JᵀJ. */
  damping?: number;
}

export const LEVENBERG_MARQUARDT_DEFAULTS: Required<LevenbergMarquardtOptions> = {
  iterations: 100,
  tolerance: 1e-12,
  damping: 1e-3,
};

export interface LevenbergMarquardtResult {
  error: number;
  iterations: number;
  status: 'converged' | 'max-iterations' | 'stalled';
}

/** Curvature of unknowns that have none, relative to the largest. */
const FLOOR = 1e-12;
const SMALLEST = 1e-300;
/** Maximum damping: steps are then too short to matter. */
const MAX_DAMPING = 1e12;

/** Makes a solver for problems of one size; solving allocates nothing but its result. */
export function makeLevenbergMarquardt(size: number): {
  solve(problem: LeastSquaresProblem, options?: LevenbergMarquardtOptions): LevenbergMarquardtResult;
} {
  const normal = new Float64Array(size * size);
  const damped = new Float64Array(size * size);
  const gradient = new Float64Array(size);
  const step = new Float64Array(size);
  const solve = (problem: LeastSquaresProblem, options: LevenbergMarquardtOptions = {}): LevenbergMarquardtResult => {
    const o = { ...LEVENBERG_MARQUARDT_DEFAULTS, ...options };
    if (problem.size !== size)
      throw new Error(`levenbergMarquardt: the problem must have ${size} unknowns, got ${problem.size}`);
    let error = problem.measure();
    let damping = o.damping;
    let growth = 2;
    let isFresh = true;
    for (let iterations = 1; iterations <= o.iterations; iterations++) {
      if (isFresh) {
        normal.fill(0);
        gradient.fill(0);
        problem.linearizeInto(normal, gradient);
      }
      let largest = 0;
      for (let d = 0; d < size; d++) largest = Math.max(largest, normal[d * size + d]);
      const floor = FLOOR * largest + SMALLEST;
      damped.set(normal);
      for (let d = 0; d < size; d++) damped[d * size + d] += damping * normal[d * size + d] + floor;
      for (let d = 0; d < size; d++) step[d] = -gradient[d];
      factorCholesky(damped, size, floor);
      solveCholesky(damped, size, step);
      // |r|² − |r + Jδ|² = −2 δᵀg − δᵀJᵀJδ, and JᵀJδ = −g − λ diag δ
      let promised = 0;
      for (let d = 0; d < size; d++)
        promised += step[d] * ((damping * normal[d * size + d] + floor) * step[d] - gradient[d]);
      if (!(promised > o.tolerance * error)) return { error, iterations, status: 'converged' };
      const moved = problem.move(step);
      const fall = error - moved;
      if (fall > 0) {
        const ratio = fall / promised;
        damping *= Math.max(1 / 3, 1 - (2 * ratio - 1) * (2 * ratio - 1) ** 2);
        growth = 2;
        isFresh = true;
        error = moved;
        if (fall <= o.tolerance * error) return { error, iterations, status: 'converged' };
      } else {
        problem.undo();
        isFresh = false;
        damping *= growth;
        growth *= 2;
        if (!(damping < MAX_DAMPING)) return { error, iterations, status: 'stalled' };
      }
    }
    return { error, iterations: o.iterations, status: 'max-iterations' };
  };
  return { solve };
}
