// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { kSvd } from '../k-svd.ts';
import { matchingPursuit } from '../matching-pursuit.ts';
import { orthogonalMatchingPursuit } from '../orthogonal-matching-pursuit.ts';

const SIZE = 6;

function drawUnit(count: number, seed: number): Float64Array {
  const random = makeRandom(seed);
  const atoms = Float64Array.from({ length: count * SIZE }, () => random.normal());
  for (let k = 0; k < count; k++) {
    const own = atoms.subarray(k * SIZE, (k + 1) * SIZE);
    const length = Math.hypot(...own);
    for (let c = 0; c < SIZE; c++) own[c] /= length;
  }
  return atoms;
}

function residualOf(atoms: Float64Array, x: Float64Array, a: Float64Array): Float64Array {
  return x.map((value, c) => value - a.reduce((sum, w, k) => sum + w * atoms[k * SIZE + c], 0));
}

const normOf = (x: Float64Array): number => Math.hypot(...x);

describe('pursuits', () => {
  it('recover a multiple of one atom, and respect the number of atoms', () => {
    const atoms = drawUnit(20, 1);
    const x = atoms.slice(3 * SIZE, 4 * SIZE).map((value) => -2 * value);
    for (const pursue of [matchingPursuit, orthogonalMatchingPursuit]) {
      const a = pursue(atoms, x, 2);
      expect(a[3]).toBeCloseTo(-2, 9);
      expect(normOf(residualOf(atoms, x, a))).toBeLessThan(1e-9);
      const two = pursue(atoms, drawUnit(1, 9), 2);
      expect(two.filter((w) => w !== 0).length).toBeLessThanOrEqual(2);
      expect([...pursue(atoms, new Float64Array(SIZE), 2)].every((w) => w === 0)).toBe(true);
    }
  });

  it('have a residual orthogonal to the chosen atoms if they are orthogonal pursuits; plain ones have no smaller residual', () => {
    const atoms = drawUnit(20, 2);
    for (let seed = 10; seed < 20; seed++) {
      const x = drawUnit(1, seed);
      const a = orthogonalMatchingPursuit(atoms, x, 3);
      const residual = residualOf(atoms, x, a);
      a.forEach((w, k) => {
        if (w === 0) return;
        const dot = residual.reduce((sum, r, c) => sum + r * atoms[k * SIZE + c], 0);
        expect(Math.abs(dot)).toBeLessThan(1e-9);
      });
      const before = normOf(residualOf(atoms, x, orthogonalMatchingPursuit(atoms, x, 2)));
      expect(normOf(residual)).toBeLessThanOrEqual(before + 1e-12);
    }
  });
});

describe('K-SVD', () => {
  it('learns atoms of unit length, with an error that never rises', async () => {
    const truth = drawUnit(5, 3);
    const random = makeRandom(4);
    const points = new Float64Array(200 * SIZE);
    for (let i = 0; i < 200; i++) {
      const [k, l] = [random.below(5), random.below(5)];
      const [a, b] = [random.next(), random.next()];
      for (let c = 0; c < SIZE; c++) points[i * SIZE + c] = a * truth[k * SIZE + c] + b * truth[l * SIZE + c];
    }
    for (const coding of ['orthogonal', 'matching'] as const) {
      const { atoms, coefficients, history } = await kSvd(points, SIZE, { atoms: 12, iterations: 8, coding });
      for (let k = 0; k < 12; k++) expect(normOf(atoms.slice(k * SIZE, (k + 1) * SIZE))).toBeCloseTo(1, 9);
      for (const own of coefficients) expect(own.size).toBeLessThanOrEqual(2);
      for (let n = 1; n < history.length; n++) expect(history[n]).toBeLessThanOrEqual(history[n - 1] * (1 + 1e-9));
      expect(history.at(-1)).toBeLessThan(0.5 * history[0] + 0.02);
    }
    await expect(kSvd(points, SIZE, { atoms: 500 })).rejects.toThrow(
      'kSvd: atoms must be a whole number from 1 to the 200 points',
    );
  });
});
