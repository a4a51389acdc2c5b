// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../math/random.ts';
import { makeSimplexSolver } from '../simplex-least-squares.ts';
import { SparseSimplex, type SparseSimplexOptions } from '../sparse-simplex.ts';

/** Solves one problem, from the given start or from equal weights. */
function simplexLeastSquares(h: ArrayLike<number>, f: ArrayLike<number>, start?: ArrayLike<number>) {
  const x = start ? Float64Array.from(start) : new Float64Array(f.length);
  return { ...makeSimplexSolver(f.length).solveInto(h, f, x), x };
}

const EXACT: SparseSimplexOptions = { ridge: 0, pivotFloor: 1e-12, solve: 'active-set' };
const LINE: SparseSimplexOptions = { ridge: 1e-10, pivotFloor: 1e-10, solve: 'elimination', minGain: 1e-3 };
const TINY = 1e-300;

/** H of random vectors around zero: a convex blend of a few comes close to it. */
function makeMatrix(seed: number, size: number): Float64Array {
  const random = makeRandom(seed);
  const rows = Array.from({ length: size }, () => Array.from({ length: 6 }, () => random.normal() + 0.3));
  const h = new Float64Array(size * size);
  for (let a = 0; a < size; a++)
    for (let b = 0; b < size; b++) h[a * size + b] = rows[a].reduce((sum, v, c) => sum + v * rows[b][c], 0);
  return h;
}

/** A search on a dense matrix; rows are read in place, or computed into slots of another array. */
function makeSearch(h: Float64Array, size: number, maxMembers: number, options: SparseSimplexOptions, inSlots = false) {
  const search = new SparseSimplex(maxMembers, size, options);
  const values = inSlots ? new Float64Array((search.maxMembers + 1) * size) : h;
  const rowAt = (candidate: number, slot: number): number => {
    if (!inSlots) return candidate * size;
    values.set(h.subarray(candidate * size, (candidate + 1) * size), slot * size);
    return slot * size;
  };
  search.enter({ values, rowAt, diagonalAt: (j) => h[j * (size + 1)] }, size, TINY);
  return search;
}

function measure(h: Float64Array, size: number, { members, weights, size: count }: SparseSimplex): number {
  let error = 0;
  for (let a = 0; a < count; a++)
    for (let b = 0; b < count; b++) error += weights[a] * weights[b] * h[members[a] * size + members[b]];
  return error;
}

/** The least error over all supports of a size, by trying them all. */
function findMinimum(h: Float64Array, size: number, maxMembers: number): number {
  let minimum = Number.POSITIVE_INFINITY;
  const visit = (support: number[], from: number): void => {
    if (support.length === maxMembers) {
      const part = Float64Array.from(support.flatMap((a) => support.map((b) => h[a * size + b])));
      const { x } = simplexLeastSquares(part, new Float64Array(maxMembers));
      let error = 0;
      for (let a = 0; a < maxMembers; a++)
        for (let b = 0; b < maxMembers; b++) error += x[a] * x[b] * part[a * maxMembers + b];
      minimum = Math.min(minimum, error);
      return;
    }
    for (let j = from; j < size; j++) visit([...support, j], j + 1);
  };
  visit([], 0);
  return minimum;
}

function growAndExchange(search: SparseSimplex): void {
  search.grow();
  search.exchange();
}

