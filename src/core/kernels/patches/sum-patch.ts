// SPDX-License-Identifier: MIT
// The sums of a patch of points in one frame, from which its rigid motion follows: with the offsets u of the points at rest, whose mean is zero, and their positions v relative to the first point, the rotation from the frame to the
// rest shape is the one nearest to Σ u vᵀ.

/** Indices into the sums: Σ v, Σ |v|², then Σ u vᵀ, column-major with a column per coordinate of v. */
export const PATCH_SQUARE = 3;
export const PATCH_PRODUCTS = 4;
export const PATCH_SUMS = 13;

/** Coordinates of points in one frame: those of point p are at posed[begin + stride p + step r]. */
export interface PatchRows {
  posed: Float64Array;
  stride: number;
  step: number;
}

/** The points of patches, one patch after another, and those of the present patch at rest. */
export interface PatchPoints {
  patches: Uint32Array;
  /** points of the patch x 3: u */
  offsets: Float64Array;
}

/**
 * Fills the sums of a patch.
 * @param place of its first point in patches
 * @param sums PATCH_SUMS numbers
 */
export function sumPatchInto(
  { posed, stride, step }: PatchRows,
  begin: number,
  { patches, offsets }: PatchPoints,
  place: number,
  size: number,
  sums: Float64Array,
): void {
  const first = begin + stride * patches[place];
  const ox = posed[first];
  const oy = posed[first + step];
  const oz = posed[first + 2 * step];
  let vx = 0;
  let vy = 0;
  let vz = 0;
  let square = 0;
  let m0 = 0;
  let m1 = 0;
  let m2 = 0;
  let m3 = 0;
  let m4 = 0;
  let m5 = 0;
  let m6 = 0;
  let m7 = 0;
  let m8 = 0;
  for (let n = 0; n < size; n++) {
    const p = begin + stride * patches[place + n];
    const x = posed[p] - ox;
    const y = posed[p + step] - oy;
    const z = posed[p + 2 * step] - oz;
    const a = offsets[3 * n];
    const b = offsets[3 * n + 1];
    const c = offsets[3 * n + 2];
    vx += x;
    vy += y;
    vz += z;
    square += x * x + y * y + z * z;
    m0 += a * x;
    m1 += b * x;
    m2 += c * x;
    m3 += a * y;
    m4 += b * y;
    m5 += c * y;
    m6 += a * z;
    m7 += b * z;
    m8 += c * z;
  }
  sums[0] = vx;
  sums[1] = vy;
  sums[2] = vz;
  sums[PATCH_SQUARE] = square;
  sums[PATCH_PRODUCTS] = m0;
  sums[PATCH_PRODUCTS + 1] = m1;
  sums[PATCH_PRODUCTS + 2] = m2;
  sums[PATCH_PRODUCTS + 3] = m3;
  sums[PATCH_PRODUCTS + 4] = m4;
  sums[PATCH_PRODUCTS + 5] = m5;
  sums[PATCH_PRODUCTS + 6] = m6;
  sums[PATCH_PRODUCTS + 7] = m7;
  sums[PATCH_PRODUCTS + 8] = m8;
}
