// SPDX-License-Identifier: MIT
// 4x4 matrices, column-major, column vectors (M * v), as glTF and WGSL. Functions take an offset so that arrays of
// matrices are worked on in place; a destination may be one of the sources.

export type NumberArray = Float64Array | Float32Array | number[];

/** The identity; shared, not to be written. */
export const IDENTITY: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** count identity matrices: count x 16. */
export function makeIdentities(count: number): Float64Array {
  const m = new Float64Array(count * 16);
  for (let o = 0; o < m.length; o += 16) m[o] = m[o + 5] = m[o + 10] = m[o + 15] = 1;
  return m;
}

/** out = a * b */
export function multiply(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  out: NumberArray,
  aOffset = 0,
  bOffset = 0,
  outOffset = 0,
): void {
  const a00 = a[aOffset],
    a10 = a[aOffset + 1],
    a20 = a[aOffset + 2],
    a30 = a[aOffset + 3];
  const a01 = a[aOffset + 4],
    a11 = a[aOffset + 5],
    a21 = a[aOffset + 6],
    a31 = a[aOffset + 7];
  const a02 = a[aOffset + 8],
    a12 = a[aOffset + 9],
    a22 = a[aOffset + 10],
    a32 = a[aOffset + 11];
  const a03 = a[aOffset + 12],
    a13 = a[aOffset + 13],
    a23 = a[aOffset + 14],
    a33 = a[aOffset + 15];
  // Columns of b are read before the matching column of out is written, so out may be b; a is held in locals.
  for (let c = 0; c < 4; c++) {
    const b0 = b[bOffset + 4 * c],
      b1 = b[bOffset + 4 * c + 1],
      b2 = b[bOffset + 4 * c + 2],
      b3 = b[bOffset + 4 * c + 3];
    const o = outOffset + 4 * c;
    out[o] = a00 * b0 + a01 * b1 + a02 * b2 + a03 * b3;
    out[o + 1] = a10 * b0 + a11 * b1 + a12 * b2 + a13 * b3;
    out[o + 2] = a20 * b0 + a21 * b1 + a22 * b2 + a23 * b3;
    out[o + 3] = a30 * b0 + a31 * b1 + a32 * b2 + a33 * b3;
  }
}

/** Inverse of an affine matrix (last row 0 0 0 1). Returns false and does not write to out when the 3x3 part is singular. */
export function invertAffine(m: ArrayLike<number>, out: NumberArray, mOffset = 0, outOffset = 0): boolean {
  const m00 = m[mOffset],
    m10 = m[mOffset + 1],
    m20 = m[mOffset + 2];
  const m01 = m[mOffset + 4],
    m11 = m[mOffset + 5],
    m21 = m[mOffset + 6];
  const m02 = m[mOffset + 8],
    m12 = m[mOffset + 9],
    m22 = m[mOffset + 10];
  const tx = m[mOffset + 12],
    ty = m[mOffset + 13],
    tz = m[mOffset + 14];
  const c00 = m11 * m22 - m12 * m21,
    c01 = m12 * m20 - m10 * m22,
    c02 = m10 * m21 - m11 * m20;
  const det = m00 * c00 + m01 * c01 + m02 * c02;
  const inv = 1 / det;
  if (!Number.isFinite(inv)) return false;
  const i00 = c00 * inv,
    i10 = c01 * inv,
    i20 = c02 * inv;
  const i01 = (m02 * m21 - m01 * m22) * inv,
    i11 = (m00 * m22 - m02 * m20) * inv,
    i21 = (m01 * m20 - m00 * m21) * inv;
  const i02 = (m01 * m12 - m02 * m11) * inv,
    i12 = (m02 * m10 - m00 * m12) * inv,
    i22 = (m00 * m11 - m01 * m10) * inv;
  const o = outOffset;
  out[o] = i00;
  out[o + 1] = i10;
  out[o + 2] = i20;
  out[o + 3] = 0;
  out[o + 4] = i01;
  out[o + 5] = i11;
  out[o + 6] = i21;
  out[o + 7] = 0;
  out[o + 8] = i02;
  out[o + 9] = i12;
  out[o + 10] = i22;
  out[o + 11] = 0;
  out[o + 12] = -(i00 * tx + i01 * ty + i02 * tz);
  out[o + 13] = -(i10 * tx + i11 * ty + i12 * tz);
  out[o + 14] = -(i20 * tx + i21 * ty + i22 * tz);
  out[o + 15] = 1;
  return true;
}

/** Determinant of the upper 3x3. */
export function determinant3(m: ArrayLike<number>, o = 0): number {
  return (
    m[o] * (m[o + 5] * m[o + 10] - m[o + 9] * m[o + 6]) -
    m[o + 4] * (m[o + 1] * m[o + 10] - m[o + 9] * m[o + 2]) +
    m[o + 8] * (m[o + 1] * m[o + 6] - m[o + 5] * m[o + 2])
  );
}

