// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../math/random.ts';
import { analyzeSparse } from '../analyze-sparse.ts';
import { factorSparse } from '../sparse-ldlt.ts';
import { makeSparseSymmetric, type SparseSymmetric } from '../sparse-matrix.ts';

/** ground I + Laplacian of a graph with the given edge weights. */
function grounded(size: number, edges: [number, number, number][], ground: number): SparseSymmetric {
  const rows: number[] = [];
  const columns: number[] = [];
  const values: number[] = [];
  const add = (i: number, j: number, v: number): void => {
    rows.push(i);
    columns.push(j);
    values.push(v);
  };
  for (let i = 0; i < size; i++) add(i, i, ground);
  for (const [a, b, w] of edges) {
    if (a === b) continue;
    add(Math.max(a, b), Math.min(a, b), -w);
    add(a, a, w);
    add(b, b, w);
  }
  return makeSparseSymmetric(size, rows, columns, values);
}

/** A closed mesh: a torus of quads cut in two. */
function torus(width: number, height: number, lambda: number, ground = 1): SparseSymmetric {
  const edges: [number, number, number][] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (dx: number, dy: number): number => ((y + dy) % height) * width + ((x + dx) % width);
      for (const to of [at(1, 0), at(0, 1), at(1, 1)]) edges.push([y * width + x, to, lambda]);
    }
  }
  return grounded(width * height, edges, ground);
}

/** The product with a symmetric matrix of which the lower triangle is stored; x: size x columns. */
function multiply(
  { size, columnStart, rowIndices, values }: SparseSymmetric,
  x: Float64Array,
  columns: number,
): Float64Array {
  const out = new Float64Array(size * columns);
  for (let j = 0; j < size; j++) {
    for (let e = columnStart[j]; e < columnStart[j + 1]; e++) {
      const i = rowIndices[e];
      for (let c = 0; c < columns; c++) {
        out[i * columns + c] += values[e] * x[j * columns + c];
        if (i !== j) out[j * columns + c] += values[e] * x[i * columns + c];
      }
    }
  }
  return out;
}

function residual(m: SparseSymmetric, x: Float64Array, b: Float64Array, columns: number): number {
  const ax = multiply(m, x, columns);
  return Math.max(0, ...ax.map((v, n) => Math.abs(v - b[n])));
}

const system = fc
  .record({
    size: fc.integer({ min: 1, max: 40 }),
    ends: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 50 })), { maxLength: 120 }),
  })
  .map(({ size, ends }) =>
    grounded(
      size,
      ends.map(([a, b, w]): [number, number, number] => [a % size, b % size, w / 10]),
      0.3,
    ),
  );

