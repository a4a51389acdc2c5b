// SPDX-License-Identifier: MIT
// Σ |xᵢ − yᵢ| of two rows of floats, 32 at a time: within such a block every fourth difference is summed in single precision, as SIMD does it, and the four
// sums are added in double precision. Rows are padded with zeros to whole blocks.

/** Floats per block. */
const BLOCK = 32;

/** The length of a padded row. */
export function paddedWidth(width: number): number {
  return Math.ceil(width / BLOCK) * BLOCK;
}

/**
 * The L1 distance; may stop early with a partial sum above the limit.
 * @param stride numbers of a padded row
 */
export function l1Distance(
  x: Float32Array,
  xOffset: number,
  y: Float32Array,
  yOffset: number,
  stride: number,
  limit: number,
): number {
  let even = 0;
  let odd = 0;
  let sum = 0;
  for (let c = 0; c < stride; c += BLOCK) {
    even += laneOf(x, xOffset + c, y, yOffset + c) + laneOf(x, xOffset + c + 2, y, yOffset + c + 2);
    odd += laneOf(x, xOffset + c + 1, y, yOffset + c + 1) + laneOf(x, xOffset + c + 3, y, yOffset + c + 3);
    sum = even + odd;
    if (sum > limit) return sum;
  }
  return sum;
}

/** Every fourth difference of a block. */
function laneOf(x: Float32Array, p: number, y: Float32Array, q: number): number {
  const { fround, abs } = Math;
  const a = fround(abs(fround(x[p] - y[q])) + abs(fround(x[p + 4] - y[q + 4])));
  const b = fround(abs(fround(x[p + 8] - y[q + 8])) + abs(fround(x[p + 12] - y[q + 12])));
  const c = fround(abs(fround(x[p + 16] - y[q + 16])) + abs(fround(x[p + 20] - y[q + 20])));
  const d = fround(abs(fround(x[p + 24] - y[q + 24])) + abs(fround(x[p + 28] - y[q + 28])));
  return fround(fround(a + b) + fround(c + d));
}
