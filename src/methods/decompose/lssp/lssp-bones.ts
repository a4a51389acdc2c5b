// SPDX-License-Identifier: MIT
// N. Hasler et al., "Learning skeletons for shape and pose", I3D 2010; Course 2014, §2.2: for given weights the rigid bones of a frame jointly by
// Levenberg–Marquardt. All sums come from moments (core/kernels/bones/skin-moments.ts), so that a step does not visit vertices: with M = [R t], Cⱼₗ = Σ wⱼwₗũũᵀ, Dⱼ = Σ wⱼvũᵀ,
//   E = Σⱼₗ tr(Mⱼ Cⱼₗ Mₗᵀ) − 2 Σⱼ tr(Mⱼ Dⱼᵀ) + Σ|v|².
// A step rotates each bone by ω about the center of its points (ū = Cⱼⱼ's mean) and translates it by τ: δ(Mⱼũ) = ω × aⱼ + τ, aⱼ = Rⱼ(u − ūⱼ). With the residual r,
// [Xⱼ fⱼ] = Σ wⱼ r (u − ūⱼ, 1)ᵀ and Sⱼₗ = Σ wⱼwₗ aⱼaₗᵀ, bⱼₗ = Σ wⱼwₗ aⱼ, sⱼₗ = Σ wⱼwₗ, the blocks of JᵀJ and Jᵀr are
//   ωω: tr(S) I − Sᵀ,   ωτ: [b]×,   ττ: s I,   gradient: Σ wⱼ aⱼ × r (from Xⱼ Rⱼᵀ), fⱼ.
// Weights need not sum to one.
import { pairOffset, type SkinMoments } from '../../../core/kernels/bones/skin-moments.ts';
import { SYM4_INDEX } from '../../../core/math/sym4.ts';
import { type LeastSquaresProblem, makeLevenbergMarquardt } from './levenberg-marquardt.ts';

/** A frame ends when a step lowers its error by less than this ratio. */
const TOLERANCE = 1e-6;
/** Bones whose squared weights have a smaller sum have no visible effect and are not updated. */
const MIN_MOMENT = 1e-9;

/**
 * Fits rigid bones in place, frame by frame.
 * @param bones (3 frameCount) x 4 boneCount, rotations and translations
 * @param squares frameCount: Σ|v|² of each frame
 * @param iterations maximum number of steps per frame
 * @returns the squared error over all frames
 */
export function lsspBonesInto(
  bones: Float64Array,
  boneCount: number,
  moments: SkinMoments,
  squares: Float64Array,
  iterations: number,
): number {
  const solver = makeLevenbergMarquardt(6 * boneCount);
  const problem = new FrameProblem(moments.pairs.view(), moments.targets.view(), boneCount, squares.length);
  let error = 0;
  for (let k = 0; k < squares.length; k++) {
    problem.enter(bones, k, squares[k]);
    error += solver.solve(problem, { iterations, tolerance: TOLERANCE }).error;
    problem.leave(bones, k);
  }
  return error;
}

class FrameProblem implements LeastSquaresProblem {
  readonly size: number;
  readonly #boneCount: number;
  readonly #frameCount: number;
  readonly #targets: Float64Array;
  /** boneCount x boneCount x 16: C as full matrices */
  readonly #pairs: Float64Array;
  /** boneCount x 12, rows of 3x4: the present bones, those before the last move, and D */
  readonly #bones: Float64Array;
  readonly #before: Float64Array;
  readonly #aims: Float64Array;
  /** boneCount x 3: ū */
  readonly #middles: Float64Array;
  readonly #turn = new Float64Array(9);
  readonly #scratch = new Float64Array(12);
  #square = 0;

  constructor(pairs: Float64Array, targets: Float64Array, boneCount: number, frameCount: number) {
    this.size = 6 * boneCount;
    this.#boneCount = boneCount;
    this.#frameCount = frameCount;
    this.#targets = targets;
    this.#pairs = new Float64Array(16 * boneCount * boneCount);
    this.#middles = new Float64Array(3 * boneCount);
    this.#bones = new Float64Array(12 * boneCount);
    this.#before = new Float64Array(12 * boneCount);
    this.#aims = new Float64Array(12 * boneCount);
    for (let j = 0; j < boneCount; j++) {
      for (let l = 0; l < boneCount; l++) {
        const from = pairOffset(boneCount, j, l);
        const to = (j * boneCount + l) * 16;
        for (let a = 0; a < 4; a++)
          for (let b = 0; b < 4; b++) this.#pairs[to + 4 * a + b] = pairs[from + SYM4_INDEX[a][b]];
      }
      const own = (j * boneCount + j) * 16;
      const weight = this.#pairs[own + 15];
      for (let r = 0; r < 3 && weight > MIN_MOMENT; r++)
        this.#middles[3 * j + r] = this.#pairs[own + 4 * r + 3] / weight;
    }
  }

