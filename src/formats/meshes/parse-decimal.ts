// SPDX-License-Identifier: MIT

/** Powers of ten that are exact in double precision. */
const POWERS = Array.from({ length: 23 }, (_, n) => Number(`1e${n}`));

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * Parses a decimal number from bytes, with the same result as Number(); NaN for any other text (including nan, inf and
 * hexadecimal). A mantissa below 2^53 times or divided by an exact power of ten is rounded once, hence correctly (Clinger
 * 1990, doi:10.1145/93548.93557); other numbers are parsed by Number(). The usual path allocates no string.
 */
export function parseDecimal(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  const sign = bytes[at];
  if (sign === 43 || sign === 45) at++;
  let mantissa = 0;
  let digits = 0;
  let exponent = 0;
  let seen = false;
  for (; at < end; at++) {
    const digit = bytes[at] - 48;
    if (digit < 0 || digit > 9) break;
    seen = true;
    mantissa = mantissa * 10 + digit;
    if (mantissa > 0) digits++;
  }
  if (bytes[at] === 46 && at < end) {
    at++;
    for (; at < end; at++) {
      const digit = bytes[at] - 48;
      if (digit < 0 || digit > 9) break;
      seen = true;
      mantissa = mantissa * 10 + digit;
      exponent--;
      if (mantissa > 0) digits++;
    }
  }
  if (!seen) return Number.NaN;
  if (at < end) {
    if ((bytes[at] | 32) !== 101) return Number.NaN;
    at++;
    const isNegative = bytes[at] === 45;
    if (isNegative || bytes[at] === 43) at++;
    if (at >= end) return Number.NaN;
    let written = 0;
    for (; at < end; at++) {
      const digit = bytes[at] - 48;
      if (digit < 0 || digit > 9) return Number.NaN;
      written = Math.min(written * 10 + digit, 9999);
    }
    exponent += isNegative ? -written : written;
  }
  let value: number;
  if (digits <= 15 && exponent >= -22 && exponent <= 22) {
    value = exponent < 0 ? mantissa / POWERS[-exponent] : mantissa * POWERS[exponent];
  } else {
    let text = '';
    for (let n = sign === 45 || sign === 43 ? start + 1 : start; n < end; n++) text += String.fromCharCode(bytes[n]);
    value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  }
  return sign === 45 ? -value : value;
}
