// SPDX-License-Identifier: MIT
// C. L. Lawson, R. J. Hanson, "Solving Least Squares Problems", Prentice-Hall 1974, chapter 23, on normal equations and from any start, as
// R. Bro, S. de Jong, "A fast non-negativity-constrained least squares algorithm", J. Chemometrics 11 (1997).
//
// Minimize ½ xᵀHx − fᵀx subject to x ≥ 0, with H = AᵀA and f = Aᵀb. Over the free unknowns F the step solves H_FF p = (f − Hx)_F and is cut
// short where an unknown reaches zero; at the minimum over F the multiplier of a held unknown is −(f − Hx)ᵢ, and the one with the largest gain is freed.
// Each unknown may have its own unit: all tests, and the ridge, are in units of the column's length √h_ii, so scaling a
// column only scales its unknown. The ridge penalizes the step, not x, as in simplex-least-squares.ts. With H singular and f
// outside its range (no normal equations) there may be no minimum: the status is then 'max-iterations'.
import { factorCholesky, solveCholesky } from './dense-cholesky.ts';
import type { ActiveSetResult, ActiveSetStatus } from './simplex-least-squares.ts';

/** Ridge on the step, with columns scaled to unit length. */
const RIDGE = 1e-12;
/** Tolerance on residuals, relative to the largest residual that a column of that length can have at x = 0. */
const LEVEL = 1e-13;
const PROGRESS = 0.5;

export interface NnlsSolver {
  readonly maxSize: number;
  /**
   * Improves x until it is optimal. x is the start (negative entries count as zero) and the result. The objective never rises. The result object is
   * reused by the next call.
   * @param h size x size, symmetric, row-major
   * @param f size
   * @param x size
   * @param stride from one row of h to the next; default: size; larger for part of a larger matrix
   */
  solveInto(
    h: ArrayLike<number>,
    f: ArrayLike<number>,
    x: Float64Array,
    size?: number,
    stride?: number,
  ): Readonly<ActiveSetResult>;
}

/** Makes a solver for up to maxSize unknowns; solving allocates nothing. */
export function makeNnlsSolver(maxSize: number): NnlsSolver {
  const free = new Int32Array(maxSize);
  /** 1: free; 2: held at zero, and not to be freed until x moves */
  const state = new Uint8Array(maxSize);
  /** 1/√h_ii, zero for a column of zeros, which stays held */
  const unit = new Float64Array(maxSize);
  /** (f − Hx)ᵢ/√h_ii */
  const residual = new Float64Array(maxSize);
  const step = new Float64Array(maxSize);
  const matrix = new Float64Array(maxSize * maxSize);
  const result: ActiveSetResult = { iterations: 0, status: 'converged' };

  const solveInto: NnlsSolver['solveInto'] = (h, f, x, size = f.length, stride = size) => {
    if (!(size >= 0 && size <= maxSize)) throw new Error(`nnls: size must be from 0 to ${maxSize}, got ${size}`);
    result.iterations = 0;
    let scale = 0;
    let count = 0;
    for (let i = 0; i < size; i++) {
      const square = h[i * stride + i];
      unit[i] = square > 0 ? 1 / Math.sqrt(square) : 0;
      if (!(x[i] > 0 && x[i] < Number.POSITIVE_INFINITY && unit[i] > 0)) x[i] = 0;
      scale = Math.max(scale, Math.abs(f[i]) * unit[i], x[i] > 0 ? x[i] / unit[i] : 0);
      state[i] = x[i] > 0 ? 1 : 0;
      if (state[i] === 1) free[count++] = i;
    }
    if (!(scale < Number.POSITIVE_INFINITY)) return finish('stalled');
    const level = LEVEL * scale;
    fillResidual(h, f, x, size, stride);
    let unevenness = Number.POSITIVE_INFINITY;
    const maxIterations = 20 + 10 * size;
    while (result.iterations < maxIterations) {
      result.iterations++;
      for (let a = 0; a < count; a++) {
        const i = free[a];
        for (let b = 0; b < a; b++) matrix[a * count + b] = h[i * stride + free[b]] * unit[i] * unit[free[b]];
        matrix[a * count + a] = 1 + RIDGE;
        step[a] = residual[i];
      }
      factorCholesky(matrix, count, RIDGE);
      solveCholesky(matrix, count, step);

      // the longest part of the step that stays feasible
      let length = 1;
      let blocking = -1;
      for (let a = 0; a < count; a++) {
        step[a] *= unit[free[a]];
        const xi = x[free[a]];
        if (xi + step[a] < 0 && xi < length * -step[a]) {
          length = xi / -step[a];
          blocking = a;
        } else if (!(Math.abs(step[a]) < Number.POSITIVE_INFINITY)) {
          return finish('stalled');
        }
      }
      let kept = 0;
      for (let a = 0; a < count; a++) {
        const i = free[a];
        x[i] += length * step[a];
        if (a === blocking || x[i] < 0 || (blocking >= 0 && x[i] === 0)) {
          x[i] = 0;
          state[i] = length === 0 ? 2 : 0;
        } else {
          free[kept++] = i;
        }
      }
      count = kept;
      fillResidual(h, f, x, size, stride);
      if (blocking >= 0) {
        if (length > 0) for (let i = 0; i < size; i++) if (state[i] === 2) state[i] = 0;
        unevenness = Number.POSITIVE_INFINITY;
        continue;
      }

      // repeat if the ridge shortened the step
      let uneven = 0;
      for (let a = 0; a < count; a++) uneven = Math.max(uneven, Math.abs(residual[free[a]]));
      if (uneven > level && uneven < PROGRESS * unevenness) {
        unevenness = uneven;
        continue;
      }

      // free the held unknown with the largest gain; ties go to the lower index
      let best = -1;
      let turned = false;
      let largest = level;
      for (let i = 0; i < size; i++) {
        if (state[i] === 1 || !(residual[i] > largest)) continue;
        if (state[i] === 2) {
          turned = true;
          continue;
        }
        largest = residual[i];
        best = i;
      }
      if (best < 0) return finish(turned ? 'stalled' : 'converged');
      state[best] = 1;
      free[count++] = best;
      unevenness = Number.POSITIVE_INFINITY;
    }
    return finish('max-iterations');
  };

  const fillResidual = (
    h: ArrayLike<number>,
    f: ArrayLike<number>,
    x: Float64Array,
    size: number,
    stride: number,
  ): void => {
    for (let i = 0; i < size; i++) residual[i] = f[i];
    for (let j = 0; j < size; j++) {
      const xj = x[j];
      if (xj === 0) continue;
      for (let i = 0; i < size; i++) residual[i] -= h[j * stride + i] * xj;
    }
    for (let i = 0; i < size; i++) residual[i] *= unit[i];
  };

  const finish = (status: ActiveSetStatus): ActiveSetResult => {
    result.status = status;
    return result;
  };
  return { maxSize, solveInto };
}
