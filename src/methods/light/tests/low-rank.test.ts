// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import type { FrameMatrix, LowRank } from '../low-rank.ts';
import { nonnegativeFactors } from '../nonnegative-factors.ts';
import { relativeFactors } from '../relative-factors.ts';
import { truncatedSvd } from '../truncated-svd.ts';

const [FRAMES, SIZE] = [20, 90];
const monitor = new SolveMonitor({});

/** A sum of products of factors that are not negative, and noise. */
function makeMatrix(rank: number, noise = 0): FrameMatrix {
  const random = makeRandom(7);
  const columns = Float64Array.from({ length: FRAMES * rank }, () => Math.max(0, random.normal()));
  const rows = Float64Array.from({ length: SIZE * rank }, () => Math.max(0, random.normal()));
  const values = new Float32Array(FRAMES * SIZE);
  for (let k = 0; k < FRAMES; k++)
    for (let i = 0; i < SIZE; i++) {
      let sum = noise * random.next();
      for (let r = 0; r < rank; r++) sum += columns[k * rank + r] * rows[i * rank + r];
      values[k * SIZE + i] = sum;
    }
  return { values, frameCount: FRAMES, size: SIZE };
}

function errorOf({ values }: FrameMatrix, { rank, basis, coefficients }: LowRank): number {
  let [error, whole] = [0, 0];
  for (let k = 0; k < FRAMES; k++)
    for (let i = 0; i < SIZE; i++) {
      let sum = 0;
      for (let r = 0; r < rank; r++) sum += coefficients[k * rank + r] * basis[r * SIZE + i];
      error += (values[k * SIZE + i] - sum) ** 2;
      whole += values[k * SIZE + i] ** 2;
    }
  return Math.sqrt(error / whole);
}

describe.each([
  ['nonnegativeFactors', nonnegativeFactors],
  ['truncatedSvd', truncatedSvd],
])('%s', (_, factor) => {
  it('has errors that fall with the rank, and the last is that of its factors', async () => {
    const matrix = makeMatrix(5, 0.5);
    const found = await factor(matrix, 8, monitor);
    expect(found.errors.length).toBe(9);
    for (let r = 1; r <= 8; r++) expect(found.errors[r]).toBeLessThan(found.errors[r - 1]);
    expect(errorOf(matrix, found)).toBeCloseTo(found.errors[8], 5);
  });

  it('has coefficients of at most one', async () => {
    const { coefficients } = await factor(makeMatrix(3, 0.1), 3, monitor);
    expect(coefficients.reduce((max, x) => Math.max(max, Math.abs(x)), 0)).toBeCloseTo(1, 6);
  });

  it('gives zeros for zeros', async () => {
    const zeros = { values: new Float32Array(FRAMES * SIZE), frameCount: FRAMES, size: SIZE };
    const { basis, errors } = await factor(zeros, 4, monitor);
    expect(basis.every((x) => x === 0)).toBe(true);
    expect(errors.at(-1)).toBe(0);
  });

  it('ends at the rank of the matrix', async () => {
    const { values } = makeMatrix(1);
    const found = await factor({ values, frameCount: FRAMES, size: SIZE }, 4, monitor);
    expect(found.errors[1]).toBeLessThan(1e-6);
  });
});

/** A matrix as light of two terms, whose second half of columns is the second term. */
async function factorTwoTerms({ values, frameCount, size }: FrameMatrix, rank: number, solve = monitor) {
  const half = size / 2;
  const read = (t: number) =>
    Float64Array.from(
      { length: frameCount * half },
      (_, o) => values[Math.floor(o / half) * size + t * half + (o % half)],
    );
  const one = new Float32Array(frameCount * half).fill(1);
  const squares = [one, new Float32Array(frameCount * half), one];
  const whole = values.reduce((sum, x) => sum + x * x, 0);
  const light = { frameCount, vertexCount: half, squares, products: [read(0), read(1)], whole };
  const found = await relativeFactors(light, rank, solve);
  // terms of a vertex are neighbours
  const basis = found.basis.map((_, c) => {
    const [r, i] = [Math.floor(c / size), c % size];
    return found.basis[r * size + 2 * (i % half) + Math.floor(i / half)];
  });
  return { ...found, basis };
}

describe('relativeFactors', () => {
  it('has errors that fall with the rank, and the last is that of its factors', async () => {
    const matrix = makeMatrix(5, 0.5);
    const found = await factorTwoTerms(matrix, 8);
    for (let r = 1; r <= 8; r++) expect(found.errors[r]).toBeLessThan(found.errors[r - 1]);
    expect(errorOf(matrix, found)).toBeCloseTo(found.errors[8], 5);
    expect(found.basis.every((x) => x >= 0)).toBe(true);
    expect(found.coefficients.every((x) => x >= 0)).toBe(true);
  });

  it('is as close as factors of the matrix, if terms are one', async () => {
    const matrix = makeMatrix(4, 1);
    const [own, plain] = [await factorTwoTerms(matrix, 4), await nonnegativeFactors(matrix, 4, monitor)];
    for (let r = 1; r <= 4; r++) expect(own.errors[r] / plain.errors[r]).toBeCloseTo(1, 1);
  });

  it('gives zeros for zeros', async () => {
    const zeros = { values: new Float32Array(FRAMES * SIZE), frameCount: FRAMES, size: SIZE };
    const { basis, errors } = await factorTwoTerms(zeros, 4);
    expect(basis.every((x) => x === 0)).toBe(true);
    expect(errors.at(-1)).toBe(0);
  });
});

describe('nonnegativeFactors', () => {
  it('has factors that are not negative', async () => {
    const { basis, coefficients } = await nonnegativeFactors(makeMatrix(4, 1), 6, monitor);
    expect(basis.every((x) => x >= 0)).toBe(true);
    expect(coefficients.every((x) => x >= 0)).toBe(true);
  });

  it('finds factors close to those that the matrix was made of', async () => {
    const { errors } = await nonnegativeFactors(makeMatrix(3), 3, monitor);
    expect(errors[3]).toBeLessThan(0.02);
  });

  it('keeps the components so far if it is stopped', async () => {
    const stop = new AbortController();
    const stoppable = new SolveMonitor({
      signal: stop.signal,
      onProgress: ({ fraction }) => fraction > 0.3 && stop.abort(),
    });
    stoppable.enter('factor', 0, 1);
    const found = await nonnegativeFactors(makeMatrix(5, 1), 8, stoppable);
    expect(found.status).toBe('stopped');
    expect(found.rank).toBeLessThan(8);
    expect(found.errors.length).toBe(found.rank + 1);
  });
});

describe('truncatedSvd', () => {
  it('is as close for clips that are too long for an exact solution', async () => {
    const matrix = makeMatrix(6, 1);
    const [exact, projected] = [await truncatedSvd(matrix, 3, monitor), await truncatedSvd(matrix, 3, monitor, 15)];
    for (let r = 1; r <= 3; r++) expect(projected.errors[r] / exact.errors[r]).toBeCloseTo(1, 4);
    expect(errorOf(matrix, projected)).toBeCloseTo(projected.errors[3], 5);
  });

  it('is at least as close as factors that are not negative', async () => {
    const matrix = makeMatrix(6, 1);
    const [svd, factors] = [await truncatedSvd(matrix, 4, monitor), await nonnegativeFactors(matrix, 4, monitor)];
    for (let r = 1; r <= 4; r++) expect(svd.errors[r]).toBeLessThanOrEqual(factors.errors[r] + 1e-9);
  });
});
