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
  return new NnlsActiveSets(maxSize);
}

/** The active sets of one problem after the other. */
class NnlsActiveSets implements NnlsSolver {
  readonly maxSize: number;
  /** The free unknowns, and how many there are. */
  readonly #free: Int32Array;
  #count = 0;
  /** 1: free; 2: held at zero, and not to be freed until x moves */
  readonly #state: Uint8Array;
  /** 1/√h_ii, zero for a column of zeros, which stays held */
  readonly #unit: Float64Array;
  /** (f − Hx)ᵢ/√h_ii */
  readonly #residual: Float64Array;
  readonly #step: Float64Array;
  readonly #matrix: Float64Array;
  readonly #result: ActiveSetResult = { iterations: 0, status: 'converged' };
  // The present problem.
  #h: ArrayLike<number> = [];
  #f: ArrayLike<number> = [];
  #x: Float64Array = new Float64Array(0);
  #size = 0;
  #stride = 0;
  #level = 0;
  /** Index of the free unknown that ends a step, -1 if none does. */
  #blocking = -1;

  constructor(maxSize: number) {
    this.maxSize = maxSize;
    this.#free = new Int32Array(maxSize);
    this.#state = new Uint8Array(maxSize);
    this.#unit = new Float64Array(maxSize);
    this.#residual = new Float64Array(maxSize);
    this.#step = new Float64Array(maxSize);
    this.#matrix = new Float64Array(maxSize * maxSize);
  }

  solveInto(
    h: ArrayLike<number>,
    f: ArrayLike<number>,
    x: Float64Array,
    size = f.length,
    stride = size,
  ): ActiveSetResult {
    if (!(size >= 0 && size <= this.maxSize))
      throw new Error(`nnls: size must be from 0 to ${this.maxSize}, got ${size}`);
    this.#h = h;
    this.#f = f;
    this.#x = x;
    this.#size = size;
    this.#stride = stride;
    this.#result.iterations = 0;
    const scale = this.#start();
    this.#level = LEVEL * scale;
    this.#result.status = scale < Number.POSITIVE_INFINITY ? this.#iterate() : 'stalled';
    return this.#result;
  }

  /** Fills units, clamps x and frees the unknowns above zero. Returns the largest residual that a column of unit length can have at x = 0. */
  #start(): number {
    const h = this.#h;
    const f = this.#f;
    const x = this.#x;
    const unit = this.#unit;
    const state = this.#state;
    let scale = 0;
    let count = 0;
    for (let i = 0; i < this.#size; i++) {
      const square = h[i * this.#stride + i];
      unit[i] = square > 0 ? 1 / Math.sqrt(square) : 0;
      if (!(x[i] > 0 && x[i] < Number.POSITIVE_INFINITY && unit[i] > 0)) x[i] = 0;
      scale = Math.max(scale, Math.abs(f[i]) * unit[i], x[i] > 0 ? x[i] / unit[i] : 0);
      state[i] = x[i] > 0 ? 1 : 0;
      if (state[i] === 1) this.#free[count++] = i;
    }
    this.#count = count;
    return scale;
  }

