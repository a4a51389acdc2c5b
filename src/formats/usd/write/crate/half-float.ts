// SPDX-License-Identifier: MIT

/** The 16-bit float next to a number, as bits; ties go to the even one. */
export function halfOf(x: number): number {
  if (Number.isNaN(x)) return 0x7e00;
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0;
  const size = Math.abs(x);
  if (size >= 65_520) return sign | 0x7c00;
  // below the smallest normal number, steps are 2^-24
  const exponent = size < 2 ** -14 ? -14 : Math.floor(Math.log2(size));
  const fraction = roundToEven(size * 2 ** (10 - exponent));
  // a fraction that rounds up to 2048 carries into the exponent
  const bits = size < 2 ** -14 ? fraction : fraction - 1024 + ((exponent + 15) << 10);
  return sign | bits;
}

/** The number nearest to x that a 16-bit float holds. */
export function roundToHalf(x: number): number {
  const bits = halfOf(x);
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

function roundToEven(x: number): number {
  const low = Math.floor(x);
  const rest = x - low;
  if (rest !== 0.5) return rest < 0.5 ? low : low + 1;
  return low % 2 === 0 ? low : low + 1;
}
