// SPDX-License-Identifier: MIT

/**
 * Formats a number with the given significant digits, without trailing zeros; with an exponent only for very small or large numbers.
 * @internal
 */
export function formatNumber(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 10 ** digits && size < 1e9) return String(Math.round(value));
  if (size < 1e-4 || size >= 1e9) return value.toExponential(digits - 1).replace(/\.?0+e/, 'e');
  return String(Number(value.toPrecision(digits)));
}

/** The same, or 'not defined' for a ratio with a zero denominator, such as an error relative to a motion of zero. */
export function formatRatio(value: number): string {
  return Number.isFinite(value) ? formatNumber(value) : 'not defined';
}

/**
 * Formats a number of bytes, in powers of 1000.
 * @internal
 */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  let unit = 0;
  let value = bytes;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${formatNumber(value, 3)} ${units[unit]}`;
}

/** "1 frame", "2 frames". */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** "1 weight", "2.5 weights": for a mean. */
export function formatMean(value: number, one: string, many = `${one}s`): string {
  const text = formatNumber(value, 3);
  return `${text} ${text === '1' ? one : many}`;
}
