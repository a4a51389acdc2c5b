// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignPairs } from '../assign-pairs.ts';

/** The smallest sum over all assignments. */
function bruteForce(costs: readonly number[][], row = 0, used = 0): number {
  if (row === costs.length) return 0;
  return Math.min(
    ...costs[row].map((cost, j) => (used & (1 << j) ? Infinity : cost + bruteForce(costs, row + 1, used | (1 << j)))),
  );
}

describe('assignPairs', () => {
  it('finds the smallest sum of costs, each column once', () => {
    const tables = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 2 })).chain(([rows, more]) =>
      fc.array(fc.array(fc.integer({ min: -9, max: 20 }), { minLength: rows + more, maxLength: rows + more }), {
        minLength: rows,
        maxLength: rows,
      }),
    );
    fc.assert(
      fc.property(tables, (costs) => {
        const columns = assignPairs(Float64Array.from(costs.flat()), costs.length, costs[0].length);
        expect(new Set(columns).size).toBe(costs.length);
        expect([...columns].reduce((sum, j, i) => sum + costs[i][j], 0)).toBe(bruteForce(costs));
      }),
    );
  });
});
