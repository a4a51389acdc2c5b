// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantileOfSorted, quantilesInto, RankFinder } from '../quantile.ts';

describe('quantiles', () => {
  it('of four values lie between their neighbours', () => {
    const sorted = Float32Array.of(1, 2, 4, 8);
    expect([0, 0.25, 0.5, 0.75, 1].map((q) => quantileOfSorted(sorted, q))).toEqual([1, 1.75, 3, 5, 8]);
    expect(quantileOfSorted(Float32Array.of(7), 0.99)).toBe(7);
    expect(quantileOfSorted(new Float32Array(0), 0.5)).toBe(0);
  });

  it('by selection equal those of the sorted values', () => {
    const quantiles = [0, 0.25, 0.5, 0.75, 0.99, 1];
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 60 }), (values) => {
        const sorted = Float32Array.from(values).sort();
        const expected = quantiles.map((q) => quantileOfSorted(sorted, q));
        expect(quantilesInto(Float32Array.from(values), quantiles)).toEqual(expected);
      }),
      { numRuns: 100 },
    );
    expect(quantilesInto(new Float32Array(0), [0.5])).toEqual([0]);
  });

  it('of a stream equal those of the sorted values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ min: 0, noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 50 }),
        fc.nat(),
        (values, pick) => {
          const sorted = Float32Array.from(values).sort();
          const rank = pick % values.length;
          const finder = new RankFinder();
          finder.countAll(Float32Array.from(values));
          finder.expect(rank);
          finder.expect(0);
          finder.recountAll(Float32Array.from(values));
          expect(finder.find(rank)).toBe(sorted[rank] + 0);
          expect(finder.find(0)).toBe(sorted[0] + 0);
        },
      ),
      { numRuns: 60 },
    );
  });
});
