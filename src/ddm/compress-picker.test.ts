// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../math/random.ts';
import { makePicker } from './compress-picker.ts';

/** H of random vectors around zero: a convex blend of a few comes close to it. */
function makeProblem(seed: number, size: number): Float64Array {
  const random = makeRandom(seed);
  const rows = Array.from({ length: size }, () => Array.from({ length: 6 }, () => random.normal() + 0.3));
  const h = new Float64Array(size * size);
  for (let a = 0; a < size; a++)
    for (let b = 0; b < size; b++) h[a * size + b] = rows[a].reduce((sum, v, c) => sum + v * rows[b][c], 0);
  return h;
}

/** The least error over all pairs, by their closed form. */
function bestPair(h: Float64Array, size: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let a = 0; a < size; a++) {
    for (let b = 0; b < size; b++) {
      const [aa, ab, bb] = [h[a * size + a], h[a * size + b], h[b * size + b]];
      const t = a === b ? 0 : Math.min(1, Math.max(0, (aa - ab) / (aa - 2 * ab + bb)));
      best = Math.min(best, (1 - t) ** 2 * aa + 2 * t * (1 - t) * ab + t * t * bb);
    }
  }
  return best;
}

describe('the picker of weights', () => {
  it('gives convex weights of at most z bones and never ends above its start', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        (seed, size, most) => {
          const h = makeProblem(seed, size);
          const picker = makePicker(most, size);
          picker.solve(h, size, size, [size - 1], [1]);
          expect(picker.count).toBeLessThanOrEqual(most);
          expect(picker.error).toBeLessThanOrEqual(h[size * size - 1]);
          let sum = 0;
          let error = 0;
          for (let a = 0; a < picker.count; a++) {
            expect(picker.weights[a]).toBeGreaterThan(0);
            sum += picker.weights[a];
            for (let b = 0; b < picker.count; b++)
              error += picker.weights[a] * picker.weights[b] * h[picker.members[a] * size + picker.members[b]];
          }
          expect(new Set(picker.members.slice(0, picker.count)).size).toBe(picker.count);
          expect(sum).toBeCloseTo(1, 9);
          expect(error).toBeCloseTo(picker.error, 9);
        },
      ),
    );
  });

  it('mostly finds the best of all pairs', () => {
    let found = 0;
    for (let seed = 0; seed < 100; seed++) {
      const h = makeProblem(seed, 8);
      const picker = makePicker(2, 8);
      picker.solve(h, 8, 8, [0], [1]);
      const best = bestPair(h, 8);
      expect(picker.error).toBeGreaterThanOrEqual(best - 1e-12);
      if (picker.error < best * 1.01) found++;
    }
    expect(found).toBeGreaterThan(70);
  });

  it('takes equal candidates without harm', () => {
    const h = new Float64Array(16).fill(2);
    const picker = makePicker(3, 4);
    picker.solve(h, 4, 4, [1, 2], [0.5, 0.5]);
    expect(picker.error).toBeCloseTo(2, 9);
  });
});
