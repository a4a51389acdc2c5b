// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal } from '../parse-decimal.ts';

const parse = (text: string) => {
  const bytes = new TextEncoder().encode(`x${text} 7`);
  return parseDecimal(bytes, 1, bytes.length - 2);
};

describe('parseDecimal', () => {
  it('reads every double and float32 exactly as Number() does', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: 1, max: 20 }), (x, digits) => {
        for (const text of [String(x), x.toPrecision(digits), x.toExponential(), String(Math.fround(x))]) {
          if (Number.isFinite(Number(text))) expect(parse(text)).toBe(Number(text));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('takes every way to write a number', () => {
    for (const text of [
      '1',
      '+1',
      '-1',
      '.5',
      '-.5',
      '5.',
      '1e3',
      '1E+3',
      '1.5e-3',
      '0',
      '-0',
      '007',
      '1e-400',
      '1e400',
    ])
      expect(parse(text), text).toBe(Number(text));
    expect(parse('12345678901234567890.125e-10')).toBe(Number('12345678901234567890.125e-10'));
    expect(parse(`0.${'0'.repeat(40)}12`)).toBe(1.2e-41);
  });

  it('is NaN for anything else', () => {
    for (const text of [
      '',
      '+',
      '-',
      '.',
      'e5',
      '1e',
      '1e+',
      'nan',
      'inf',
      'Infinity',
      '0x10',
      '1.2.3',
      '1,5',
      '--1',
      '1_0',
      '1e5x',
    ])
      expect(parse(text), text).toBeNaN();
  });
});
