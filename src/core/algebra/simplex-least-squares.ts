// SPDX-License-Identifier: MIT
// B. H. Le, Z. Deng, "Smooth skinning decomposition with rigid bones", SIGGRAPH Asia 2012, and their SIGGRAPH 2014 course, §1.3, Algorithms 1 and 2.
//
// Least squares over weights: minimize ½ xᵀHx − fᵀx subject to x ≥ 0 and Σx = 1, with H = AᵀA and f = Aᵀb, by active sets from a given start.
//
//   paper   here      shape
//   A, B    h, f      n x n and n, normal equations
//   W       (not free)  the constraints xᵢ = 0 held at present
//   k       count     number of free unknowns
//   B'      residual  n: f − Hx, the steepest descent
//   Ã, B̃    reduced, step   (k−1) x (k−1) and k−1
//   λ, µ    residual − mean  multipliers: for i in W, λᵢ = mean of the residual over the free − residualᵢ
//
// The step p over the free unknowns keeps Σp = 0. The Householder reflection that takes (1 … 1) to a multiple of e₀ has columns e_a + g, a = 1 … k−1,
// across (1 … 1), with g = (α, γ, …, γ), α = −1/√k, γ = −1/(k + √k) (Eq. 11). Hence, in O(k²),
//   Ã_ab = h_ab + (Hg)_a + (Hg)_b + gᵀHg,   B̃_a = r_a + gᵀr,   p = (0, p̃) + g Σp̃.
// From Hx − f = µ1 + λ with λ = 0 on the free ones, µ is minus the mean residual over them (Eq. 8).
//
// Where we differ. Line 17 takes α = min over free i with pᵢ < 0 of −xᵢ/pᵢ (sign and set are wrong as published). Ã gets a ridge, because duplicate bones make it
// singular; it penalizes the step, not x, so it does not bias the result: the step is repeated until the residual is level over the free
// unknowns, which takes one step unless H is nearly singular. A freed unknown that would immediately return to zero (α = 0, rounding) is
// held until x moves; the algorithm does not stop there.
import { factorCholesky, solveCholesky } from './dense-cholesky.ts';

/** Ridge on the reduced matrix, relative to the largest diagonal entry of H: above its rounding error, below any relevant curvature. */
const RIDGE = 1e-12;
/** Tolerance on differences of residuals, relative to the largest of |f| and H's diagonal: about a hundred rounding errors. */
const LEVEL = 1e-13;
/** A repeated step on the same free set must halve the differences of the residuals; otherwise only rounding error is left. */
const PROGRESS = 0.5;

export type ActiveSetStatus = 'converged' | 'max-iterations' | 'stalled';

export interface ActiveSetResult {
  /** Number of steps: small systems solved. */
  iterations: number;
  /** 'stalled': no step improves because of rounding or non-finite input; x is feasible in any case. */
  status: ActiveSetStatus;
}

export interface SimplexSolver {
  readonly maxSize: number;
  /**
   * Improves x until it is optimal. x is the start and the result: an infeasible start is first clamped and scaled; if it has no positive entry,
   * all weights are made equal. The objective never rises from there. The result object is reused by the next call.
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
export function makeSimplexSolver(maxSize: number): SimplexSolver {
  return new ActiveSetSolver(maxSize);
}

/** The active sets of one problem after the other. */
class ActiveSetSolver implements SimplexSolver {
  readonly maxSize: number;
  /** The free unknowns, and how many there are. */
  readonly #free: Int32Array;
  #count = 0;
  /** 1: free; 2: held at zero, and not to be freed until x moves */
  readonly #state: Uint8Array;
  readonly #residual: Float64Array;
  readonly #along: Float64Array;
  readonly #step: Float64Array;
  readonly #reduced: Float64Array;
  readonly #result: ActiveSetResult = { iterations: 0, status: 'converged' };
  // The present problem.
  #h: ArrayLike<number> = [];
  #f: ArrayLike<number> = [];
  #x: Float64Array = new Float64Array(0);
  #size = 0;
  #stride = 0;
  #ridge = 0;
  #level = 0;
  /** Mean of the residual over the free unknowns. */
  #mean = 0;
  /** Index of the free unknown that ends a step, -1 if none does. */
  #blocking = -1;

