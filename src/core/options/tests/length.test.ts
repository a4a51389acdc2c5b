// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../model/errors.ts';
import { lengthInFileUnits, parseLength } from '../length.ts';

const scale = { metresPerUnit: 0.01, diagonal: 200 };

describe('parseLength', () => {
  it('reads file units, metric lengths and shares of the diagonal', () => {
    expect(lengthInFileUnits(parseLength('0.02'), scale)).toBe(0.02);
    expect(lengthInFileUnits(parseLength('1mm'), scale)).toBeCloseTo(0.1, 12);
    expect(lengthInFileUnits(parseLength('2 CM'), scale)).toBeCloseTo(2, 12);
    expect(lengthInFileUnits(parseLength('0.5%'), scale)).toBe(1);
    expect(lengthInFileUnits(parseLength('.5e1'), scale)).toBe(5);
  });

  it('needs a file with units for a metric length, and says what to do', () => {
    expect(() => lengthInFileUnits(parseLength('1mm'), { diagonal: 1 })).toThrow(/--unit/);
    expect(lengthInFileUnits(parseLength('1'), { diagonal: 1 })).toBe(1);
  });

  it.each(['', 'abc', '-1', '1 furlong', '1e999', 'NaN', '1,5', '%', 'mm', '1%%', '0x10'])('refuses %j', (text) => {
    expect(() => parseLength(text)).toThrow(UsageError);
  });

  it('gives a finite length that is not negative, or a usage error, for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          const { value } = parseLength(text);
          return value >= 0 && Number.isFinite(value);
        } catch (error) {
          return error instanceof UsageError;
        }
      }),
    );
  });
});
