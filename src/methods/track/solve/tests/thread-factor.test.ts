// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { analyzeSparse } from '../../../../core/algebra/analyze-sparse.ts';
import { factorSparse } from '../../../../core/algebra/sparse-ldlt.ts';
import type { SparseSymmetric } from '../../../../core/algebra/sparse-matrix.ts';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { ThreadFactor } from '../thread-factor.ts';

const SIDE = 40;

/** The Laplacian of a grid with random weights, and a multiple of the identity; lower triangle by columns. */
function makeMatrix(seed: number, diagonal: number): SparseSymmetric {
  const random = makeRandom(seed);
  const size = SIDE * SIDE;
  const sums = new Float64Array(size).fill(diagonal);
  const columns: { row: number; value: number }[][] = Array.from({ length: size }, () => []);
  for (let i = 0; i < size; i++)
    for (const j of [...(i % SIDE < SIDE - 1 ? [i + 1] : []), ...(i + SIDE < size ? [i + SIDE] : [])]) {
      const w = 0.5 + random.next();
      columns[i].push({ row: j, value: -w });
      sums[i] += w;
      sums[j] += w;
    }
  const columnStart = new Uint32Array(size + 1);
  const rowIndices: number[] = [];
  const values: number[] = [];
  for (let i = 0; i < size; i++) {
    for (const { row, value } of [{ row: i, value: sums[i] }, ...columns[i]]) {
      rowIndices.push(row);
      values.push(value);
    }
    columnStart[i + 1] = rowIndices.length;
  }
  return { size, columnStart, rowIndices: Uint32Array.from(rowIndices), values: Float64Array.from(values) };
}

const right = Float64Array.from({ length: 3 * SIDE * SIDE }, (_, n) => Math.sin(n));

describe('ThreadFactor', () => {
  it('solves with the same bits as factorSparse, in TypeScript, in WebAssembly and on threads, also a second time', async () => {
    const matrices = [makeMatrix(1, 0.1), makeMatrix(2, 0.01)];
    const pattern = analyzeSparse(matrices[0]);
    for (const options of [
      { kind: 'typescript' as const },
      { kind: 'wasm' as const, threads: 1 },
      { kind: 'wasm' as const, threads: 2 },
    ]) {
      const compute = await makeCompute(options);
      const factor = new ThreadFactor(compute, pattern);
      for (const matrix of matrices) {
        const [expected, found] = [new Float64Array(right.length), new Float64Array(right.length)];
        factorSparse(matrix, { pattern }).solveInto(right, expected, 3);
        await factor.factor(matrix);
        factor.solveInto(right, found, 3);
        expect(Buffer.from(found.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
      }
      factor.dispose();
      compute.dispose();
    }
  });

  it('factors a dense matrix, whose tree has no branches', async () => {
    const values = Float64Array.of(4, 1, 1, 3, 0.5, 5);
    const matrix = {
      size: 3,
      columnStart: Uint32Array.of(0, 3, 5, 6),
      rowIndices: Uint32Array.of(0, 1, 2, 1, 2, 2),
      values,
    };
    const factor = new ThreadFactor(await makeCompute({ kind: 'typescript' }), analyzeSparse(matrix));
    const x = new Float64Array(3);
    for (let n = 0; n < 2; n++) await factor.factor(matrix);
    factor.solveInto([6, 4.5, 6.5], x);
    for (const value of x) expect(value).toBeCloseTo(1, 12);
  });

  it('holds an unknown of a singular matrix, or throws', async () => {
    const compute = await makeCompute({ kind: 'typescript' });
    const matrix = makeMatrix(3, 0);
    const pattern = analyzeSparse(matrix);
    await expect(new ThreadFactor(compute, pattern).factor(matrix)).rejects.toThrow('the matrix is singular at row');
    const factor = new ThreadFactor(compute, pattern, { singular: 'hold' });
    await factor.factor(matrix);
    const x = new Float64Array(SIDE * SIDE);
    const balanced = x.map((_, n) => (n === 0 ? 1 : n === 1 ? -1 : 0));
    factor.solveInto(balanced, x);
    expect(x.includes(0)).toBe(true);
    expect(x[0] - x[1]).toBeGreaterThan(0.1);
  });
});