  /** Sets the frame. */
  enter(bones: Float64Array, k: number, square: number): void {
    this.#square = square;
    const count = this.#boneCount;
    for (let j = 0; j < count; j++) {
      for (let r = 0; r < 3; r++) {
        for (let c = 0; c < 4; c++) {
          this.#bones[12 * j + 4 * r + c] = bones[(3 * k + r) * 4 * count + 4 * j + c];
          this.#aims[12 * j + 4 * r + c] = this.#targets[((j * this.#frameCount + k) * 3 + r) * 4 + c];
        }
      }
    }
  }

  leave(bones: Float64Array, k: number): void {
    const count = this.#boneCount;
    for (let j = 0; j < count; j++) {
      for (let r = 0; r < 3; r++)
        for (let c = 0; c < 4; c++) bones[(3 * k + r) * 4 * count + 4 * j + c] = this.#bones[12 * j + 4 * r + c];
    }
  }

  /** Σₗ Mₗ Cₗⱼ − Dⱼ = Σ wⱼ r ũᵀ, 3x4. */
  #residualInto(j: number, out: Float64Array): void {
    const m = this.#bones;
    for (let e = 0; e < 12; e++) out[e] = -this.#aims[12 * j + e];
    for (let l = 0; l < this.#boneCount; l++) {
      const c = (l * this.#boneCount + j) * 16;
      if (this.#pairs[c + 15] === 0) continue;
      for (let r = 0; r < 3; r++) {
        const o = 12 * l + 4 * r;
        for (let x = 0; x < 4; x++) {
          out[4 * r + x] +=
            m[o] * this.#pairs[c + x] +
            m[o + 1] * this.#pairs[c + 4 + x] +
            m[o + 2] * this.#pairs[c + 8 + x] +
            m[o + 3] * this.#pairs[c + 12 + x];
        }
      }
    }
  }

  /** E = Σⱼ tr(Mⱼ (Σₗ Mₗ Cₗⱼ − Dⱼ)ᵀ) − Σⱼ tr(Mⱼ Dⱼᵀ) + Σ|v|². */
  measure(): number {
    let error = this.#square;
    for (let j = 0; j < this.#boneCount; j++) {
      this.#residualInto(j, this.#scratch);
      for (let e = 0; e < 12; e++) error += this.#bones[12 * j + e] * (this.#scratch[e] - this.#aims[12 * j + e]);
    }
    return Math.max(0, error);
  }

  linearizeInto(normal: Float64Array, gradient: Float64Array): void {
    const f = this.#scratch;
    for (let j = 0; j < this.#boneCount; j++) {
      if (!(this.#pairs[(j * this.#boneCount + j) * 16 + 15] > MIN_MOMENT)) continue;
      this.#residualInto(j, f);
      // Y = X Rᵀ = Σ wⱼ r aᵀ; the components of Σ a × r are its differences across the diagonal
      const y = (r: number, a: number): number => {
        let sum = 0;
        for (let c = 0; c < 3; c++)
          sum += (f[4 * r + c] - f[4 * r + 3] * this.#middles[3 * j + c]) * this.#bones[12 * j + 4 * a + c];
        return sum;
      };
      const g = 6 * j;
      gradient[g] = y(2, 1) - y(1, 2);
      gradient[g + 1] = y(0, 2) - y(2, 0);
      gradient[g + 2] = y(1, 0) - y(0, 1);
      for (let r = 0; r < 3; r++) gradient[g + 3 + r] = f[4 * r + 3];
    }
    for (let j = 0; j < this.#boneCount; j++) for (let l = 0; l <= j; l++) this.#blockInto(j, l, normal);
  }

  /** The 6x6 block of bones j and l, if both are updated. */
  #blockInto(j: number, l: number, normal: Float64Array): void {
    const count = this.#boneCount;
    const c = (j * count + l) * 16;
    const pairs = this.#pairs;
    const s = pairs[c + 15];
    const isIdle = (b: number) => !(pairs[(b * count + b) * 16 + 15] > MIN_MOMENT);
    if (s === 0 || isIdle(j) || isIdle(l)) return;
    const [uj, ul] = [3 * j, 3 * l];
    const m = this.#middles;
    const t = this.#turn;
    // t = Σ wⱼwₗ (u − ūⱼ)(u − ūₗ)ᵀ Rₗᵀ, then S = Rⱼ t
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        let sum = 0;
        for (let e = 0; e < 3; e++) {
          const centred =
            pairs[c + 4 * a + e] -
            m[uj + a] * pairs[c + 12 + e] -
            pairs[c + 4 * a + 3] * m[ul + e] +
            s * m[uj + a] * m[ul + e];
          sum += centred * this.#bones[12 * l + 4 * b + e];
        }
        t[3 * a + b] = sum;
      }
    }
    const size = this.size;
    const at = 6 * j * size + 6 * l;
    let trace = 0;
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        let value = 0;
        for (let e = 0; e < 3; e++) value += this.#bones[12 * j + 4 * a + e] * t[3 * e + b];
        normal[at + b * size + a] = -value;
        if (a === b) trace += value;
      }
    }
    for (let a = 0; a < 3; a++) {
      normal[at + a * size + a] += trace;
      normal[at + (3 + a) * size + 3 + a] = s;
    }
    this.#crossInto(j, c, 1, normal, at + 3);
    this.#crossInto(l, c, -1, normal, at + 3 * size);
  }

