// SPDX-License-Identifier: MIT
// Rotations of bones connected by joints, fitted to frames by Gauss-Newton steps on moments. With X = [R₁ … R_m] (3 x 3m) the rotations of a frame, G (3m x 3m)
// the moments of what each rotation acts on, and D (3 x 3m) those of the targets (tree-moments.ts), the error is
//   E(X) = tr(X G Xᵀ) − 2 tr(X Dᵀ) + const.
// A step turns every bone by a small rotation, R_b ← (1 + [ω_b] + …) R_b. With Y = X G − D and z = R_b y the normal matrix has the blocks
//   Σ [z_b]ᵀ[z_c] = tr(K) I − Kᵀ,  K = R_b G_bc R_cᵀ,   and the gradient is Σ over columns of R_b of R_b,x × Y_b,x.
// Rotations are updated by the Cayley map (quaternion (ω/2, 1), normalized): the exponential to second order, without sines. A step that does not lower
// the error is repeated with more damping, so the error never rises. With the option reuse, every other step
// uses the normal matrix of the step before it: near the minimum it hardly changes, and its factorization is most of the time (35 bones, 48 frames, two steps: 3.3 ms).
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';

const FRAMES_PER_CHUNK = 2;
/** Damping relative to the mean diagonal: the minimum, which keeps bones without weights solvable; the value after a failed step, and its growth. */
const MIN_DAMPING = 1e-9;
const FIRST_DAMPING = 1e-4;
const GROWTH = 30;
const MAX_TRIES = 5;
/** Minimum pivot, relative to the diagonal. */
const PIVOT_FLOOR = 1e-15;
const SMALLEST = 1e-300;

/** Doubles of scratch memory per thread. */
function scratchOf(size: number): number {
  return size * size + 10 * size;
}

/** Rotations of bones, and the moments that they are fitted to. */
export interface JointPoses {
  boneCount: number;
  /** frameCount x 3 x 3 boneCount: row r of every bone's rotation side by side; changed in place */
  rotations: Resident<Float64Array>;
  /** 3 boneCount x 3 boneCount */
  gram: Resident<Float64Array>;
  /** frameCount x 3 x 3 boneCount */
  targets: Resident<Float64Array>;
}

/** A call that fits the rotations of all frames in place, with scratch memory from the given compute. */
export function callJointPoses(
  memory: Compute,
  { boneCount, rotations, gram, targets }: JointPoses,
  steps: number,
  reuse = false,
): KernelCall {
  const frameCount = rotations.length / (9 * boneCount);
  const perThread = scratchOf(3 * boneCount);
  const scratch = memory.float64(perThread * memory.threads);
  const arrays = { rotations, gram, targets, scratch };
  const sizes = { frameCount, boneCount, bytesPerThread: perThread * 8, chunkSize: FRAMES_PER_CHUNK };
  const args = { ...arrays, ...sizes, steps, isReused: reuse };
  return callOf(jointPosesKernel, args, Math.ceil(frameCount / FRAMES_PER_CHUNK));
}

export const jointPosesKernel = kernel(
  'jointPoses',
  {
    rotations: 'f64',
    gram: 'f64',
    targets: 'f64',
    frameCount: 'int',
    boneCount: 'int',
    steps: 'int',
    scratch: 'f64',
    bytesPerThread: 'int',
    chunkSize: 'int',
    /** whether factors are reused */
    isReused: 'bool',
  },
  ({ rotations, gram, targets, frameCount, boneCount, steps, chunkSize, isReused }, chunk) => {
    const size = 3 * boneCount;
    const solver = new PoseSolver(gram, boneCount, isReused);
    const end = Math.min(frameCount, (chunk + 1) * chunkSize);
    for (let k = chunk * chunkSize; k < end; k++) {
      const at = k * 3 * size;
      solver.improve(rotations.subarray(at, at + 3 * size), targets.subarray(at, at + 3 * size), steps);
    }
  },
);

class PoseSolver {
  readonly #gram: Float64Array;
  readonly #boneCount: number;
  readonly #isReused: boolean;
  readonly #size: number;
  readonly #normal: Float64Array;
  /** X G */
  readonly #product: Float64Array;
  readonly #turn: Float64Array;
  readonly #trial: Float64Array;
  readonly #gradient: Float64Array;

  constructor(gram: Float64Array, boneCount: number, isReused: boolean) {
    const size = 3 * boneCount;
    this.#gram = gram;
    this.#boneCount = boneCount;
    this.#isReused = isReused;
    this.#size = size;
    this.#normal = new Float64Array(size * size);
    this.#product = new Float64Array(3 * size);
    this.#trial = new Float64Array(3 * size);
    this.#turn = new Float64Array(size);
    this.#gradient = new Float64Array(size);
  }

