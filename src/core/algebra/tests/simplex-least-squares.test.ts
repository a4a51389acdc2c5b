// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom, type Random } from '../../math/random.ts';
import { makeSimplexSolver } from '../simplex-least-squares.ts';

/** Solves one problem, from the given start or from equal weights. */
function simplexLeastSquares(h: ArrayLike<number>, f: ArrayLike<number>, start?: ArrayLike<number>) {
  const x = start ? Float64Array.from(start) : new Float64Array(f.length);
  return { ...makeSimplexSolver(f.length).solveInto(h, f, x), x };
}

interface Problem {
  h: Float64Array;
  f: Float64Array;
  size: number;
}

/** Normal equations of rows equations; columns named in copies repeat an earlier column, so H is singular. */
function makeProblem(random: Random, rows: number, size: number, copies = 0): Problem {
  const a = Float64Array.from({ length: rows * size }, () => random.normal());
  for (let n = 0; n < copies; n++) {
    const to = random.below(size);
    const from = random.below(size);
    for (let r = 0; r < rows; r++) a[r * size + to] = a[r * size + from];
  }
  const b = Float64Array.from({ length: rows }, () => 1.5 * random.normal());
  const h = new Float64Array(size * size);
  const f = new Float64Array(size);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < size; i++) {
      f[i] += a[r * size + i] * b[r];
      for (let j = 0; j < size; j++) h[i * size + j] += a[r * size + i] * a[r * size + j];
    }
  }
  return { h, f, size };
}

function objective({ h, f, size }: Problem, x: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < size; i++) {
    sum -= f[i] * x[i];
    for (let j = 0; j < size; j++) sum += 0.5 * x[i] * h[i * size + j] * x[j];
  }
  return sum;
}

/** Gaussian elimination with pivoting; undefined where singular. */
function solveDense(m: number[][], b: number[]): number[] | undefined {
  const n = b.length;
  const rows = m.map((row, i) => [...row, b[i]]);
  for (let c = 0; c < n; c++) {
    let pivot = c;
    for (let r = c; r < n; r++) if (Math.abs(rows[r][c]) > Math.abs(rows[pivot][c])) pivot = r;
    if (Math.abs(rows[pivot][c]) < 1e-9) return undefined;
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    for (let r = 0; r < n; r++) {
      if (r === c) continue;
      const factor = rows[r][c] / rows[c][c];
      for (let k = c; k <= n; k++) rows[r][k] -= factor * rows[c][k];
    }
  }
  return rows.map((row, i) => row[n] / row[i]);
}

/** The best over all supports: each one's equality-constrained minimum where that is feasible. */
function bruteForce(problem: Problem): number {
  const { h, f, size } = problem;
  let best = Number.POSITIVE_INFINITY;
  for (let mask = 1; mask < 1 << size; mask++) {
    const support = Array.from({ length: size }, (_, i) => i).filter((i) => mask & (1 << i));
    const m = [...support.map((i) => [...support.map((j) => h[i * size + j]), 1]), [...support.map(() => 1), 0]];
    const solution = solveDense(m, [...support.map((i) => f[i]), 1]);
    if (!solution || support.some((_, n) => solution[n] < 0)) continue;
    const x = new Array<number>(size).fill(0);
    support.forEach((i, n) => {
      x[i] = solution[n];
    });
    best = Math.min(best, objective(problem, x));
  }
  return best;
}

function expectOptimal(problem: Problem, x: Float64Array): void {
  const { h, f, size } = problem;
  let sum = 0;
  for (const v of x) {
    expect(v).toBeGreaterThanOrEqual(0);
    sum += v;
  }
  expect(Math.abs(sum - 1)).toBeLessThan(1e-14);
  const scale = Math.max(...f.map(Math.abs), ...h.map(Math.abs));
  const gradient = f.map((v, i) => x.reduce((s, w, j) => s + h[i * size + j] * w, -v));
  // every gradient is at least that of the unknowns in use, and those agree
  const lowest = Math.min(...gradient);
  for (let i = 0; i < size; i++) if (x[i] > 0) expect(gradient[i] - lowest).toBeLessThan(1e-11 * scale);
}

