// SPDX-License-Identifier: MIT
// The displacement of the rest position that moves a vertex to its target, d = F⁻¹ r, Eq. 12 of James & Twigg 2005, for F that may be near singular:
// blends of bones with very different rotations collapse (half a turn at equal weights gives σ = cos 90° = 0), and their inverse would create spikes.
//
// With F = U Σ Vᵀ, d = V g(Σ) Uᵀ r, g(σ) = 1/σ for σ ≥ σ₀ and σ/σ₀² below: continuous, at most 1/σ₀, and the remaining error is
// (1 − σ²/σ₀²) of r along that direction, so the error of a vertex never rises. σ₀ is relative to the typical singular value of the point's blends.
import { svd3Into } from '../../core/math/svd3.ts';

/** σ₀ relative to the root mean square singular value of the point's blends: two bones at equal weights are exact up to a bend of 174°. Chosen by hand. */
export const SINGULAR_RATIO = 0.05;

const [u, s, v] = [new Float64Array(9), new Float64Array(3), new Float64Array(9)];

/**
 * Fills the displacements of one point in all frames; returns the number of frames with a near-singular blend.
 * @param blends frameCount x 9, column-major
 * @param residuals frameCount x 3
 * @param out frameCount x 3
 */
export function restDisplacementsInto(blends: Float64Array, residuals: Float64Array, out: Float64Array): number {
  const frameCount = residuals.length / 3;
  let squares = 0;
  for (let c = 0; c < blends.length; c++) squares += blends[c] * blends[c];
  const floor = SINGULAR_RATIO * Math.sqrt(squares / (3 * frameCount));
  let singular = 0;
  for (let k = 0; k < frameCount; k++) {
    const b = 9 * k;
    const m0 = blends[b],
      m1 = blends[b + 1],
      m2 = blends[b + 2],
      m3 = blends[b + 3],
      m4 = blends[b + 4],
      m5 = blends[b + 5],
      m6 = blends[b + 6],
      m7 = blends[b + 7],
      m8 = blends[b + 8];
    const x = residuals[3 * k],
      y = residuals[3 * k + 1],
      z = residuals[3 * k + 2];
    const c0 = m4 * m8 - m5 * m7,
      c1 = m5 * m6 - m3 * m8,
      c2 = m3 * m7 - m4 * m6;
    const det = m0 * c0 + m1 * c1 + m2 * c2;
    const frobenius = m0 * m0 + m1 * m1 + m2 * m2 + m3 * m3 + m4 * m4 + m5 * m5 + m6 * m6 + m7 * m7 + m8 * m8;
    // σ₃ = |det| / σ₁σ₂ and σ₁σ₂ ≤ ‖F‖²/2
    if (2 * Math.abs(det) > floor * frobenius) {
      out[3 * k] = (c0 * x + c1 * y + c2 * z) / det;
      out[3 * k + 1] = ((m2 * m7 - m1 * m8) * x + (m0 * m8 - m2 * m6) * y + (m1 * m6 - m0 * m7) * z) / det;
      out[3 * k + 2] = ((m1 * m5 - m2 * m4) * x + (m2 * m3 - m0 * m5) * y + (m0 * m4 - m1 * m3) * z) / det;
      continue;
    }
    svd3Into(blends, u, s, v, b);
    if (!(s[2] >= floor && floor > 0)) singular++;
    out[3 * k] = out[3 * k + 1] = out[3 * k + 2] = 0;
    if (floor === 0) continue;
    for (let c = 0; c < 3; c++) {
      const gain = s[c] >= floor ? 1 / s[c] : s[c] / (floor * floor);
      const along = gain * (u[3 * c] * x + u[3 * c + 1] * y + u[3 * c + 2] * z);
      for (let a = 0; a < 3; a++) out[3 * k + a] += along * v[3 * c + a];
    }
  }
  return singular;
}
