// SPDX-License-Identifier: MIT
// An order of points that depends on the shape, not on the file: along a Morton curve in the frame of the shape's principal axes. Random draws by position in
// this order select the same points if the input is rotated, moved or scaled or its vertices are permuted, so that results are equivariant; and neighbours in
// memory are neighbours in space.
import { svd3ProperInto } from '../../core/math/svd3.ts';

/** Cells per axis: 2^BITS. Three times as many bits make an exact number, and two points rarely share a cell. */
const BITS = 17;
/** Bits of a whole number of which three make 27. */
const HALF = 9;
/** Values of a digit when codes are sorted. */
const DIGIT = 2 ** 13;

/**
 * Point indices in order; ties keep the order of the given points.
 * @param points pointCount x 3
 */
export function orderPoints(points: Float64Array): Uint32Array {
  const count = points.length / 3;
  const frame = shapeFrame(points);
  const placed = new Float64Array(points.length);
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let extent = 0;
  for (let i = 0; i < count; i++) {
    for (let a = 0; a < 3; a++) {
      const x =
        frame[3 * a] * points[3 * i] + frame[3 * a + 1] * points[3 * i + 1] + frame[3 * a + 2] * points[3 * i + 2];
      placed[3 * i + a] = x;
      low[a] = Math.min(low[a], x);
    }
  }
  for (let c = 0; c < placed.length; c++) extent = Math.max(extent, placed[c] - low[c % 3]);
  const scale = extent > 0 ? (2 ** BITS - 1) / extent : 0;
  /** BITS digits of eight values, the highest first */
  const codes = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const x = Math.round((placed[3 * i] - low[0]) * scale);
    const y = Math.round((placed[3 * i + 1] - low[1]) * scale);
    const z = Math.round((placed[3 * i + 2] - low[2]) * scale);
    codes[i] = interleave(x >> HALF, y >> HALF, z >> HALF) * 8 ** HALF + interleave(x, y, z);
  }
  return sortCodes(codes);
}

/** The HALF lowest bits of three numbers, one after another: those of x are the highest of each three. */
function interleave(x: number, y: number, z: number): number {
  let code = 0;
  for (let bit = HALF - 1; bit >= 0; bit--)
    code = (code << 3) | (((x >> bit) & 1) << 2) | (((y >> bit) & 1) << 1) | ((z >> bit) & 1);
  return code;
}

/** Places of codes in rising order, by counting their digits from the lowest on; equal codes keep their order. */
function sortCodes(codes: Float64Array): Uint32Array {
  let from = new Uint32Array(codes.length);
  let to = new Uint32Array(codes.length);
  for (let i = 0; i < codes.length; i++) from[i] = i;
  const digits = new Uint32Array(codes.length);
  const begins = new Uint32Array(DIGIT + 1);
  for (let unit = 1; unit < 8 ** BITS; unit *= DIGIT) {
    begins.fill(0);
    for (let i = 0; i < codes.length; i++) {
      digits[i] = Math.floor(codes[i] / unit) % DIGIT;
      begins[digits[i] + 1]++;
    }
    for (let n = 0; n < DIGIT; n++) begins[n + 1] += begins[n];
    for (let n = 0; n < from.length; n++) to[begins[digits[from[n]]]++] = from[n];
    [from, to] = [to, from];
  }
  return from;
}

/** Principal axes as rows; the first two point to the side on which points lie farther out, the third completes a right-handed frame. */
function shapeFrame(points: Float64Array): Float64Array {
  const count = points.length / 3;
  const center = [0, 0, 0];
  for (let c = 0; c < points.length; c++) center[c % 3] += points[c] / count;
  const spread = new Float64Array(9);
  for (let i = 0; i < count; i++) {
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++)
        spread[3 * c + r] += (points[3 * i + r] - center[r]) * (points[3 * i + c] - center[c]);
  }
  const u = new Float64Array(9);
  svd3ProperInto(spread, u, new Float64Array(3), new Float64Array(9));
  for (let a = 0; a < 2; a++) {
    let skew = 0;
    for (let i = 0; i < count; i++) {
      let x = 0;
      for (let r = 0; r < 3; r++) x += u[3 * a + r] * (points[3 * i + r] - center[r]);
      skew += x * x * x;
    }
    if (skew < 0) for (let r = 0; r < 3; r++) u[3 * a + r] *= -1;
  }
  for (let r = 0; r < 3; r++) u[6 + r] = u[(r + 1) % 3] * u[3 + ((r + 2) % 3)] - u[(r + 2) % 3] * u[3 + ((r + 1) % 3)];
  return u;
}
