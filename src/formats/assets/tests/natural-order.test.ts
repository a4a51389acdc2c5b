// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareNatural } from '../natural-order.ts';

const sorted = (...names: string[]) => names.sort(compareNatural);

describe('compareNatural', () => {
  it('counts: frame2 comes before frame10', () => {
    expect(sorted('f10.obj', 'f2.obj', 'f1.obj', 'f0010.obj')).toEqual(['f1.obj', 'f2.obj', 'f10.obj', 'f0010.obj']);
    expect(sorted('a2b11', 'a2b3', 'a10b1')).toEqual(['a2b3', 'a2b11', 'a10b1']);
  });

  it('does not overflow on long numbers', () => {
    const long = '9'.repeat(40);
    expect(compareNatural(`f${long}8`, `f${long}9`)).toBeLessThan(0);
  });

  it('puts a name before its continuations', () => {
    expect(sorted('walk2', 'walk', 'walk10', '')).toEqual(['', 'walk', 'walk2', 'walk10']);
  });

  it('is a total order', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '0', '1', '2', '9', '.'), maxLength: 6 });
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(compareNatural(a, b)) + Math.sign(compareNatural(b, a))).toBe(0);
        expect(compareNatural(a, b) === 0).toBe(a === b);
        if (compareNatural(a, b) <= 0 && compareNatural(b, c) <= 0) expect(compareNatural(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000 },
    );
  });
});
