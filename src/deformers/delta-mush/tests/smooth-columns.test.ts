// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { countRuns, factorSparse } from '../../../core/algebra/sparse-ldlt.ts';
import { makeSparseSymmetric, type SparseSymmetric } from '../../../core/algebra/sparse-matrix.ts';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { powerColumns } from '../power-columns.ts';
import { listGroups, smoothColumns } from '../smooth-columns.ts';

const engines: Record<string, Compute> = {
  'one thread': await makeCompute({ kind: 'wasm', threads: 1 }),
  'two threads': await makeCompute({ kind: 'wasm', threads: 2 }),
  'the reference': await makeCompute({ kind: 'typescript' }),
};
afterAll(() => {
  for (const compute of Object.values(engines)) compute.dispose();
});

/** D and D + λL of a graph with random weights: a grid of the given width with diagonals, and a few far edges. */
function makeSystem(width: number, height: number, lambda: number, seed: number) {
  const size = width * height;
  const random = makeRandom(seed);
  const rows: number[] = [];
  const columns: number[] = [];
  const values: number[] = [];
  const diagonal = new Float64Array(size).fill(0.01);
  const join = (a: number, b: number): void => {
    const w = 0.1 + random.next();
    diagonal[a] += w;
    diagonal[b] += w;
    rows.push(Math.max(a, b));
    columns.push(Math.min(a, b));
    values.push(-lambda * w);
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (x + 1 < width) join(i, i + 1);
      if (y + 1 < height) join(i, i + width);
      if (x + 1 < width && y + 1 < height) join(i, i + width + 1);
    }
  }
  for (let n = 0; n < size / 20; n++) {
    const a = random.below(size);
    const b = random.below(size);
    if (a !== b) join(a, b);
  }
  for (let i = 0; i < size; i++) {
    rows.push(i);
    columns.push(i);
    values.push((1 + lambda) * diagonal[i]);
  }
  return { size, diagonal, matrix: makeSparseSymmetric(size, rows, columns, values) };
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

/** Largest |A x − (S b + c)|. */
function residualOf(
  matrix: SparseSymmetric,
  x: Float64Array,
  b: Float64Array,
  diagonal?: Float64Array,
  addend?: Float64Array,
): number {
  const count = x.length / matrix.size;
  const product = multiply(matrix, x, count);
  let worst = 0;
  for (let n = 0; n < x.length; n++) {
    const right = b[n] * (diagonal?.[Math.floor(n / count)] ?? 1) + (addend?.[n] ?? 0);
    worst = Math.max(worst, Math.abs(product[n] - right));
  }
  return worst;
}

describe.each(Object.entries(engines))('smoothColumns on %s', (_, compute) => {
  it('solves systems of any size with any number of columns', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        fc.nat(),
        async (width, height, count, scaled, seed) => {
          const { size, diagonal, matrix } = makeSystem(width, height, 3, seed);
          const random = makeRandom(seed);
          const b = Float64Array.from({ length: size * count }, () => random.normal());
          const addend = scaled ? Float64Array.from(b, () => random.normal()) : undefined;
          const x = b.slice();
          await smoothColumns(compute, factorSparse(matrix), scaled ? diagonal : undefined, x, 1, { addend });
          expect(residualOf(matrix, x, b, scaled ? diagonal : undefined, addend)).toBeLessThan(1e-10);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('repeats the step like repeated calls of solveInto', async () => {
    const { size, diagonal, matrix } = makeSystem(23, 19, 20, 5);
    const factor = factorSparse(matrix);
    // Groups of four must take part, or the test says nothing about them.
    const groups = listGroups(countRuns(factor.pattern));
    const widths = new Set(Array.from(groups.subarray(1), (end, g) => end - groups[g]));
    expect(widths).toEqual(new Set([1, 2, 4]));
    const count = 11;
    const random = makeRandom(2);
    const x = Float64Array.from({ length: size * count }, () => random.normal());
    const expected = x.slice();
    for (let n = 0; n < 20; n++) {
      for (let e = 0; e < expected.length; e++) expected[e] *= diagonal[Math.floor(e / count)];
      factor.solveInto(expected, expected, count);
    }
    await smoothColumns(compute, factor, diagonal, x, 20);
    for (let e = 0; e < x.length; e++) expect(Math.abs(x[e] - expected[e])).toBeLessThan(1e-12);
  });

  it('raises a matrix of rows to a power', async () => {
    // The mean of a point and its two neighbours on a ring, 5 and 6 times: odd and even counts end in different buffers.
    const size = 17;
    const rowStart = Uint32Array.from({ length: size + 1 }, (_x, i) => 3 * i);
    const columnIndices = Uint32Array.from(
      { length: 3 * size },
      (_x, e) => (Math.floor(e / 3) + (e % 3) + size - 1) % size,
    );
    const values = new Float64Array(3 * size).fill(1 / 3);
    for (const iterations of [0, 5, 6]) {
      const count = 9;
      const random = makeRandom(4);
      const x = Float64Array.from({ length: size * count }, () => random.normal());
      let expected = x.slice();
      for (let n = 0; n < iterations; n++) {
        const from = expected;
        expected = from.map((_v, e) => {
          const i = Math.floor(e / count);
          const at = (d: number): number => from[((i + d + size) % size) * count + (e % count)];
          return (at(-1) + at(0) + at(1)) / 3;
        });
      }
      await powerColumns(compute, { size, rowStart, columnIndices, values }, x, iterations);
      for (let e = 0; e < x.length; e++) expect(Math.abs(x[e] - expected[e])).toBeLessThan(1e-14);
    }
  });
});

describe('smoothColumns', () => {
  it('gives the same bytes on any number of threads, and for a column alone or among others', async () => {
    const { size, diagonal, matrix } = makeSystem(30, 20, 20, 9);
    const factor = factorSparse(matrix);
    const count = 70;
    const random = makeRandom(6);
    const given = Float64Array.from({ length: size * count }, () => random.normal());
    const one = given.slice();
    await smoothColumns(engines['one thread'], factor, diagonal, one, 4);
    const two = given.slice();
    await smoothColumns(engines['two threads'], factor, diagonal, two, 4);
    expect(two).toEqual(one);
    const alone = Float64Array.from({ length: size }, (_, i) => given[i * count + 37]);
    await smoothColumns(engines['one thread'], factor, diagonal, alone, 4);
    expect(alone).toEqual(Float64Array.from({ length: size }, (_, i) => one[i * count + 37]));
  });

  it('throws on incomplete columns and on invalid counts', async () => {
    const { size, diagonal, matrix } = makeSystem(3, 3, 1, 1);
    const factor = factorSparse(matrix);
    const compute = engines['one thread'];
    await expect(smoothColumns(compute, factor, diagonal, new Float64Array(size + 1), 1)).rejects.toThrow(
      'are not columns of 9',
    );
    await expect(smoothColumns(compute, factor, diagonal, new Float64Array(size), 1.5)).rejects.toThrow('whole number');
    await expect(smoothColumns(compute, factor, new Float64Array(2), new Float64Array(size), 1)).rejects.toThrow(
      'diagonal',
    );
  });
});
