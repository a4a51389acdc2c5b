// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../math/random.ts';
import { makeLargestEffects } from '../largest-effects.ts';
import { makeSimplexSolver } from '../simplex-least-squares.ts';

/** Solves one problem, from the given start or from equal weights. */
function simplexLeastSquares(h: ArrayLike<number>, f: ArrayLike<number>, start?: ArrayLike<number>) {
  const x = start ? Float64Array.from(start) : new Float64Array(f.length);
  return { ...makeSimplexSolver(f.length).solveInto(h, f, x), x };
}

describe('makeLargestEffects', () => {
  it('gives the solution over all candidates if all may be kept, and otherwise convex weights of at most K', () => {
    const random = makeRandom(2);
    for (let n = 0; n < 20; n++) {
      const rows = Array.from({ length: 6 }, () => Array.from({ length: 8 }, () => random.normal() + 0.4));
      const h = Float64Array.from(rows.flatMap((p) => rows.map((q) => p.reduce((sum, x, c) => sum + x * q[c], 0))));
      const { x } = simplexLeastSquares(h, new Float64Array(6));
      const whole = makeLargestEffects(6, 6)(h, 6);
      for (let a = 0; a < 6; a++) expect(whole.weights[a]).toBeCloseTo(x[whole.kept[a]], 8);
      const lowest = whole.error;
      const few = makeLargestEffects(2, 6)(h, 6);
      expect(few.count).toBe(2);
      expect(few.weights[0] + few.weights[1]).toBeCloseTo(1, 12);
      expect(Math.min(...few.weights)).toBeGreaterThanOrEqual(0);
      expect(few.error).toBeGreaterThanOrEqual(lowest - 1e-12);
    }
  });
});
