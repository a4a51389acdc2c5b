// SPDX-License-Identifier: MIT

/** Smaller determinants, relative to the cubed trace, are rounding error. A ridge of 1e-6 gives a thousand times as much. */
const SINGULAR = 1e-18;

/**
 * Solves a symmetric positive 3x3 system by cofactors; returns false and does not write out if it is singular.
 * @param m xx xy xz yy yz zz
 */
export function solveSymmetric3(
  m: ArrayLike<number>,
  right: ArrayLike<number>,
  out: Float64Array,
  offset = 0,
): boolean {
  const xx = m[0];
  const xy = m[1];
  const xz = m[2];
  const yy = m[3];
  const yz = m[4];
  const zz = m[5];
  const c0 = yy * zz - yz * yz;
  const c1 = xz * yz - xy * zz;
  const c2 = xy * yz - xz * yy;
  const det = xx * c0 + xy * c1 + xz * c2;
  if (!(det > SINGULAR * (xx + yy + zz) * (xx + yy + zz) ** 2)) return false;
  const c3 = xx * zz - xz * xz;
  const c4 = xy * xz - xx * yz;
  const c5 = xx * yy - xy * xy;
  const a = right[0];
  const b = right[1];
  const c = right[2];
  out[offset] = (c0 * a + c1 * b + c2 * c) / det;
  out[offset + 1] = (c1 * a + c3 * b + c4 * c) / det;
  out[offset + 2] = (c2 * a + c4 * b + c5 * c) / det;
  return true;
}
