// SPDX-License-Identifier: MIT
// Symmetric 4x4 matrices as ten numbers, the upper triangle row by row: xx xy xz x1 yy yz y1 zz z1 11. Written [B b; bᵀ ω], such a matrix holds the second
// moments B, the first moments b and the weight ω of weighted points: Σ w ũũᵀ with ũ = (x, y, z, 1). Multi-weights of Direct Delta Mush, moments of skins and
// products of bones are all of this kind.
//
// Functions take an array and the offset of the matrix in it, so that many matrices share one array. Sums and products are evaluated in the order written
// here: results are stored in files, and must be the same bytes for every caller.

/** Numbers per matrix. */
export const SYM4_SIZE = 10;

/** Offsets of the ten numbers. */
export const SYM4_XX = 0;
export const SYM4_XY = 1;
export const SYM4_XZ = 2;
export const SYM4_X1 = 3;
export const SYM4_YY = 4;
export const SYM4_YZ = 5;
export const SYM4_Y1 = 6;
export const SYM4_ZZ = 7;
export const SYM4_Z1 = 8;
/** ω, the weight. */
export const SYM4_11 = 9;

/** Offset of element (row, column). */
export const SYM4_INDEX: readonly (readonly number[])[] = [
  [SYM4_XX, SYM4_XY, SYM4_XZ, SYM4_X1],
  [SYM4_XY, SYM4_YY, SYM4_YZ, SYM4_Y1],
  [SYM4_XZ, SYM4_YZ, SYM4_ZZ, SYM4_Z1],
  [SYM4_X1, SYM4_Y1, SYM4_Z1, SYM4_11],
];

/** Offsets of b, the first moments. */
export const SYM4_FIRST: readonly number[] = [SYM4_X1, SYM4_Y1, SYM4_Z1];

/** Offsets of B, the second moments, as six numbers: xx xy xz yy yz zz. */
export const SYM4_SECOND: readonly number[] = [SYM4_XX, SYM4_XY, SYM4_XZ, SYM4_YY, SYM4_YZ, SYM4_ZZ];

/** Fills ũũᵀ. */
export function outerSym4Into(x: number, y: number, z: number, out: Float64Array, o = 0): void {
  out[o + SYM4_XX] = x * x;
  out[o + SYM4_XY] = x * y;
  out[o + SYM4_XZ] = x * z;
  out[o + SYM4_X1] = x;
  out[o + SYM4_YY] = y * y;
  out[o + SYM4_YZ] = y * z;
  out[o + SYM4_Y1] = y;
  out[o + SYM4_ZZ] = z * z;
  out[o + SYM4_Z1] = z;
  out[o + SYM4_11] = 1;
}

/** out += scale ũũᵀ. */
export function addOuterSym4(scale: number, x: number, y: number, z: number, out: Float64Array, o = 0): void {
  out[o + SYM4_XX] += scale * x * x;
  out[o + SYM4_XY] += scale * x * y;
  out[o + SYM4_XZ] += scale * x * z;
  out[o + SYM4_X1] += scale * x;
  out[o + SYM4_YY] += scale * y * y;
  out[o + SYM4_YZ] += scale * y * z;
  out[o + SYM4_Y1] += scale * y;
  out[o + SYM4_ZZ] += scale * z * z;
  out[o + SYM4_Z1] += scale * z;
  out[o + SYM4_11] += scale;
}

/** Fills the products of (x, y, z, 1), those off the diagonal doubled: dotSym4 of a matrix P with them is ũᵀPũ. */
export function productsSym4Into(x: number, y: number, z: number, out: Float64Array, o = 0): void {
  out[o + SYM4_XX] = x * x;
  out[o + SYM4_XY] = 2 * x * y;
  out[o + SYM4_XZ] = 2 * x * z;
  out[o + SYM4_X1] = 2 * x;
  out[o + SYM4_YY] = y * y;
  out[o + SYM4_YZ] = 2 * y * z;
  out[o + SYM4_Y1] = 2 * y;
  out[o + SYM4_ZZ] = z * z;
  out[o + SYM4_Z1] = 2 * z;
  out[o + SYM4_11] = 1;
}

/** The sum of the ten products of two arrays. */
export function dotSym4(a: Float64Array, o: number, b: Float64Array, p = 0): number {
  return (
    a[o] * b[p] +
    a[o + 1] * b[p + 1] +
    a[o + 2] * b[p + 2] +
    a[o + 3] * b[p + 3] +
    a[o + 4] * b[p + 4] +
    a[o + 5] * b[p + 5] +
    a[o + 6] * b[p + 6] +
    a[o + 7] * b[p + 7] +
    a[o + 8] * b[p + 8] +
    a[o + 9] * b[p + 9]
  );
}

/**
 * dotSym4 of many matrices that are stored number by number.
 * @param table 10 x width from tableOffset on: number c of matrix l is at c width + l
 * @param out width numbers from outOffset on
 */