  constructor(maxSize: number) {
    this.maxSize = maxSize;
    this.#free = new Int32Array(maxSize);
    this.#state = new Uint8Array(maxSize);
    this.#residual = new Float64Array(maxSize);
    this.#along = new Float64Array(maxSize);
    this.#step = new Float64Array(maxSize);
    this.#reduced = new Float64Array(Math.max(0, maxSize - 1) ** 2);
  }

  solveInto(
    h: ArrayLike<number>,
    f: ArrayLike<number>,
    x: Float64Array,
    size = f.length,
    stride = size,
  ): ActiveSetResult {
    if (!(size >= 1 && size <= this.maxSize)) {
      throw new Error(`simplexLeastSquares: size must be from 1 to ${this.maxSize}, got ${size}`);
    }
    this.#h = h;
    this.#f = f;
    this.#x = x;
    this.#size = size;
    this.#stride = stride;
    this.#result.iterations = 0;
    makeFeasible(x, size);
    const scale = this.#measureScale();
    if (!(scale < Number.POSITIVE_INFINITY)) return this.#finish('stalled');
    if (scale === 0) return this.#finish('converged');
    this.#level = LEVEL * scale;
    this.#startFree();
    return this.#finish(this.#iterate());
  }

  /** The largest entry of f and of the diagonal of H. Sets the ridge. */
  #measureScale(): number {
    const h = this.#h;
    const f = this.#f;
    const size = this.#size;
    const stride = this.#stride;
    let scale = 0;
    let ridge = 0;
    for (let i = 0; i < size; i++) {
      ridge = Math.max(ridge, Math.abs(h[i * stride + i]));
      scale = Math.max(scale, Math.abs(f[i]));
    }
    scale = Math.max(scale, ridge);
    this.#ridge = RIDGE * (ridge > 0 ? ridge : scale);
    return scale;
  }