describe('factorSparse', () => {
  it('solves any grounded Laplacian, with any number of right-hand sides, in place or not', () => {
    const random = makeRandom(1);
    fc.assert(
      fc.property(system, fc.integer({ min: 0, max: 21 }), (m, columns) => {
        const factor = factorSparse(m);
        const b = Float64Array.from({ length: m.size * columns }, () => random.normal());
        const x = new Float64Array(b.length);
        factor.solveInto(b, x, columns);
        expect(residual(m, x, b, columns)).toBeLessThan(1e-11);
        const inPlace = b.slice();
        factor.solveInto(inPlace, inPlace, columns);
        expect(inPlace).toEqual(x);
      }),
      { numRuns: 300 },
    );
  });

  it('gives each right-hand side the same numbers whether solved alone or among others', () => {
    const m = torus(9, 8, 20);
    const factor = factorSparse(m);
    const columns = 15;
    const b = Float64Array.from({ length: m.size * columns }, (_, n) => Math.sin(n));
    const all = new Float64Array(b.length);
    factor.solveInto(b, all, columns);
    const one = new Float64Array(m.size);
    for (let c = 0; c < columns; c++) {
      factor.solveInto(
        one.map((_, i) => b[i * columns + c]),
        one,
      );
      expect(one).toEqual(all.filter((_, n) => n % columns === c));
    }
  });

  it('preserves constants: (I + λL) 1 = 1', () => {
    const m = torus(40, 30, 1e6);
    const x = new Float64Array(m.size).fill(1);
    factorSparse(m).solveInto(x, x);
    // the condition number is 1e7
    for (const v of x) expect(Math.abs(v - 1)).toBeLessThan(1e-8);
  });

  it('solves a mesh of 12,000 points to rounding, with a factor of at most 60 entries a row', () => {
    const m = torus(120, 100, 20);
    const factor = factorSparse(m);
    expect(factor.nonzeros).toBeLessThan(60 * m.size);
    const random = makeRandom(2);
    const b = Float64Array.from({ length: m.size * 8 }, () => random.normal());
    const x = new Float64Array(b.length);
    factor.solveInto(b, x, 8);
    const ax = multiply(m, x, 8);
    let worst = 0;
    for (let n = 0; n < b.length; n++) worst = Math.max(worst, Math.abs(ax[n] - b[n]));
    expect(worst).toBeLessThan(1e-12);
  });

  it('gives the same factor for new values of the same pattern as a new factorization', () => {
    const first = torus(7, 6, 20);
    const second = torus(7, 6, 3, 2);
    const b = Float64Array.from({ length: first.size }, (_, n) => Math.cos(n));
    const fresh = b.slice();
    factorSparse(second).solveInto(fresh, fresh);
    const factor = factorSparse(first);
    factor.refactor(second);
    const again = b.slice();
    factor.solveInto(again, again);
    expect(again).toEqual(fresh);
    const shared = b.slice();
    factorSparse(second, { pattern: analyzeSparse(first) }).solveInto(shared, shared);
    expect(shared).toEqual(fresh);
    expect(() => factor.refactor(torus(7, 7, 1))).toThrow('its pattern 42 and 168');
  });

  it('gives nearly the same solution in any order', () => {
    const m = torus(8, 8, 5);
    const b = Float64Array.from({ length: m.size }, (_, n) => Math.sin(3 * n));
    const x = b.slice();
    factorSparse(m).solveInto(x, x);
    const order = Uint32Array.from({ length: m.size }, (_, k) => (k * 37 + 5) % m.size);
    const y = b.slice();
    factorSparse(m, { pattern: analyzeSparse(m, order) }).solveInto(y, y);
    for (let i = 0; i < m.size; i++) expect(Math.abs(x[i] - y[i])).toBeLessThan(1e-13);
  });

  it('names the row of a singular matrix', () => {
    expect(() => factorSparse(torus(20, 20, 1, 0))).toThrow(/singular at row \d+/);
    expect(() => factorSparse(makeSparseSymmetric(2, [0], [0], [1]))).toThrow('singular at row 1');
  });

  it('holds one unknown per part of a singular Laplacian on request, and solves consistent systems', () => {
    // two paths of three and four points
    const m = grounded(
      7,
      [
        [0, 1, 1],
        [1, 2, 2],
        [3, 4, 1],
        [4, 5, 3],
        [5, 6, 1],
      ],
      0,
    );
    const factor = factorSparse(m, { singular: 'hold' });
    expect(factor.held.length).toBe(2);
    expect(factor.held[0]).toBeLessThan(3);
    expect(factor.held[1]).toBeGreaterThanOrEqual(3);
    const b = Float64Array.of(1, 1, -2, 4, -1, -1, -2);
    const x = new Float64Array(7);
    factor.solveInto(b, x);
    expect(residual(m, x, b, 1)).toBeLessThan(1e-13);
    for (const i of factor.held) expect(x[i]).toBe(0);
  });

  it('throws on a matrix that is not positive definite or not finite, and on solving with it', () => {
    const indefinite = makeSparseSymmetric(2, [0, 1, 1], [0, 0, 1], [1, 2, 1]);
    expect(() => factorSparse(indefinite)).toThrow('not positive definite at row');
    expect(() => factorSparse(indefinite, { singular: 'hold' })).toThrow('not positive definite at row');
    const good = makeSparseSymmetric(2, [0, 1, 1], [0, 0, 1], [1, 0.5, 1]);
    const factor = factorSparse(good);
    expect(() => factor.refactor({ ...good, values: Float64Array.of(1, Number.NaN, 1) })).toThrow(
      'not positive definite',
    );
    expect(() => factor.solveInto([1, 1], new Float64Array(2))).toThrow('the last factorization failed');
    factor.refactor(good);
    const x = new Float64Array(2);
    factor.solveInto([1.5, 1.5], x);
    expect(x[0]).toBeCloseTo(1, 14);
  });

  it('handles zero unknowns, and throws on arrays that are too short', () => {
    const empty = factorSparse(makeSparseSymmetric(0, [], [], []));
    empty.solveInto([], new Float64Array(0), 3);
    expect(empty.nonzeros).toBe(0);
    const factor = factorSparse(makeSparseSymmetric(2, [0, 1], [0, 1], [1, 1]));
    expect(() => factor.solveInto([1, 2, 3], new Float64Array(6), 3)).toThrow('need 6 numbers, got 3');
    expect(() => factor.solveInto([1, 2, 3], new Float64Array(6), 1.5)).toThrow('whole number');
  });
});