  improve(x: Float64Array, d: Float64Array, steps: number): void {
    let error = this.#measure(x, d);
    let isFactored = false;
    for (let step = 0; step < steps; step++) {
      this.#slope(x, d);
      let damping = MIN_DAMPING;
      let done = false;
      for (let n = 0; n < MAX_TRIES && !done; n++) {
        if (!isFactored || n > 0) this.#factor(x, damping);
        // only the factor of a step without additional damping
        isFactored = this.#isReused && n === 0 && !isFactored;
        this.#substitute();
        this.#apply(x);
        const next = this.#measure(this.#trial, d);
        if (next < error) {
          x.set(this.#trial);
          error = next;
          done = true;
        } else damping = Math.max(FIRST_DAMPING, damping * GROWTH);
      }
      if (!done) return;
    }
  }

  /** E − const, and X G as a by-product. */
  #measure(x: Float64Array, d: Float64Array): number {
    const size = this.#size;
    const gram = this.#gram;
    const product = this.#product;
    product.fill(0);
    let error = 0;
    for (let r = 0; r < 3; r++) {
      for (let e = 0; e < size; e++) {
        const value = x[r * size + e];
        for (let c = 0; c < size; c++) product[r * size + c] += value * gram[e * size + c];
      }
    }
    for (let e = 0; e < 3 * size; e++) error += x[e] * (product[e] - 2 * d[e]);
    return error;
  }

  #slope(x: Float64Array, d: Float64Array): void {
    const size = this.#size;
    const g = this.#gradient.fill(0);
    const p = this.#product;
    for (let e = 0; e < size; e++) {
      const b = e - (e % 3);
      const [x0, x1, x2] = [x[e], x[size + e], x[2 * size + e]];
      const y0 = p[e] - d[e];
      const y1 = p[size + e] - d[size + e];
      const y2 = p[2 * size + e] - d[2 * size + e];
      g[b] += x1 * y2 - x2 * y1;
      g[b + 1] += x2 * y0 - x0 * y2;
      g[b + 2] += x0 * y1 - x1 * y0;
    }
  }

  /** Factors the damped normal matrix. */
  #factor(x: Float64Array, damping: number): void {
    const size = this.#size;
    const h = this.#normal;
    const gram = this.#gram;
    const u = new Float64Array(9);
    const k = new Float64Array(9);
    let trace = 0;
    for (let b = 0; b < size; b += 3) {
      for (let c = 0; c <= b; c += 3) {
        for (let p = 0; p < 3; p++) {
          for (let s = 0; s < 3; s++) {
            let sum = 0;
            for (let q = 0; q < 3; q++) sum += gram[(b + p) * size + c + q] * x[s * size + c + q];
            u[3 * p + s] = sum;
          }
        }
        for (let r = 0; r < 3; r++)
          for (let s = 0; s < 3; s++)
            k[3 * r + s] = x[r * size + b] * u[s] + x[r * size + b + 1] * u[3 + s] + x[r * size + b + 2] * u[6 + s];
        const sum = k[0] + k[4] + k[8];
        for (let r = 0; r < 3; r++)
          for (let s = 0; s < 3; s++) h[(b + r) * size + c + s] = (r === s ? sum : 0) - k[3 * s + r];
        if (b === c) trace += 2 * sum;
      }
    }
    const lift = (damping * trace) / size + SMALLEST;
    for (let e = 0; e < size; e++) h[e * size + e] += lift;
    for (let i = 0; i < size; i++) {
      const whole = h[i * size + i];
      for (let j = 0; j <= i; j++) {
        let sum = h[i * size + j];
        for (let c = 0; c < j; c++) sum -= h[i * size + c] * h[j * size + c];
        h[i * size + j] = j < i ? sum / h[j * size + j] : Math.sqrt(Math.max(sum, whole * PIVOT_FLOOR + SMALLEST));
      }
    }
  }

  /** The rotation vectors of the step, from the factor and the gradient. */
  #substitute(): void {
    const size = this.#size;
    const h = this.#normal;
    const turn = this.#turn;
    for (let i = 0; i < size; i++) {
      let right = -this.#gradient[i];
      for (let j = 0; j < i; j++) right -= h[i * size + j] * turn[j];
      turn[i] = right / h[i * size + i];
    }
    for (let i = size - 1; i >= 0; i--) {
      turn[i] /= h[i * size + i];
      for (let c = 0; c < i; c++) turn[c] -= h[i * size + c] * turn[i];
    }
  }

  /** The rotations after the step. */
  #apply(x: Float64Array): void {
    const size = this.#size;
    for (let b = 0; b < 3 * this.#boneCount; b += 3) {
      const [p, q, s] = [0.5 * this.#turn[b], 0.5 * this.#turn[b + 1], 0.5 * this.#turn[b + 2]];
      const f = 2 / (1 + p * p + q * q + s * s);
      for (let c = b; c < b + 3; c++) {
        const [v0, v1, v2] = [x[c], x[size + c], x[2 * size + c]];
        // v + f (u × (u × v) + u × v), u half the rotation vector
        const w0 = q * v2 - s * v1;
        const w1 = s * v0 - p * v2;
        const w2 = p * v1 - q * v0;
        this.#trial[c] = v0 + f * (q * w2 - s * w1 + w0);
        this.#trial[size + c] = v1 + f * (s * w0 - p * w2 + w1);
        this.#trial[2 * size + c] = v2 + f * (p * w1 - q * w0 + w2);
      }
    }
  }
}
