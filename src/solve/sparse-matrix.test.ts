// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeSparseSymmetric, multiplySparseInto } from './sparse-matrix.ts';

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
  it('adds up triplets of one place and sorts each column by row', () => {
    const m = makeSparseSymmetric(3, [2, 0, 2, 1, 2], [0, 0, 0, 1, 2], [1, 4, 2, 5, 6]);
    expect([...m.columnStart]).toEqual([0, 2, 3, 4]);
    expect([...m.rowIndices]).toEqual([0, 2, 1, 2]);
    expect([...m.values]).toEqual([4, 3, 5, 6]);
  });

  it('refuses the upper triangle, rows out of range and lists of different length', () => {
    expect(() => makeSparseSymmetric(2, [0], [1], [1])).toThrow('row 0, column 1');
    expect(() => makeSparseSymmetric(2, [2], [1], [1])).toThrow('row 2');
    expect(() => makeSparseSymmetric(2, [1, 1], [1], [1])).toThrow('agree in number');
  });

  it('holds an empty matrix', () => {
    expect(makeSparseSymmetric(0, [], [], []).values.length).toBe(0);
    expect([...makeSparseSymmetric(2, [], [], []).columnStart]).toEqual([0, 0, 0]);
  });
});

describe('multiplySparseInto', () => {
  it('multiplies as the full symmetric matrix does, column by column', () => {
    fc.assert(
      fc.property(triplets, fc.integer({ min: 1, max: 4 }), ({ size, entries }, columns) => {
        const rows = entries.map((e) => Math.max(e.a, e.b));
        const cols = entries.map((e) => Math.min(e.a, e.b));
        const values = entries.map((e) => e.value);
        const full = Array.from({ length: size }, () => new Array<number>(size).fill(0));
        entries.forEach((e, t) => {
          full[rows[t]][cols[t]] += e.value;
          if (rows[t] !== cols[t]) full[cols[t]][rows[t]] += e.value;
        });
        const x = Float64Array.from({ length: size * columns }, (_, n) => (n % 7) - 3);
        const out = new Float64Array(size * columns).fill(9);
        multiplySparseInto(makeSparseSymmetric(size, rows, cols, values), x, out, columns);
        for (let i = 0; i < size; i++) {
          for (let c = 0; c < columns; c++) {
            const sum = full[i].reduce((s, a, j) => s + a * x[j * columns + c], 0);
            expect(out[i * columns + c]).toBe(sum + 0);
          }
        }
      }),
    );
  });

  it('refuses arrays that are too short', () => {
    const m = makeSparseSymmetric(2, [0, 1], [0, 1], [1, 1]);
    expect(() => multiplySparseInto(m, [1, 2, 3], new Float64Array(4), 2)).toThrow('need 4 numbers, got 3');
  });
});
