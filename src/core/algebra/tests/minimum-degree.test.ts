// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeSparse } from '../analyze-sparse.ts';
import { minimumDegree } from '../minimum-degree.ts';
import { makeSparseSymmetric, type SparseSymmetric } from '../sparse-matrix.ts';

/** The pattern of a graph: its edges and the diagonal. */
function graph(size: number, edges: [number, number][]): SparseSymmetric {
  const rows = [...edges.map(([a, b]) => Math.max(a, b)), ...Array.from({ length: size }, (_, i) => i)];
  const columns = [...edges.map(([a, b]) => Math.min(a, b)), ...Array.from({ length: size }, (_, i) => i)];
  return makeSparseSymmetric(size, rows, columns, new Array(rows.length).fill(1));
}

function grid(width: number, height: number): SparseSymmetric {
  const edges: [number, number][] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (x + 1 < width) edges.push([i, i + 1]);
      if (y + 1 < height) edges.push([i, i + width]);
      if (x + 1 < width && y + 1 < height) edges.push([i, i + width + 1]);
    }
  }
  return graph(width * height, edges);
}

function expectPermutation(order: Uint32Array, size: number): void {
  expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i));
}

const fillOf = (m: SparseSymmetric, order?: Uint32Array): number => analyzeSparse(m, order).columnStart[m.size];
const natural = (size: number): Uint32Array => Uint32Array.from({ length: size }, (_, i) => i);

/** Entries of L by playing the elimination on sets. */
function countFill(m: SparseSymmetric, order: Uint32Array): number {
  const near = Array.from({ length: m.size }, () => new Set<number>());
  for (let j = 0; j < m.size; j++) {
    for (let e = m.columnStart[j]; e < m.columnStart[j + 1]; e++) {
      const i = m.rowIndices[e];
      if (i === j) continue;
      near[i].add(j);
      near[j].add(i);
    }
  }
  let count = 0;
  for (const p of order) {
    count += near[p].size;
    for (const i of near[p]) {
      near[i].delete(p);
      for (const j of near[p]) if (j !== i) near[i].add(j);
    }
  }
  return count;
}

const anyGraph = fc
  .integer({ min: 1, max: 40 })
  .chain((size) =>
    fc
      .array(fc.tuple(fc.integer({ min: 0, max: size - 1 }), fc.integer({ min: 0, max: size - 1 })), { maxLength: 150 })
      .map((edges) => graph(size, edges as [number, number][])),
  );

describe('minimumDegree', () => {
  it('orders every unknown once, for any graph', () => {
    fc.assert(
      fc.property(anyGraph, (m) => {
        const order = minimumDegree(m);
        expectPermutation(order, m.size);
        expect(minimumDegree(m)).toEqual(order);
      }),
      { numRuns: 500 },
    );
  });

  it('makes no fill on trees', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 80 }), (choices) => {
        const edges = choices.map((c, n): [number, number] => [n + 1, c % (n + 1)]);
        const m = graph(choices.length + 1, edges);
        expect(fillOf(m)).toBe(choices.length);
      }),
      { numRuns: 200 },
    );
  });

  it('puts the hub of a star, a row with an entry everywhere, at the end', () => {
    const size = 3000;
    const m = graph(
      size,
      Array.from({ length: size - 1 }, (_, n): [number, number] => [0, n + 1]),
    );
    const order = minimumDegree(m);
    expectPermutation(order, size);
    expect(order[size - 1]).toBe(0);
    expect(fillOf(m)).toBe(size - 1);
  });

  it('orders a complete graph and a graph without edges', () => {
    const edges: [number, number][] = [];
    for (let i = 0; i < 12; i++) for (let j = 0; j < i; j++) edges.push([i, j]);
    expectPermutation(minimumDegree(graph(12, edges)), 12);
    expectPermutation(minimumDegree(graph(7, [])), 7);
    expect(minimumDegree(graph(0, [])).length).toBe(0);
  });

  it('keeps the fill of a mesh a fraction of the natural order', () => {
    const m = grid(50, 50);
    expect(fillOf(m)).toBeLessThan(0.42 * fillOf(m, natural(m.size)));
  });
});

describe('analyzeSparse', () => {
  it('counts the entries of the factor exactly', () => {
    fc.assert(
      fc.property(anyGraph, (m) => {
        const pattern = analyzeSparse(m);
        expect(pattern.columnStart[m.size]).toBe(countFill(m, pattern.order));
        expect(fillOf(m, natural(m.size))).toBe(countFill(m, natural(m.size)));
      }),
      { numRuns: 300 },
    );
  });

  it('puts children before parents', () => {
    const { parent } = analyzeSparse(grid(9, 7));
    parent.forEach((p, k) => {
      expect(p === -1 || p > k).toBe(true);
    });
  });

  it('throws on an order that is not a permutation', () => {
    expect(() => analyzeSparse(grid(2, 1), Uint32Array.of(0, 0))).toThrow('each of the 2 unknowns once');
    expect(() => analyzeSparse(grid(2, 1), Uint32Array.of(0))).toThrow('each of the 2 unknowns once');
  });
});
