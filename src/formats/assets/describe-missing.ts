// SPDX-License-Identifier: MIT

/** The last number of a name, before its extension. */
const NUMBERED = /^(.*?)(\d{1,15})(\D*)$/s;

/**
 * A remark about numbers that a numbered sequence leaves out; undefined if none is missing. Most numbers must follow one another by one step, so that
 * a selection of frames is no gap.
 * @param names files in order
 */
export function describeMissing(names: readonly string[]): string | undefined {
  const found = names.map((name) => NUMBERED.exec(name)).filter((match) => match !== null);
  if (names.length < 3 || found.length < names.length) return undefined;
  const [[, prefix, , suffix]] = found;
  if (found.some((match) => match[1] !== prefix || match[3] !== suffix)) return undefined;
  const numbers = found.map((match) => Number(match[2]));
  const steps = numbers.slice(1).map((n, k) => n - numbers[k]);
  const step = steps.reduce((least, own) => Math.min(least, own), Number.POSITIVE_INFINITY);
  const gaps = steps.flatMap((own, k) => (own > step ? [k] : []));
  if (!(step > 0) || gaps.length === 0 || 2 * gaps.length > steps.length) return undefined;
  const [first] = gaps;
  const missing = gaps.reduce((sum, k) => sum + Math.max(1, Math.round(steps[k] / step) - 1), 0);
  const count = missing === 1 ? 'one number is' : `${missing} numbers are`;
  return `${count} missing in the sequence, after ${names[first]}; the frames are played at equal intervals`;
}
