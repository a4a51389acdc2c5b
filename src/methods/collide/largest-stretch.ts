// SPDX-License-Identifier: MIT

/** Above the rounding of the closed form, whose arc cosine loses half of the digits where two eigenvalues meet. */
const ROUND_UP = 1 + 1e-7;

/**
 * The largest factor by which the linear part of a 4x4 matrix stretches a vector: its spectral norm, never less. It is the root of the largest eigenvalue
 * of S = LᵀL, which is q + 2p cos φ for the mean q of the eigenvalues and their spread p.
 */
export function largestStretch(m: ArrayLike<number>, o = 0): number {
  const a = m[o],
    b = m[o + 1],
    c = m[o + 2];
  const d = m[o + 4],
    e = m[o + 5],
    f = m[o + 6];
  const g = m[o + 8],
    h = m[o + 9],
    i = m[o + 10];
  const s00 = a * a + b * b + c * c;
  const s11 = d * d + e * e + f * f;
  const s22 = g * g + h * h + i * i;
  const s01 = a * d + b * e + c * f;
  const s02 = a * g + b * h + c * i;
  const s12 = d * g + e * h + f * i;
  const q = (s00 + s11 + s22) / 3;
  const [x, y, z] = [s00 - q, s11 - q, s22 - q];
  const p = Math.sqrt((x * x + y * y + z * z + 2 * (s01 * s01 + s02 * s02 + s12 * s12)) / 6);
  // the angle of a spread that is only rounding means nothing; q + 2p bounds it
  if (!(p > 1e-7 * q)) return Math.sqrt(q + 2 * p) * ROUND_UP;
  const determinant = x * (y * z - s12 * s12) - s01 * (s01 * z - s12 * s02) + s02 * (s01 * s12 - y * s02);
  const cosine = Math.min(1, Math.max(-1, determinant / (2 * p * p * p)));
  return Math.sqrt(q + 2 * p * Math.cos(Math.acos(cosine) / 3)) * ROUND_UP;
}