  #iterate(): ActiveSetStatus {
    this.#fillResidual();
    let unevenness = Number.POSITIVE_INFINITY;
    const maxIterations = 20 + 10 * this.#size;
    while (this.#result.iterations < maxIterations) {
      this.#result.iterations++;
      this.#solveStep();
      const length = this.#findLength();
      if (length < 0) return 'stalled';
      this.#take(length);
      this.#fillResidual();
      if (this.#blocking >= 0) {
        if (length > 0) this.#release();
        unevenness = Number.POSITIVE_INFINITY;
        continue;
      }
      // repeat if the ridge shortened the step
      const uneven = this.#measureUnevenness();
      if (uneven > this.#level && uneven < PROGRESS * unevenness) {
        unevenness = uneven;
        continue;
      }
      const found = this.#freeBest();
      if (found !== 'freed') return found;
      unevenness = Number.POSITIVE_INFINITY;
    }
    return 'max-iterations';
  }

  #fillResidual(): void {
    const h = this.#h;
    const f = this.#f;
    const x = this.#x;
    const size = this.#size;
    const stride = this.#stride;
    const residual = this.#residual;
    const unit = this.#unit;
    for (let i = 0; i < size; i++) residual[i] = f[i];
    for (let j = 0; j < size; j++) {
      const xj = x[j];
      if (xj === 0) continue;
      for (let i = 0; i < size; i++) residual[i] -= h[j * stride + i] * xj;
    }
    for (let i = 0; i < size; i++) residual[i] *= unit[i];
  }

  /** Solves H_FF p = (f − Hx)_F, in units of the columns. */
  #solveStep(): void {
    const h = this.#h;
    const stride = this.#stride;
    const free = this.#free;
    const count = this.#count;
    const unit = this.#unit;
    const matrix = this.#matrix;
    const step = this.#step;
    const residual = this.#residual;
    for (let a = 0; a < count; a++) {
      const i = free[a];
      for (let b = 0; b < a; b++) matrix[a * count + b] = h[i * stride + free[b]] * unit[i] * unit[free[b]];
      matrix[a * count + a] = 1 + RIDGE;
      step[a] = residual[i];
    }
    factorCholesky(matrix, count, RIDGE);
    solveCholesky(matrix, count, step);
  }

  /** The longest part of the step that stays feasible, -1 if the step is not finite. Returns the step to the units of x, and sets the unknown that ends it. */
  #findLength(): number {
    const free = this.#free;
    const unit = this.#unit;
    const step = this.#step;
    const x = this.#x;
    let length = 1;
    let blocking = -1;
    for (let a = 0; a < this.#count; a++) {
      step[a] *= unit[free[a]];
      const xi = x[free[a]];
      if (xi + step[a] < 0 && xi < length * -step[a]) {
        length = xi / -step[a];
        blocking = a;
      } else if (!(Math.abs(step[a]) < Number.POSITIVE_INFINITY)) {
        return -1;
      }
    }
    this.#blocking = blocking;
    return length;
  }

  /** Takes a part of the step, and holds what reached zero. */
  #take(length: number): void {
    const free = this.#free;
    const state = this.#state;
    const step = this.#step;
    const x = this.#x;
    const blocking = this.#blocking;
    let kept = 0;
    for (let a = 0; a < this.#count; a++) {
      const i = free[a];
      x[i] += length * step[a];
      if (a === blocking || x[i] < 0 || (blocking >= 0 && x[i] === 0)) {
        x[i] = 0;
        state[i] = length === 0 ? 2 : 0;
      } else {
        free[kept++] = i;
      }
    }
    this.#count = kept;
  }

  /** Lets unknowns be freed again that were held because x did not move. */
  #release(): void {
    const state = this.#state;
    for (let i = 0; i < this.#size; i++) if (state[i] === 2) state[i] = 0;
  }

  #measureUnevenness(): number {
    const free = this.#free;
    const count = this.#count;
    const residual = this.#residual;
    let uneven = 0;
    for (let a = 0; a < count; a++) uneven = Math.max(uneven, Math.abs(residual[free[a]]));
    return uneven;
  }

  /** Frees the held unknown with the largest gain; ties go to the lower index. Without one, returns how the search ends. */
  #freeBest(): 'freed' | 'converged' | 'stalled' {
    const state = this.#state;
    const residual = this.#residual;
    const size = this.#size;
    let best = -1;
    let turned = false;
    let largest = this.#level;
    for (let i = 0; i < size; i++) {
      if (state[i] === 1 || !(residual[i] > largest)) continue;
      if (state[i] === 2) {
        turned = true;
        continue;
      }
      largest = residual[i];
      best = i;
    }
    if (best < 0) return turned ? 'stalled' : 'converged';
    state[best] = 1;
    this.#free[this.#count++] = best;
    return 'freed';
  }
}
