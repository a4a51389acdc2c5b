// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeSparseSymmetric } from '../sparse-matrix.ts';

const triplets = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    entries: fc.array(
      fc.record({
        a: fc.integer({ min: 0, max: size - 1 }),
        b: fc.integer({ min: 0, max: size - 1 }),
        value: fc.integer({ min: -5, max: 5 }),
      }),
      { maxLength: 60 },
    ),
  }),
);

describe('makeSparseSymmetric', () => {
  it('adds triplets of the same element and sorts each column by row', () => {
    const m = makeSparseSymmetric(3, [2, 0, 2, 1, 2], [0, 0, 0, 1, 2], [1, 4, 2, 5, 6]);
    expect([...m.columnStart]).toEqual([0, 2, 3, 4]);
    expect([...m.rowIndices]).toEqual([0, 2, 1, 2]);
    expect([...m.values]).toEqual([4, 3, 5, 6]);
  });

  it('throws on the upper triangle, rows out of range and lists of different length', () => {
    expect(() => makeSparseSymmetric(2, [0], [1], [1])).toThrow('row 0, column 1');
    expect(() => makeSparseSymmetric(2, [2], [1], [1])).toThrow('row 2');
    expect(() => makeSparseSymmetric(2, [1, 1], [1], [1])).toThrow('same length');
  });

  it('holds an empty matrix', () => {
    expect(makeSparseSymmetric(0, [], [], []).values.length).toBe(0);
    expect([...makeSparseSymmetric(2, [], [], []).columnStart]).toEqual([0, 0, 0]);
  });

  it('sums triplets to the lower triangle of the full matrix', () => {
    fc.assert(
      fc.property(triplets, ({ size, entries }) => {
        const rows = entries.map((e) => Math.max(e.a, e.b));
        const cols = entries.map((e) => Math.min(e.a, e.b));
        const full = new Float64Array(size * size);
        entries.forEach((e, t) => {
          full[rows[t] * size + cols[t]] += e.value;
        });
        const values = entries.map((e) => e.value);
        const { columnStart, rowIndices, values: sums } = makeSparseSymmetric(size, rows, cols, values);
        const back = new Float64Array(size * size);
        for (let j = 0; j < size; j++)
          for (let e = columnStart[j]; e < columnStart[j + 1]; e++) back[rowIndices[e] * size + j] += sums[e];
        expect(back).toEqual(full);
      }),
    );
  });
});
