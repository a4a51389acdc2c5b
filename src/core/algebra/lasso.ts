// SPDX-License-Identifier: MIT
// R. Tibshirani, "Regression shrinkage and selection via the lasso", J. R. Statist. Soc. B 58(1), 1996; coordinate descent after J. Friedman, T. Hastie,
// R. Tibshirani, "Regularization paths for generalized linear models via coordinate descent", J. Statist. Software 33(1), 2010.
//
//   min_x |y − A x|² + Σₖ βₖ |xₖ|   with G = AᵀA, c = Aᵀy:   xₖ ← S(cₖ − Σ_{l≠k} Gₖₗ xₗ, βₖ/2) / Gₖₖ,  S(a, t) = sign(a) max(|a| − t, 0).
// Only G and c are needed, for any number of rows. The gradient c − G x is updated, so that an unchanged coordinate costs nothing.
// With lowest = 0 coordinates stay non-negative (sparse non-negative least squares).

export interface LassoOptions {
  /** Lower bound of all coordinates. Default: −∞. */
  lowest?: number;
  /** Ends when no coordinate changes the objective by more than this ratio of |c|²/G. */
  tolerance?: number;
  /** Maximum number of sweeps over all coordinates. */
  sweeps?: number;
}

export const LASSO_DEFAULTS: Required<LassoOptions> = {
  lowest: Number.NEGATIVE_INFINITY,
  tolerance: 1e-14,
  sweeps: 10_000,
};

export interface LassoResult {
  sweeps: number;
  isConverged: boolean;
}

/**
 * Minimizes xᵀGx − 2cᵀx + Σ βₖ|xₖ|, starting at x.
 * @param gram count x count, symmetric, positive semidefinite
 * @param linear count
 * @param penalty β, or one per coordinate
 * @param x count; start and result. Coordinates with a zero on the diagonal become zero.
 */
export function lassoInto(
  gram: Float64Array,
  linear: Float64Array,
  penalty: number | Float64Array,
  x: Float64Array,
  options: LassoOptions = {},
): LassoResult {
  const { lowest, tolerance, sweeps: maxSweeps } = { ...LASSO_DEFAULTS, ...options };
  const count = linear.length;
  if (gram.length !== count * count) throw new Error(`lasso: a Gram matrix of ${count} x ${count} expected`);
  if (lowest > 0) throw new Error(`lasso: the lowest value must not be above zero, got ${lowest}`);
  const gradient = Float64Array.from(linear);
  let scale = 0;
  for (let k = 0; k < count; k++) {
    const own = gram[k * count + k];
    if (!(own > 0)) x[k] = 0;
    else scale = Math.max(scale, (linear[k] * linear[k]) / own);
  }
  for (let k = 0; k < count; k++)
    if (x[k] !== 0) for (let l = 0; l < count; l++) gradient[l] -= gram[k * count + l] * x[k];
  const minChange = tolerance * scale;

  const sweep = (activeOnly: boolean): number => {
    let largest = 0;
    for (let k = 0; k < count; k++) {
      const own = gram[k * count + k];
      const before = x[k];
      if (!(own > 0) || (activeOnly && before === 0)) continue;
      const half = (typeof penalty === 'number' ? penalty : penalty[k]) / 2;
      const free = gradient[k] + own * before;
      const shrunk = free > half ? free - half : free < -half ? free + half : 0;
      const after = Math.max(lowest, shrunk / own);
      const step = after - before;
      if (step === 0) continue;
      x[k] = after;
      for (let l = 0, o = k * count; l < count; l++) gradient[l] -= gram[o + l] * step;
      largest = Math.max(largest, own * step * step);
    }
    return largest;
  };

  let sweeps = 0;
  while (sweeps < maxSweeps) {
    sweeps++;
    if (sweep(false) <= minChange) return { sweeps, isConverged: true };
    // nonzero coordinates converge before all coordinates are visited again
    while (sweeps < maxSweeps) {
      sweeps++;
      if (sweep(true) <= minChange) break;
    }
  }
  return { sweeps, isConverged: false };
}

/** The smallest penalty at which every coordinate is zero. */
export function largestPenaltyOf(linear: Float64Array, lowest = Number.NEGATIVE_INFINITY): number {
  let largest = 0;
  for (const c of linear) largest = Math.max(largest, 2 * (lowest < 0 ? Math.abs(c) : c));
  return largest;
}
