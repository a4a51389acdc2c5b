// SPDX-License-Identifier: MIT
// Singular values of a 3x3 matrix by one-sided Jacobi.
//
// M. R. Hestenes, "Inversion of matrices by biorthogonalization and related results", J. SIAM 6 (1958).
// J. Demmel, K. Veselić, "Jacobi's method is more accurate than QR", SIAM J. Matrix Anal. Appl. 13 (1992).
//
// Let B = M V with V orthogonal. A turn of the columns p, q of B (and of V) by the angle with
//   t = tan = sign(ζ) / (|ζ| + √(1 + ζ²)),  ζ = (|b_q|² − |b_p|²) / (2 b_p·b_q)
// makes them orthogonal. Sweeping over the three pairs until all are orthogonal leaves B = U S: the singular values are the
// lengths of the columns. MᵀM is never formed, so small singular values are accurate to rounding in the largest
// (and to rounding in themselves where only the columns differ in size); forming it would lose all below 1e-8 of the largest.
// All matrices are column-major, nine numbers.
import type { NumberArray } from './mat4.ts';

/** Columns are orthogonal when the cosine between them is below this: two units in the last place. */
const ORTHOGONAL_COSINE = 2 ** -51;
/** Jacobi converges quadratically, random matrices need four or five sweeps; the bound protects against hostile input. */
const MAX_SWEEPS = 24;
/** Singular values below this ratio of the largest have no reliable direction: U is completed by a fixed rule. */
const ZERO_RATIO = 1e-150;

/**
 * Fills U, S, V with M = U diag(S) Vᵀ: U and V orthogonal (either may be a reflection), S not negative and falling. Deterministic for any
 * finite input; zero gives U = V = I. Returns false, with U = V = I and S = 0, when M is not finite. u, s and v must not
 * be m.
 * @param m column-major 3x3
 * @param u column-major 3x3
 * @param s 3 singular values
 * @param v column-major 3x3
 */
export function svd3Into(m: ArrayLike<number>, u: NumberArray, s: NumberArray, v: NumberArray, mOffset = 0): boolean {
  for (let c = 0; c < 9; c++) u[c] = v[c] = c % 4 === 0 ? 1 : 0;
  s[0] = s[1] = s[2] = 0;
  let scale = 0;
  for (let c = 0; c < 9; c++) scale = Math.max(scale, Math.abs(m[mOffset + c]));
  if (!(scale < Number.POSITIVE_INFINITY)) return false;
  if (scale === 0) return true;
  // Dividing by the largest entry keeps squares within range for any input; 1 / scale could overflow.
  for (let c = 0; c < 9; c++) u[c] = m[mOffset + c] / scale;

  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const turned01 = orthogonalizeColumns(u, v, 0, 3);
    const turned02 = orthogonalizeColumns(u, v, 0, 6);
    const turned12 = orthogonalizeColumns(u, v, 3, 6);
    if (!turned01 && !turned02 && !turned12) break;
  }
  sortColumns(u, s, v);
  completeBasis(u, s);
  for (let c = 0; c < 3; c++) s[c] *= scale;
  return true;
}

/**
 * As svd3Into, with det U = det V = +1: both are rotations, and the last singular value carries the sign of det M. S is falling in magnitude.
 * U Vᵀ is then the nearest rotation to M.
 */
export function svd3ProperInto(
  m: ArrayLike<number>,
  u: NumberArray,
  s: NumberArray,
  v: NumberArray,
  mOffset = 0,
): boolean {
  const finite = svd3Into(m, u, s, v, mOffset);
  // M keeps its value when a column of U or V and the singular value change sign together.
  if (determinantOfColumns(v) < 0) {
    for (let c = 6; c < 9; c++) v[c] = -v[c];
    s[2] = -s[2];
  }
  if (determinantOfColumns(u) < 0) {
    for (let c = 6; c < 9; c++) u[c] = -u[c];
    s[2] = -s[2];
  }
  return finite;
}

