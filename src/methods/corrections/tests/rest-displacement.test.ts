// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restDisplacementsInto, SINGULAR_RATIO } from '../rest-displacement.ts';

// whole thousandths: squares of tiny numbers vanish
const number = fc.integer({ min: -2000, max: 2000 }).map((n) => n / 1000);
const matrix = fc.array(number, { minLength: 9, maxLength: 9 });
const vector = fc.array(number, { minLength: 3, maxLength: 3 });

const apply = (m: ArrayLike<number>, d: ArrayLike<number>): number[] =>
  [0, 1, 2].map((r) => m[r] * d[0] + m[3 + r] * d[1] + m[6 + r] * d[2]);
const lengthOf = (v: ArrayLike<number>): number => Math.hypot(v[0], v[1], v[2]);
const solve = (m: number[], r: number[]): { d: Float64Array; singular: number } => {
  const d = new Float64Array(3);
  return { singular: restDisplacementsInto(Float64Array.from(m), Float64Array.from(r), d), d };
};

describe('restDisplacementsInto', () => {
  it('is the inverse, unless it reports a near-singular blend', () => {
    fc.assert(
      fc.property(matrix, vector, (m, r) => {
        const { d, singular } = solve(m, r);
        if (singular > 0) return;
        const back = apply(m, d);
        expect(Math.hypot(back[0] - r[0], back[1] - r[1], back[2] - r[2])).toBeLessThan(1e-9 * (1 + lengthOf(r)));
      }),
    );
  });

  it('never raises the error, and never exceeds its bound, for any blend', () => {
    fc.assert(
      fc.property(matrix, vector, fc.boolean(), (m, r, isFlat) => {
        // a plane, or less
        const own = isFlat ? m.map((x, c) => (c < 6 ? x : m[c - 6] + m[c - 3])) : m;
        const { d, singular } = solve(own, r);
        if (isFlat) expect(singular).toBe(1);
        const left = apply(own, d).map((x, a) => r[a] - x);
        expect(lengthOf(left)).toBeLessThanOrEqual(lengthOf(r) * (1 + 1e-9) + 1e-12);
        const floor = SINGULAR_RATIO * Math.sqrt(own.reduce((sum, x) => sum + x * x, 0) / 3);
        if (floor > 1e-6) expect(lengthOf(d) * floor).toBeLessThanOrEqual(lengthOf(r) * (1 + 1e-9));
      }),
    );
  });

  it('is continuous where the damping starts', () => {
    const at = (s: number) => solve([1, 0, 0, 0, 1, 0, 0, 0, s], [0, 0, 1]);
    const edge = SINGULAR_RATIO * Math.sqrt(2 / 3);
    const [below, above] = [at(edge * 0.999), at(edge * 1.001)];
    expect([below.singular, above.singular]).toEqual([1, 0]);
    expect(below.d[2] / above.d[2]).toBeCloseTo(1, 2);
  });

  it('is zero for a zero blend', () => {
    expect(solve(new Array(9).fill(0), [1, 2, 3])).toEqual({ singular: 1, d: Float64Array.of(0, 0, 0) });
  });

  it('compares a blend with the other blends of its point', () => {
    const blends = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 1e-4, 0, 0, 0, 1e-4, 0, 0, 0, 1e-4);
    const out = new Float64Array(6);
    expect(restDisplacementsInto(blends, Float64Array.of(1, 0, 0, 1, 0, 0), out)).toBe(1);
    expect(out[0]).toBe(1);
    expect(Math.abs(out[3])).toBeLessThan(1);
  });
});