  /** sign [b]× of bone j with b = R(Σ wⱼwₗ u − s ū), placed as a 3x3 block; pair: the place of Σ wⱼwₗ ũũᵀ. */
  #crossInto(j: number, pair: number, sign: number, out: Float64Array, at: number): void {
    const [bones, pairs, stride] = [this.#bones, this.#pairs, this.size];
    const s = pairs[pair + 15];
    const bone = 12 * j;
    let [x, y, z] = [0, 0, 0];
    for (let e = 0; e < 3; e++) {
      const d = sign * (pairs[pair + 4 * e + 3] - s * this.#middles[3 * j + e]);
      x += bones[bone + e] * d;
      y += bones[bone + 4 + e] * d;
      z += bones[bone + 8 + e] * d;
    }
    out[at + 1] = -z;
    out[at + 2] = y;
    out[at + stride] = z;
    out[at + stride + 2] = -x;
    out[at + 2 * stride] = -y;
    out[at + 2 * stride + 1] = x;
  }

  move(step: Float64Array): number {
    this.#before.set(this.#bones);
    const m = this.#bones;
    const t = this.#turn;
    for (let j = 0; j < this.#boneCount; j++) {
      turnInto(step, 6 * j, t);
      const o = 12 * j;
      for (let r = 0; r < 3; r++) {
        // the posed center only translates: R ū + t
        let middle = this.#before[o + 4 * r + 3] + step[6 * j + 3 + r];
        for (let c = 0; c < 3; c++) {
          middle += this.#before[o + 4 * r + c] * this.#middles[3 * j + c];
          let sum = 0;
          for (let e = 0; e < 3; e++) sum += t[3 * r + e] * this.#before[o + 4 * e + c];
          m[o + 4 * r + c] = sum;
        }
        for (let c = 0; c < 3; c++) middle -= m[o + 4 * r + c] * this.#middles[3 * j + c];
        m[o + 4 * r + 3] = middle;
      }
    }
    return this.measure();
  }

  undo(): void {
    this.#bones.set(this.#before);
  }
}

/** The rotation of the quaternion (ω/2, 1), normalized: the rotation by ω to second order, without sines. */
function turnInto(step: Float64Array, offset: number, out: Float64Array): void {
  const [x, y, z] = [0.5 * step[offset], 0.5 * step[offset + 1], 0.5 * step[offset + 2]];
  const n = 2 / (1 + x * x + y * y + z * z);
  out[0] = 1 - n * (y * y + z * z);
  out[1] = n * (x * y - z);
  out[2] = n * (x * z + y);
  out[3] = n * (x * y + z);
  out[4] = 1 - n * (x * x + z * z);
  out[5] = n * (y * z - x);
  out[6] = n * (x * z - y);
  out[7] = n * (y * z + x);
  out[8] = 1 - n * (x * x + y * y);
}
