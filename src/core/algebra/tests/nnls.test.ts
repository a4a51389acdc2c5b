// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../math/random.ts';
import { makeNnlsSolver } from '../nnls.ts';

/** Solves one problem, from the given start or from zero. */
function nnls(h: ArrayLike<number>, f: ArrayLike<number>, start?: ArrayLike<number>) {
  const x = start ? Float64Array.from(start) : new Float64Array(f.length);
  return { ...makeNnlsSolver(f.length).solveInto(h, f, x), x };
}

interface Problem {
  h: Float64Array;
  f: Float64Array;
  size: number;
}

function makeProblem(seed: number, rows: number, size: number, copies = 0): Problem {
  const random = makeRandom(seed);
  const a = Float64Array.from({ length: rows * size }, () => random.normal() + 0.3);
  for (let n = 0; n < copies; n++) {
    const to = random.below(size);
    const from = random.below(size);
    for (let r = 0; r < rows; r++) a[r * size + to] = 3 * a[r * size + from];
  }
  const b = Float64Array.from({ length: rows }, () => random.normal() + 0.2);
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

function expectOptimal({ h, f, size }: Problem, x: Float64Array): void {
  const bound = Math.max(1e-300, ...f.map((v, i) => Math.abs(v) / Math.sqrt(h[i * size + i])));
  for (let i = 0; i < size; i++) {
    expect(x[i]).toBeGreaterThanOrEqual(0);
    const gradient = x.reduce((s, w, j) => s + h[i * size + j] * w, -f[i]) / Math.sqrt(h[i * size + i]) / bound;
    expect(gradient).toBeGreaterThan(-1e-10);
    if (x[i] > 0) expect(gradient).toBeLessThan(1e-10);
  }
}

describe('nnls', () => {
  it('meets the optimality conditions, duplicate and dependent columns included', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 4 }),
        (seed, size, rows, copies) => {
          const problem = makeProblem(seed, rows, size, copies);
          const { x, status } = nnls(problem.h, problem.f);
          expect(status).toBe('converged');
          expectOptimal(problem, x);
        },
      ),
      { numRuns: 600 },
    );
  });

  it('solves two unknowns as computed by hand', () => {
    // the unconstrained minimum is (2, -1); on the edge x1 = 0 it is 3/2
    const h = [2, 1, 1, 2];
    const f = [3, 0];
    const { x } = nnls(h, f);
    expect([...x]).toEqual([1.5, 0]);
    expect([...nnls(h, [-1, -2]).x]).toEqual([0, 0]);
    const both = nnls(h, [4, 5]).x;
    expect(both[0]).toBeCloseTo(1, 14);
    expect(both[1]).toBeCloseTo(2, 14);
  });

  it('scales the result with its column, over many orders of magnitude', () => {
    const problem = makeProblem(3, 20, 6);
    const { x } = nnls(problem.h, problem.f);
    const units = [1e8, 1, 1e-8, 1e3, 1e-3, 1];
    const scaled = nnls(
      problem.h.map((v, c) => v * units[Math.floor(c / 6)] * units[c % 6]),
      problem.f.map((v, i) => v * units[i]),
    );
    for (let i = 0; i < 6; i++) expect(Math.abs(scaled.x[i] * units[i] - x[i])).toBeLessThan(1e-12);
  });

  it('never raises the objective', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 15 }), (seed, size) => {
        const random = makeRandom(seed);
        const problem = makeProblem(seed, 10, size, 1);
        const start = Float64Array.from({ length: size }, () => Math.max(0, random.normal()));
        const before = objective(problem, start);
        const { x } = nnls(problem.h, problem.f, start);
        expect(objective(problem, x)).toBeLessThanOrEqual(before + 1e-11 * Math.abs(before));
        expectOptimal(problem, x);
      }),
      { numRuns: 300 },
    );
  });

  it('holds a column of zeros at zero, treats negative starts as zero, and stops on non-finite input', () => {
    expect([...nnls([0, 0, 0, 2], [5, 4], [3, -7]).x]).toEqual([0, 2]);
    expect(nnls([1, 0, 0, 1], [Number.NaN, 1]).status).toBe('stalled');
    expect(nnls([], []).x.length).toBe(0);
  });
});

describe('makeNnlsSolver', () => {
  it('solves the leading part of a larger matrix', () => {
    const solver = makeNnlsSolver(4);
    const h = [2, 0, 9, 0, 4, 9, 9, 9, 9];
    const x = new Float64Array(2);
    expect(solver.solveInto(h, [2, 2, 9], x, 2, 3).status).toBe('converged');
    expect([...x]).toEqual([1, 0.5]);
    expect(() => solver.solveInto(h, new Float64Array(5), new Float64Array(5))).toThrow('from 0 to 4, got 5');
  });
});