export function dotSym4TableInto(
  table: Float64Array,
  tableOffset: number,
  width: number,
  b: Float64Array,
  out: Float64Array,
  outOffset = 0,
): void {
  const [b0, b1, b2, b3, b4, b5, b6, b7, b8, b9] = b;
  for (let l = 0; l < width; l++) {
    const t = tableOffset + l;
    out[outOffset + l] =
      table[t] * b0 +
      table[t + width] * b1 +
      table[t + 2 * width] * b2 +
      table[t + 3 * width] * b3 +
      table[t + 4 * width] * b4 +
      table[t + 5 * width] * b5 +
      table[t + 6 * width] * b6 +
      table[t + 7 * width] * b7 +
      table[t + 8 * width] * b8 +
      table[t + 9 * width] * b9;
  }
}

/** out += scale a. */
export function addScaledSym4(scale: number, a: Float64Array, o: number, out: Float64Array, p = 0): void {
  for (let c = 0; c < SYM4_SIZE; c++) out[p + c] += scale * a[o + c];
}

/** out += a. */
export function addSym4(a: Float64Array, o: number, out: Float64Array, p = 0): void {
  for (let c = 0; c < SYM4_SIZE; c++) out[p + c] += a[o + c];
}

/** T A Tᵀ with T a translation, in place: from coordinates about a point to coordinates in which that point is (x, y, z). */
export function translateSym4(a: Float64Array, o: number, x: number, y: number, z: number): void {
  const bx = a[o + SYM4_X1],
    by = a[o + SYM4_Y1],
    bz = a[o + SYM4_Z1],
    w = a[o + SYM4_11];
  a[o + SYM4_XX] += 2 * bx * x + w * x * x;
  a[o + SYM4_XY] += bx * y + by * x + w * x * y;
  a[o + SYM4_XZ] += bx * z + bz * x + w * x * z;
  a[o + SYM4_X1] += w * x;
  a[o + SYM4_YY] += 2 * by * y + w * y * y;
  a[o + SYM4_YZ] += by * z + bz * y + w * y * z;
  a[o + SYM4_Y1] += w * y;
  a[o + SYM4_ZZ] += 2 * bz * z + w * z * z;
  a[o + SYM4_Z1] += w * z;
}

/** Fills the centroid b/ω of the sum of matrices, three numbers, and returns that sum's ω. a holds them one after another from start to end. */
export function centroidSym4Into(a: ArrayLike<number>, start: number, end: number, out: Float64Array, p = 0): number {
  let x = 0,
    y = 0,
    z = 0,
    weight = 0;
  for (let o = start; o < end; o += SYM4_SIZE) {
    x += a[o + SYM4_X1];
    y += a[o + SYM4_Y1];
    z += a[o + SYM4_Z1];
    weight += a[o + SYM4_11];
  }
  out[p] = x / weight;
  out[p + 1] = y / weight;
  out[p + 2] = z / weight;
  return weight;
}

/** out += B, six numbers: xx xy xz yy yz zz. */
export function addSecondSym4(a: ArrayLike<number>, o: number, out: Float64Array, p = 0): void {
  out[p] += a[o + SYM4_XX];
  out[p + 1] += a[o + SYM4_XY];
  out[p + 2] += a[o + SYM4_XZ];
  out[p + 3] += a[o + SYM4_YY];
  out[p + 4] += a[o + SYM4_YZ];
  out[p + 5] += a[o + SYM4_ZZ];
}

/** out += row A for a row of four numbers; the result's numbers are three apart, as in a column-major 3x4. */
export function addRowTimesSym4(row: Float64Array, a: ArrayLike<number>, o: number, out: Float64Array, p = 0): void {
  const r0 = row[0],
    r1 = row[1],
    r2 = row[2],
    r3 = row[3];
  const bx = a[o + SYM4_X1],
    by = a[o + SYM4_Y1],
    bz = a[o + SYM4_Z1];
  out[p] += r0 * a[o + SYM4_XX] + r1 * a[o + SYM4_XY] + r2 * a[o + SYM4_XZ] + r3 * bx;
  out[p + 3] += r0 * a[o + SYM4_XY] + r1 * a[o + SYM4_YY] + r2 * a[o + SYM4_YZ] + r3 * by;
  out[p + 6] += r0 * a[o + SYM4_XZ] + r1 * a[o + SYM4_YZ] + r2 * a[o + SYM4_ZZ] + r3 * bz;
  out[p + 9] += r0 * bx + r1 * by + r2 * bz + r3 * a[o + SYM4_11];
}

/** The determinant where ω is above zero, otherwise 0: ω times the determinant of B − b bᵀ/ω. */
export function determinantSym4(a: ArrayLike<number>, o = 0): number {
  const w = a[o + SYM4_11];
  if (!(w > 0)) return 0;
  const at = (r: number, c: number): number =>
    a[o + SYM4_INDEX[r][c]] - (a[o + SYM4_FIRST[r]] * a[o + SYM4_FIRST[c]]) / w;
  return (
    w *
    (at(0, 0) * (at(1, 1) * at(2, 2) - at(1, 2) ** 2) -
      at(0, 1) * (at(0, 1) * at(2, 2) - at(1, 2) * at(0, 2)) +
      at(0, 2) * (at(0, 1) * at(1, 2) - at(1, 1) * at(0, 2)))
  );
}
