// SPDX-License-Identifier: MIT
// Sine, cosine and powers with the same bits on every engine. Built-in functions differ: Node 20 and Chromium 147 in 3 % of sines and 10 % of powers, by
// one unit in the last place, enough for a solver in a page to write different bytes than the command line. These functions use only sums and products, whose
// rounding is defined by IEEE 754; powers also use exp and log, which agreed on the engines compared.
//
//   x = k π/2 + r, |r| ≤ π/4     Cody and Waite: π/2 in three parts, of which the first two have so few bits that k times them is exact
//   sin r, cos r                 Taylor, to r¹⁷ and r¹⁶: what is left is below 1e-19

/** π/2 in parts of 33, 33 and 53 bits. */
const PART_1 = 1.5707963267341256;
const PART_2 = 6.077100506303966e-11;
const PART_3 = 2.0222662487959506e-21;
const TWO_BY_PI = 0.6366197723675814;
/** Beyond this, k times the parts is not exact: whole turns are subtracted first, to the precision of 2π. */
const FAR = 1e6;

/** The sine of an angle in radians, to a unit in the last place for angles below a million. */
export function sineOf(x: number): number {
  return turn(x, 0);
}

/** The cosine of an angle in radians, to a unit in the last place for angles below a million. */
export function cosineOf(x: number): number {
  return turn(x, 1);
}

function turn(x: number, quarter: number): number {
  const angle = Math.abs(x) < FAR ? x : x % (2 * Math.PI);
  const k = Math.round(angle * TWO_BY_PI);
  const r = angle - k * PART_1 - k * PART_2 - k * PART_3;
  const n = (k + quarter) & 3;
  const value = (n & 1) === 0 ? sineNear(r) : cosineNear(r);
  return (n & 2) === 0 ? value : -value;
}

function sineNear(r: number): number {
  const s = r * r;
  let p = 1 / 355687428096000;
  p = p * s - 1 / 1307674368000;
  p = p * s + 1 / 6227020800;
  p = p * s - 1 / 39916800;
  p = p * s + 1 / 362880;
  p = p * s - 1 / 5040;
  p = p * s + 1 / 120;
  p = p * s - 1 / 6;
  return r + r * s * p;
}

function cosineNear(r: number): number {
  const s = r * r;
  let p = 1 / 20922789888000;
  p = p * s - 1 / 87178291200;
  p = p * s + 1 / 479001600;
  p = p * s - 1 / 3628800;
  p = p * s + 1 / 40320;
  p = p * s - 1 / 720;
  p = p * s + 1 / 24;
  // what 1 − s/2 loses by rounding is added back
  const half = 0.5 * s;
  const whole = 1 - half;
  return whole + (1 - whole - half + s * s * p);
}

/** base to a power, for bases of at least 0. */
export function powerOf(base: number, exponent: number): number {
  if (exponent === 0 || base === 1) return 1;
  if (base === 0) return exponent > 0 ? 0 : Number.POSITIVE_INFINITY;
  return Math.exp(exponent * Math.log(base));
}