describe('simplexLeastSquares', () => {
  it('finds the minimum over all supports', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 2 }),
        (seed, size, copies) => {
          const problem = makeProblem(makeRandom(seed), size + 3, size, copies);
          const { x, status } = simplexLeastSquares(problem.h, problem.f);
          expect(status).toBe('converged');
          expectOptimal(problem, x);
          const best = bruteForce(problem);
          expect(objective(problem, x)).toBeLessThanOrEqual(best + 1e-9 * (1 + Math.abs(best)));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('meets the optimality conditions for up to thirty unknowns, duplicate and dependent columns included', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 5 }),
        (seed, size, rows, copies) => {
          const problem = makeProblem(makeRandom(seed), rows, size, copies);
          const { x, status, iterations } = simplexLeastSquares(problem.h, problem.f);
          expect(status).toBe('converged');
          expectOptimal(problem, x);
          expect(iterations).toBeLessThan(20 + 3 * size);
        },
      ),
      { numRuns: 600 },
    );
  });

  it('never raises the objective, and keeps an optimal start', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 2, max: 20 }), (seed, size) => {
        const random = makeRandom(seed);
        const problem = makeProblem(random, 12, size, 1);
        const start = Float64Array.from({ length: size }, () => Math.max(0, random.normal()));
        start[random.below(size)] += 0.1;
        const sum = start.reduce((s, v) => s + v, 0);
        const before = objective(
          problem,
          start.map((v) => v / sum),
        );
        const first = simplexLeastSquares(problem.h, problem.f, start);
        const after = objective(problem, first.x);
        expect(after).toBeLessThanOrEqual(before + 1e-12 * Math.abs(before));
        const again = simplexLeastSquares(problem.h, problem.f, first.x);
        expect(again.iterations).toBeLessThanOrEqual(3);
        expect(Math.abs(objective(problem, again.x) - after)).toBeLessThanOrEqual(1e-12 * (1 + Math.abs(after)));
      }),
      { numRuns: 300 },
    );
  });

  it('recovers weights that explain the data exactly, from any start', () => {
    const random = makeRandom(6);
    const problem = makeProblem(random, 40, 8);
    const truth = [0.5, 0, 0.3, 0, 0, 0.2, 0, 0];
    for (let i = 0; i < 8; i++) problem.f[i] = truth.reduce((s, w, j) => s + problem.h[i * 8 + j] * w, 0);
    for (const start of [undefined, [0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0.5, 0, 0, 0.5, 0]]) {
      const { x } = simplexLeastSquares(problem.h, problem.f, start);
      for (let i = 0; i < 8; i++) expect(x[i]).toBeCloseTo(truth[i], 12);
    }
  });

  it('ends at a corner without curvature', () => {
    expect([...simplexLeastSquares(new Float64Array(9), [1, 3, 2]).x]).toEqual([0, 1, 0]);
    expect([...simplexLeastSquares(new Float64Array(4), [0, 0]).x]).toEqual([0.5, 0.5]);
    expect([...simplexLeastSquares([5], [2]).x]).toEqual([1]);
  });

  it('gives the same weights for any scale of the data', () => {
    const problem = makeProblem(makeRandom(8), 10, 5);
    const { x } = simplexLeastSquares(problem.h, problem.f);
    for (const scale of [1e-20, 1e-6, 1e6, 1e20]) {
      const scaled = simplexLeastSquares(
        problem.h.map((v) => v * scale),
        problem.f.map((v) => v * scale),
      );
      for (let i = 0; i < 5; i++) expect(Math.abs(scaled.x[i] - x[i])).toBeLessThan(1e-13);
    }
  });

  it('makes an infeasible start feasible, and returns feasible weights even for non-finite input', () => {
    const problem = makeProblem(makeRandom(9), 10, 3);
    for (const start of [
      [-1, 2, 2],
      [0, 0, 0],
      [Number.NaN, 1, 1],
      [Number.POSITIVE_INFINITY, 0, 0],
    ]) {
      expectOptimal(problem, simplexLeastSquares(problem.h, problem.f, start).x);
    }
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      for (const spot of [0, 1]) {
        const h = problem.h.slice();
        h[spot] = bad;
        const { x, status } = simplexLeastSquares(h, problem.f, [0.2, 0.3, 0.5]);
        expect(status).toBe('stalled');
        expect(Math.abs(x[0] + x[1] + x[2] - 1)).toBeLessThan(1e-14);
        expect(Math.min(...x)).toBeGreaterThanOrEqual(0);
      }
    }
  });
});

describe('makeSimplexSolver', () => {
  it('solves the leading part of a larger matrix, and many problems one after another', () => {
    const solver = makeSimplexSolver(10);
    const random = makeRandom(10);
    for (let n = 0; n < 50; n++) {
      const problem = makeProblem(random, 12, 10);
      const size = 1 + random.below(10);
      const part: Problem = {
        size,
        h: Float64Array.from({ length: size * size }, (_, c) => problem.h[Math.floor(c / size) * 10 + (c % size)]),
        f: problem.f.slice(0, size),
      };
      const x = new Float64Array(size);
      solver.solveInto(problem.h, problem.f, x, size, 10);
      expect(x).toEqual(simplexLeastSquares(part.h, part.f).x);
    }
    expect(() => solver.solveInto(new Float64Array(121), new Float64Array(11), new Float64Array(11))).toThrow(
      'size must be from 1 to 10, got 11',
    );
  });
});