describe.each([
  ['exact', EXACT, growAndExchange],
  ['line', LINE, (search: SparseSimplex) => search.improve()],
] as const)('the sparse simplex search by the %s rule', (_, options, run) => {
  it('gives convex weights of at most K candidates and never raises the error', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        (seed, size, maxMembers) => {
          const h = makeMatrix(seed, size);
          const search = makeSearch(h, size, maxMembers, options);
          search.startFrom([size - 1], [1]);
          run(search);
          expect(search.size).toBeLessThanOrEqual(maxMembers);
          expect(search.error).toBeLessThanOrEqual(h[size * size - 1]);
          let sum = 0;
          for (let a = 0; a < search.size; a++) {
            expect(search.weights[a]).toBeGreaterThan(0);
            sum += search.weights[a];
          }
          expect(new Set(search.members.slice(0, search.size)).size).toBe(search.size);
          expect(sum).toBeCloseTo(1, 9);
          expect(measure(h, size, search)).toBeCloseTo(search.error, 9);
        },
      ),
    );
  });

  it('finds the best of all pairs and triples in most cases', () => {
    for (const maxMembers of [2, 3]) {
      let found = 0;
      for (let seed = 0; seed < 60; seed++) {
        const h = makeMatrix(seed, 8);
        const search = makeSearch(h, 8, maxMembers, options);
        search.startFrom([0], [1]);
        run(search);
        const minimum = findMinimum(h, 8, maxMembers);
        expect(search.error).toBeGreaterThanOrEqual(minimum - 1e-12);
        if (search.error < minimum * 1.01 + 1e-12) found++;
      }
      expect(found).toBeGreaterThan(40);
    }
  });

  it('gives the same bits whether rows are read in place or computed into slots', () => {
    for (let seed = 0; seed < 30; seed++) {
      const h = makeMatrix(seed, 10);
      const [a, b] = [false, true].map((inSlots) => {
        const search = makeSearch(h, 10, 3, options, inSlots);
        search.startFrom([3, 7], [0.2, 0.8]);
        run(search);
        return search;
      });
      expect([...a.members.slice(0, a.size)]).toEqual([...b.members.slice(0, b.size)]);
      expect([...a.weights.slice(0, a.size)]).toEqual([...b.weights.slice(0, b.size)]);
      expect(a.error).toBe(b.error);
    }
  });

  it('handles equal candidates', () => {
    const search = makeSearch(new Float64Array(16).fill(2), 4, 3, options);
    search.startFrom([1, 2], [0.5, 0.5]);
    run(search);
    expect(search.error).toBeCloseTo(2, 9);
  });
});

describe('the sparse simplex search', () => {
  it('grows from an empty support, and never adds an excluded candidate', () => {
    for (let seed = 0; seed < 20; seed++) {
      const h = makeMatrix(seed, 6);
      const search = makeSearch(h, 6, 3, EXACT);
      search.grow(Uint8Array.of(0, 1, 0, 1, 0, 0));
      expect([...search.members.slice(0, search.size)].some((j) => j === 1 || j === 3)).toBe(false);
      expect(search.error).toBeLessThanOrEqual(Math.min(...[0, 2, 4, 5].map((j) => h[7 * j])) + 1e-12);
    }
  });

  it('gives a lower bound of the cost of removing a member', () => {
    for (let seed = 0; seed < 20; seed++) {
      const h = makeMatrix(seed, 6);
      const search = makeSearch(h, 6, 3, LINE);
      search.startFrom([0], [1]);
      search.improve();
      const losses = new Float64Array(4);
      search.lossesInto(losses);
      for (let a = 0; a < search.size && search.size > 1; a++) {
        const others = [...search.members.slice(0, search.size)].filter((_, n) => n !== a);
        const part = Float64Array.from(others.flatMap((p) => others.map((q) => h[p * 6 + q])));
        const { x } = simplexLeastSquares(part, new Float64Array(others.length));
        let left = 0;
        for (let p = 0; p < others.length; p++)
          for (let q = 0; q < others.length; q++) left += x[p] * x[q] * part[p * others.length + q];
        expect(losses[a]).toBeLessThanOrEqual(left - search.error + 1e-9);
      }
    }
  });

  it('prunes members that are worth less than a floor', () => {
    const h = makeMatrix(5, 8);
    const search = makeSearch(h, 8, 4, LINE);
    search.startFrom([0], [1]);
    search.improve();
    const { error, size } = search;
    search.prune(0);
    expect(search.size).toBe(size);
    search.prune(10 * error + 10);
    expect(search.size).toBe(1);
  });
});
