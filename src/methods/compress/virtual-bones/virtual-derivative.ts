// SPDX-License-Identifier: MIT
// Derivatives of the transform of one patch in one pose by its multi-weights: the small matrices of virtual-update.ts.
//
// With Q* = R P polar, a change of Q* rotates R by w: dR = R [w],  (tr P I − P) w = vee(RᵀdQ* − dQ*ᵀR). A part Y that moves by F, h changes Q* and q by
//   dQ* = F dA + h dbᵀ,   dq = F db + h dω.

import {
  SYM4_11,
  SYM4_FIRST,
  SYM4_SIZE,
  SYM4_X1,
  SYM4_XX,
  SYM4_XY,
  SYM4_XZ,
  SYM4_Y1,
  SYM4_YY,
  SYM4_YZ,
  SYM4_Z1,
  SYM4_ZZ,
} from '../../../core/math/sym4.ts';

/** Minimum eigenvalue of tr P I − P relative to the mean. Below, w is fixed: the nearest rotation is close to a discontinuity. Chosen by hand. */
const SOFTNESS = 0.02;

/** The derivative of one pose at a time. */
export class PoseDerivative {
  /** 6 x 6: the quadratic form of the error in (w, dq) */
  readonly hessian6 = new Float64Array(36);
  /** its slope */
  readonly gradient6 = new Float64Array(6);
  readonly #polar = new Float64Array(9);
  /** xx xy xz yy yz zz of the inverse of tr P I − P */
  readonly #inverse = new Float64Array(6);
  readonly #f = new Float64Array(9);
  readonly #h = new Float64Array(3);
  readonly #turned = new Float64Array(3);