/** out = m * (p, 1) */
export function transformPoint(
  m: ArrayLike<number>,
  p: ArrayLike<number>,
  out: NumberArray,
  mOffset = 0,
  pOffset = 0,
  outOffset = 0,
): void {
  const x = p[pOffset],
    y = p[pOffset + 1],
    z = p[pOffset + 2];
  out[outOffset] = m[mOffset] * x + m[mOffset + 4] * y + m[mOffset + 8] * z + m[mOffset + 12];
  out[outOffset + 1] = m[mOffset + 1] * x + m[mOffset + 5] * y + m[mOffset + 9] * z + m[mOffset + 13];
  out[outOffset + 2] = m[mOffset + 2] * x + m[mOffset + 6] * y + m[mOffset + 10] * z + m[mOffset + 14];
}

/** out = m * (d, 0) */
export function transformDirection(
  m: ArrayLike<number>,
  d: ArrayLike<number>,
  out: NumberArray,
  mOffset = 0,
  dOffset = 0,
  outOffset = 0,
): void {
  const x = d[dOffset],
    y = d[dOffset + 1],
    z = d[dOffset + 2];
  out[outOffset] = m[mOffset] * x + m[mOffset + 4] * y + m[mOffset + 8] * z;
  out[outOffset + 1] = m[mOffset + 1] * x + m[mOffset + 5] * y + m[mOffset + 9] * z;
  out[outOffset + 2] = m[mOffset + 2] * x + m[mOffset + 6] * y + m[mOffset + 10] * z;
}

/** out = m * (p, 1) for all points p, one after the other */
export function transformPoints(
  m: ArrayLike<number>,
  points: ArrayLike<number>,
  out: NumberArray,
  pOffset = 0,
  outOffset = 0,
  count = points.length / 3,
): void {
  const [m0, m1, m2, m4, m5, m6, m8, m9, m10] = [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]];
  const [tx, ty, tz] = [m[12], m[13], m[14]];
  for (let n = 0; n < 3 * count; n += 3) {
    const x = points[pOffset + n];
    const y = points[pOffset + n + 1];
    const z = points[pOffset + n + 2];
    out[outOffset + n] = m0 * x + m4 * y + m8 * z + tx;
    out[outOffset + n + 1] = m1 * x + m5 * y + m9 * z + ty;
    out[outOffset + n + 2] = m2 * x + m6 * y + m10 * z + tz;
  }
}

/** out = m * (d, 0) for all directions d, one after the other */
export function transformDirections(
  m: ArrayLike<number>,
  directions: ArrayLike<number>,
  out: NumberArray,
  dOffset = 0,
  outOffset = 0,
  count = directions.length / 3,
): void {
  const [m0, m1, m2, m4, m5, m6, m8, m9, m10] = [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]];
  for (let n = 0; n < 3 * count; n += 3) {
    const x = directions[dOffset + n];
    const y = directions[dOffset + n + 1];
    const z = directions[dOffset + n + 2];
    out[outOffset + n] = m0 * x + m4 * y + m8 * z;
    out[outOffset + n + 1] = m1 * x + m5 * y + m9 * z;
    out[outOffset + n + 2] = m2 * x + m6 * y + m10 * z;
  }
}

/** out = translation * rotation(x y z w) * scale */
export function compose(
  t: ArrayLike<number>,
  q: ArrayLike<number>,
  s: ArrayLike<number>,
  out: NumberArray,
  tOffset = 0,
  qOffset = 0,
  sOffset = 0,
  outOffset = 0,
): void {
  const x = q[qOffset],
    y = q[qOffset + 1],
    z = q[qOffset + 2],
    w = q[qOffset + 3];
  const sx = s[sOffset],
    sy = s[sOffset + 1],
    sz = s[sOffset + 2];
  const o = outOffset;
  out[o] = (1 - 2 * (y * y + z * z)) * sx;
  out[o + 1] = 2 * (x * y + w * z) * sx;
  out[o + 2] = 2 * (x * z - w * y) * sx;
  out[o + 3] = 0;
  out[o + 4] = 2 * (x * y - w * z) * sy;
  out[o + 5] = (1 - 2 * (x * x + z * z)) * sy;
  out[o + 6] = 2 * (y * z + w * x) * sy;
  out[o + 7] = 0;
  out[o + 8] = 2 * (x * z + w * y) * sz;
  out[o + 9] = 2 * (y * z - w * x) * sz;
  out[o + 10] = (1 - 2 * (x * x + y * y)) * sz;
  out[o + 11] = 0;
  out[o + 12] = t[tOffset];
  out[o + 13] = t[tOffset + 1];
  out[o + 14] = t[tOffset + 2];
  out[o + 15] = 1;
}

/** Whether two 4x4 matrices differ by at most a tolerance, relative to the largest number of the first. */
export function isCloseMatrix(a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number): boolean {
  let size = 0;
  let difference = 0;
  for (let c = 0; c < 16; c++) {
    size = Math.max(size, Math.abs(a[c]));
    difference = Math.max(difference, Math.abs(a[c] - b[c]));
  }
  return difference <= tolerance * size;
}