/** Turns the columns at p and q of b, and those of v, so that b's become orthogonal. Returns whether they were not. */
function orthogonalizeColumns(b: NumberArray, v: NumberArray, p: number, q: number): boolean {
  const p0 = b[p],
    p1 = b[p + 1],
    p2 = b[p + 2];
  const q0 = b[q],
    q1 = b[q + 1],
    q2 = b[q + 2];
  const pp = p0 * p0 + p1 * p1 + p2 * p2;
  const qq = q0 * q0 + q1 * q1 + q2 * q2;
  const pq = p0 * q0 + p1 * q1 + p2 * q2;
  if (!(Math.abs(pq) > ORTHOGONAL_COSINE * Math.sqrt(pp) * Math.sqrt(qq))) return false;
  const zeta = (qq - pp) / (2 * pq);
  // zeta² may overflow to infinity; then t is 0, which is correct.
  const t = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const cos = 1 / Math.sqrt(1 + t * t);
  const sin = cos * t;
  b[p] = cos * p0 - sin * q0;
  b[p + 1] = cos * p1 - sin * q1;
  b[p + 2] = cos * p2 - sin * q2;
  b[q] = sin * p0 + cos * q0;
  b[q + 1] = sin * p1 + cos * q1;
  b[q + 2] = sin * p2 + cos * q2;
  for (let c = 0; c < 3; c++) {
    const vp = v[p + c],
      vq = v[q + c];
    v[p + c] = cos * vp - sin * vq;
    v[q + c] = sin * vp + cos * vq;
  }
  return t !== 0;
}

/** Fills s with the lengths of b's columns, falling, and orders the columns of b and v alike; equal ones keep their order. */
function sortColumns(b: NumberArray, s: NumberArray, v: NumberArray): void {
  for (let c = 0; c < 3; c++) s[c] = Math.sqrt(b[3 * c] ** 2 + b[3 * c + 1] ** 2 + b[3 * c + 2] ** 2);
  if (s[1] > s[0]) swapColumns(b, s, v, 0, 1);
  if (s[2] > s[1]) swapColumns(b, s, v, 1, 2);
  if (s[1] > s[0]) swapColumns(b, s, v, 0, 1);
}

function swapColumns(b: NumberArray, s: NumberArray, v: NumberArray, p: number, q: number): void {
  const length = s[p];
  s[p] = s[q];
  s[q] = length;
  for (let c = 0; c < 3; c++) {
    const x = b[3 * p + c];
    b[3 * p + c] = b[3 * q + c];
    b[3 * q + c] = x;
    const y = v[3 * p + c];
    v[3 * p + c] = v[3 * q + c];
    v[3 * q + c] = y;
  }
}

/** Turns b = U S into U. Directions of zero singular values are completed; U is orthogonal to the last bit for any b. */
function completeBasis(u: NumberArray, s: NumberArray): void {
  for (let c = 0; c < 3; c++) u[c] /= s[0];
  if (s[1] > ZERO_RATIO * s[0]) {
    for (let c = 3; c < 6; c++) u[c] /= s[1];
    const d = u[0] * u[3] + u[1] * u[4] + u[2] * u[5];
    for (let c = 3; c < 6; c++) u[c] -= d * u[c - 3];
  } else {
    s[1] = 0;
    // Any direction across the first: the coordinate axis least along it, made orthogonal; ties go to the lower axis.
    const x = Math.abs(u[0]),
      y = Math.abs(u[1]),
      z = Math.abs(u[2]);
    const axis = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
    const d = u[axis];
    for (let c = 0; c < 3; c++) u[3 + c] = (c === axis ? 1 : 0) - d * u[c];
  }
  const length = Math.sqrt(u[3] * u[3] + u[4] * u[4] + u[5] * u[5]);
  for (let c = 3; c < 6; c++) u[c] /= length;
  const w0 = u[1] * u[5] - u[2] * u[4],
    w1 = u[2] * u[3] - u[0] * u[5],
    w2 = u[0] * u[4] - u[1] * u[3];
  const sign = u[6] * w0 + u[7] * w1 + u[8] * w2 < 0 ? -1 : 1;
  if (!(s[2] > ZERO_RATIO * s[0])) s[2] = 0;
  u[6] = sign * w0;
  u[7] = sign * w1;
  u[8] = sign * w2;
}

function determinantOfColumns(m: NumberArray): number {
  return m[0] * (m[4] * m[8] - m[7] * m[5]) - m[3] * (m[1] * m[8] - m[7] * m[2]) + m[6] * (m[1] * m[5] - m[4] * m[2]);
}