  /**
   * Fills the quadratic form and its slope.
   * @param n N, 4 x 4
   * @param gradient3x4 the derivative by Θ about the center, row-major
   */
  fillHessian6(rotation: Float64Array, n: Float64Array, gradient3x4: Float64Array): void {
    const { hessian6, gradient6 } = this;
    const trace = n[0] + n[5] + n[10];
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        hessian6[6 * r + c] = (r === c ? trace : 0) - n[4 * r + c];
        hessian6[6 * (3 + r) + 3 + c] = r === c ? n[15] : 0;
      }
    }
    // dqᵀ R (w × n) = −dqᵀ R [n] w; rows dq, columns w
    const nx = n[3],
      ny = n[7],
      nz = n[11];
    for (let r = 0; r < 3; r++) {
      const r0 = rotation[r],
        r1 = rotation[3 + r],
        r2 = rotation[6 + r];
      const m0 = -(r1 * nz - r2 * ny),
        m1 = -(r2 * nx - r0 * nz),
        m2 = -(r0 * ny - r1 * nx);
      hessian6[6 * (3 + r)] = m0;
      hessian6[6 * (3 + r) + 1] = m1;
      hessian6[6 * (3 + r) + 2] = m2;
      hessian6[3 + r] = m0;
      hessian6[6 + 3 + r] = m1;
      hessian6[12 + 3 + r] = m2;
    }
    // Z = RᵀG₃; tr(G₃ᵀR[w]) = w·(Z₃₂ − Z₂₃, Z₁₃ − Z₃₁, Z₂₁ − Z₁₂)
    gradient6[0] = turnedAt(rotation, gradient3x4, 2, 1) - turnedAt(rotation, gradient3x4, 1, 2);
    gradient6[1] = turnedAt(rotation, gradient3x4, 0, 2) - turnedAt(rotation, gradient3x4, 2, 0);
    gradient6[2] = turnedAt(rotation, gradient3x4, 1, 0) - turnedAt(rotation, gradient3x4, 0, 1);
    for (let r = 0; r < 3; r++) gradient6[3 + r] = gradient3x4[4 * r + 3];
  }

  /** Computes the inverse of tr P I − P; false if the rotation is not differentiable. */
  invert(image: Float64Array, t: Float64Array): boolean {
    const polar = this.#polar;
    const inverse = this.#inverse;
    // P = RᵀQ*
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++)
        polar[3 * c + r] = t[3 * r] * image[3 * c] + t[3 * r + 1] * image[3 * c + 1] + t[3 * r + 2] * image[3 * c + 2];
    }
    // K = tr P I − P, symmetric except for rounding
    const trace = polar[0] + polar[4] + polar[8];
    const k01 = -0.5 * (polar[1] + polar[3]),
      k02 = -0.5 * (polar[2] + polar[6]),
      k12 = -0.5 * (polar[5] + polar[7]);
    let k00 = trace - polar[0],
      k11 = trace - polar[4],
      k22 = trace - polar[8];
    const mean = (k00 + k11 + k22) / 3;
    if (!(mean > 0)) return false;
    let det = k00 * (k11 * k22 - k12 * k12) - k01 * (k01 * k22 - k12 * k02) + k02 * (k01 * k12 - k11 * k02);
    if (det < SOFTNESS * mean * mean * mean) {
      k00 += SOFTNESS * mean;
      k11 += SOFTNESS * mean;
      k22 += SOFTNESS * mean;
      det = k00 * (k11 * k22 - k12 * k12) - k01 * (k01 * k22 - k12 * k02) + k02 * (k01 * k12 - k11 * k02);
      if (!(det > 1e-6 * mean * mean * mean)) return false;
    }
    const inv = 1 / det;
    inverse[0] = (k11 * k22 - k12 * k12) * inv;
    inverse[1] = (k02 * k12 - k01 * k22) * inv;
    inverse[2] = (k01 * k12 - k02 * k11) * inv;
    inverse[3] = (k00 * k22 - k02 * k02) * inv;
    inverse[4] = (k01 * k02 - k00 * k12) * inv;
    inverse[5] = (k00 * k11 - k01 * k01) * inv;
    return true;
  }

  /** Fills 6 x 10, row-major: d(w, q)/dY for the motion F, τ at o, about the center p. */
  jacobianInto(t: Float64Array, motions: Float64Array, o: number, p: Float64Array, out: Float64Array): void {
    const f = this.#f;
    const h = this.#h;
    const turned = this.#turned;
    const inverse = this.#inverse;
    // RᵀF and Rᵀh: the motion in the frame of R
    for (let r = 0; r < 3; r++)
      h[r] = motions[o + r] * p[0] + motions[o + 3 + r] * p[1] + motions[o + 6 + r] * p[2] + motions[o + 9 + r];
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++)
        f[3 * c + r] =
          t[3 * r] * motions[o + 3 * c] + t[3 * r + 1] * motions[o + 3 * c + 1] + t[3 * r + 2] * motions[o + 3 * c + 2];
      turned[r] = t[3 * r] * h[0] + t[3 * r + 1] * h[1] + t[3 * r + 2] * h[2];
    }
    out.fill(0);
    // vee(X − Xᵀ) for X with the column x in place c: c = 0: (0, −x₂, x₁), c = 1: (x₂, 0, −x₀), c = 2: (−x₁, x₀, 0)
    putColumn(out, inverse, SYM4_XX, 0, -f[2], f[1]);
    putColumn(out, inverse, SYM4_XY, f[2], -f[5], f[4] - f[0]);
    putColumn(out, inverse, SYM4_XZ, -f[1], f[0] - f[8], f[7]);
    putColumn(out, inverse, SYM4_X1, 0, -turned[2], turned[1]);
    putColumn(out, inverse, SYM4_YY, f[5], 0, -f[3]);
    putColumn(out, inverse, SYM4_YZ, f[8] - f[4], f[3], -f[6]);
    putColumn(out, inverse, SYM4_Y1, turned[2], 0, -turned[0]);
    putColumn(out, inverse, SYM4_ZZ, -f[7], f[6], 0);
    putColumn(out, inverse, SYM4_Z1, -turned[1], turned[0], 0);
    for (let r = 0; r < 3; r++) {
      const row = SYM4_SIZE * (3 + r);
      for (let c = 0; c < 3; c++) out[row + SYM4_FIRST[c]] = motions[o + 3 * c + r];
      out[row + SYM4_11] = h[r];
    }
  }
}

/** An entry of RᵀG₃. */
function turnedAt(rotation: Float64Array, gradient3x4: Float64Array, a: number, b: number): number {
  return (
    rotation[3 * a] * gradient3x4[b] +
    rotation[3 * a + 1] * gradient3x4[4 + b] +
    rotation[3 * a + 2] * gradient3x4[8 + b]
  );
}

/** Fills the three rows of w in one column of a Jacobian: the inverse times (x, y, z). */
function putColumn(out: Float64Array, inverse: Float64Array, column: number, x: number, y: number, z: number): void {
  out[column] = inverse[0] * x + inverse[1] * y + inverse[2] * z;
  out[SYM4_SIZE + column] = inverse[1] * x + inverse[3] * y + inverse[4] * z;
  out[2 * SYM4_SIZE + column] = inverse[2] * x + inverse[4] * y + inverse[5] * z;
}
