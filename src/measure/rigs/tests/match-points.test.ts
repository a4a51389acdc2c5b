// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import { matchPoints } from '../match-points.ts';

/** The largest number of pairs, and the smallest sum of distances with it, by trying everything. */
function tryAll(a: Float64Array, b: Float64Array, reach: number): { pairs: number; cost: number } {
  let best = { pairs: 0, cost: 0 };
  const used = new Set<number>();
  const visit = (n: number, pairs: number, cost: number): void => {
    if (3 * n === a.length) {
      if (pairs > best.pairs || (pairs === best.pairs && cost < best.cost)) best = { pairs, cost };
      return;
    }
    visit(n + 1, pairs, cost);
    for (let m = 0; 3 * m < b.length; m++) {
      const away = Math.hypot(...[0, 1, 2].map((r) => a[3 * n + r] - b[3 * m + r]));
      if (used.has(m) || away > reach) continue;
      used.add(m);
      visit(n + 1, pairs + 1, cost + away);
      used.delete(m);
    }
  };
  visit(0, 0, 0);
  return best;
}

describe('matchPoints', () => {
  it('finds the largest matching, and the cheapest of those', () => {
    const source = makeRandom(3);
    const random = (): number => source.next();
    for (let round = 0; round < 60; round++) {
      const a = Float64Array.from({ length: 3 * (1 + (round % 6)) }, () => random());
      const b = Float64Array.from({ length: 3 * (1 + ((round * 5) % 6)) }, () => random());
      const matches = matchPoints(a, b, 0.6);
      const pairs = [...matches.entries()].filter(([, m]) => m >= 0);
      const cost = pairs.reduce(
        (sum, [n, m]) => sum + Math.hypot(...[0, 1, 2].map((r) => a[3 * n + r] - b[3 * m + r])),
        0,
      );
      const best = tryAll(a, b, 0.6);
      expect(pairs.length).toBe(best.pairs);
      expect(new Set(pairs.map(([, m]) => m)).size).toBe(pairs.length);
      expect(cost).toBeCloseTo(best.cost, 9);
    }
  });

  it('gives a crowded point to one partner only, and keeps to the distance of each point', () => {
    expect([...matchPoints([0, 0, 0, 0.1, 0, 0], [0.05, 0, 0], 1)].filter((m) => m >= 0)).toEqual([0]);
    expect([...matchPoints([0, 0, 0, 5, 0, 0], [1, 0, 0, 6, 0, 0], [0.5, 1])]).toEqual([-1, 1]);
  });
});