  /** Frees the unknowns above zero. */
  #startFree(): void {
    const free = this.#free;
    const state = this.#state;
    const x = this.#x;
    const size = this.#size;
    let count = 0;
    for (let i = 0; i < size; i++) {
      state[i] = x[i] > 0 ? 1 : 0;
      if (state[i] === 1) free[count++] = i;
    }
    this.#count = count;
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
      if (this.#blocking >= 0) {
        this.#stepToBound(length);
        this.#fillResidual();
        unevenness = Number.POSITIVE_INFINITY;
        continue;
      }
      this.#stepFully();
      this.#fillResidual();
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
    for (let i = 0; i < size; i++) residual[i] = f[i];
    for (let j = 0; j < size; j++) {
      const xj = x[j];
      if (xj === 0) continue;
      for (let i = 0; i < size; i++) residual[i] -= h[j * stride + i] * xj;
    }
  }

  /** Algorithm 2: fills step with the optimal zero-sum step over the free unknowns. */
  #solveStep(): void {
    const h = this.#h;
    const stride = this.#stride;
    const ridge = this.#ridge;
    const free = this.#free;
    const count = this.#count;
    const residual = this.#residual;
    const along = this.#along;
    const step = this.#step;
    const reduced = this.#reduced;
    const root = Math.sqrt(count);
    const alpha = -1 / root;
    const gamma = -1 / (count + root);
    const width = count - 1;
    let gHg = 0;
    let gr = 0;
    for (let a = 0; a < count; a++) {
      const row = free[a] * stride;
      let sum = alpha * h[row + free[0]];
      for (let b = 1; b < count; b++) sum += gamma * h[row + free[b]];
      along[a] = sum;
      gHg += (a === 0 ? alpha : gamma) * sum;
      gr += (a === 0 ? alpha : gamma) * residual[free[a]];
    }
    for (let a = 1; a < count; a++) {
      const row = free[a] * stride;
      const to = (a - 1) * width - 1;
      for (let b = 1; b <= a; b++) reduced[to + b] = h[row + free[b]] + along[a] + along[b] + gHg;
      reduced[to + a] += ridge;
      step[a - 1] = residual[free[a]] + gr;
    }
    factorCholesky(reduced, width, ridge);
    solveCholesky(reduced, width, step);
    let sum = 0;
    for (let a = 0; a < width; a++) sum += step[a];
    for (let a = width; a > 0; a--) step[a] = step[a - 1] + gamma * sum;
    step[0] = alpha * sum;
  }

  /** The longest part of the step that stays feasible, -1 if the step is not finite. Sets the free unknown that ends it. */
  #findLength(): number {
    const free = this.#free;
    const count = this.#count;
    const step = this.#step;
    const x = this.#x;
    let length = 1;
    let blocking = -1;
    for (let c = 0; c < count; c++) {
      const xi = x[free[c]];
      if (xi + step[c] < 0 && xi < length * -step[c]) {
        length = xi / -step[c];
        blocking = c;
      } else if (!(Math.abs(step[c]) < Number.POSITIVE_INFINITY)) {
        return -1;
      }
    }
    this.#blocking = blocking;
    return length;
  }

  /** Takes the part of the step, and holds what reached zero. */
  #stepToBound(length: number): void {
    const free = this.#free;
    const state = this.#state;
    const step = this.#step;
    const x = this.#x;
    let kept = 0;
    for (let c = 0; c < this.#count; c++) {
      const i = free[c];
      x[i] += length * step[c];
      if (c === this.#blocking || !(x[i] > 0)) {
        x[i] = 0;
        state[i] = length === 0 ? 2 : 0;
      } else {
        free[kept++] = i;
      }
    }
    this.#count = kept;
    if (length > 0) for (let i = 0; i < this.#size; i++) if (state[i] === 2) state[i] = 0;
  }

  #stepFully(): void {
    const free = this.#free;
    const count = this.#count;
    const step = this.#step;
    const x = this.#x;
    for (let c = 0; c < count; c++) {
      if (step[c] !== 0) x[free[c]] += step[c];
    }
  }

  /** The largest difference of a free residual from their mean. Sets the mean. */
  #measureUnevenness(): number {
    const free = this.#free;
    const count = this.#count;
    const residual = this.#residual;
    let mean = 0;
    for (let c = 0; c < count; c++) mean += residual[free[c]];
    mean /= count;
    let uneven = 0;
    for (let c = 0; c < count; c++) uneven = Math.max(uneven, Math.abs(residual[free[c]] - mean));
    this.#mean = mean;
    return uneven;
  }

  /** Frees the constraint with the lowest multiplier; ties go to the lower index. Without one, returns how the search ends. */
  #freeBest(): 'freed' | 'converged' | 'stalled' {
    const state = this.#state;
    const residual = this.#residual;
    const size = this.#size;
    let best = -1;
    let turned = false;
    let most = this.#mean + this.#level;
    for (let i = 0; i < size; i++) {
      if (state[i] === 1 || !(residual[i] > most)) continue;
      if (state[i] === 2) {
        turned = true;
        continue;
      }
      most = residual[i];
      best = i;
    }
    if (best < 0) return turned ? 'stalled' : 'converged';
    state[best] = 1;
    this.#free[this.#count++] = best;
    return 'freed';
  }

  #finish(status: ActiveSetStatus): ActiveSetResult {
    const x = this.#x;
    const size = this.#size;
    // rounding errors of the steps may have changed the last digits of the sum
    let sum = 0;
    for (let i = 0; i < size; i++) sum += x[i];
    for (let i = 0; i < size; i++) x[i] /= sum;
    this.#result.status = status;
    return this.#result;
  }
}

function makeFeasible(x: Float64Array, size: number): void {
  let sum = 0;
  for (let i = 0; i < size; i++) {
    if (!(x[i] > 0)) x[i] = 0;
    sum += x[i];
  }
  const usable = sum > 0 && sum < Number.POSITIVE_INFINITY;
  for (let i = 0; i < size; i++) x[i] = usable ? x[i] / sum : 1 / size;
}
