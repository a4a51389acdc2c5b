// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { makeSmoothLaplacian } from '../smooth-laplacian.ts';
import { smoothWith } from '../smooth-with.ts';
import { makeSmoother } from '../smoother.ts';

/** A bumpy grid of side x side points, and its triangles. */
function makeGrid(side: number, seed = 0): { positions: Float64Array; triangles: Uint32Array } {
  const random = makeRandom(seed);
  const positions = Float64Array.from({ length: 3 * side * side }, (_, c) => {
    const p = Math.floor(c / 3);
    return [p % side, Math.floor(p / side), 0][c % 3] + 0.3 * random.next();
  });
  const triangles: number[] = [];
  for (let y = 0; y + 1 < side; y++) {
    for (let x = 0; x + 1 < side; x++) {
      const a = y * side + x;
      triangles.push(a, a + 1, a + side, a + 1, a + side + 1, a + side);
    }
  }
  return { positions, triangles: Uint32Array.from(triangles) };
}

describe('smoothing', () => {
  it('preserves constants and stays between the minimum and the maximum, for any map', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.constantFrom('implicit', 'explicit'), (seed, method) => {
        const { positions, triangles } = makeGrid(6, seed);
        const random = makeRandom(seed + 1);
        const lambda = Float64Array.from({ length: 36 }, () => Math.max(0, random.next() * 1.2 - 0.2));
        const smoother = makeSmoother(makeSmoothLaplacian(positions, triangles), { iterations: 5, lambda, method });
        const values = Float64Array.from({ length: 72 }, (_, c) => (c % 2 === 0 ? 3 : random.next()));
        smoother.smoothInto(values, 2);
        for (let p = 0; p < 36; p++) {
          expect(values[2 * p]).toBeCloseTo(3, 12);
          expect(values[2 * p + 1]).toBeGreaterThanOrEqual(0);
          expect(values[2 * p + 1]).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('solves (I + Λ D⁻¹L) x = b at every implicit step', () => {
    const { positions, triangles } = makeGrid(4);
    const laplacian = makeSmoothLaplacian(positions, triangles);
    const lambda = Float64Array.from({ length: 16 }, (_, p) => (p === 5 ? 0 : 0.5 + p));
    const b = Float64Array.from({ length: 16 }, (_, p) => Math.sin(p));
    const x = b.slice();
    makeSmoother(laplacian, { iterations: 1, lambda, method: 'implicit' }).smoothInto(x, 1);
    const lx = new Float64Array(16);
    const diagonal = new Float64Array(16);
    for (let j = 0; j < 16; j++) {
      for (let e = laplacian.columnStart[j]; e < laplacian.columnStart[j + 1]; e++) {
        const i = laplacian.rowIndices[e];
        lx[i] += laplacian.values[e] * x[j];
        if (i === j) diagonal[i] = laplacian.values[e];
        else lx[j] += laplacian.values[e] * x[i];
      }
    }
    for (let p = 0; p < 16; p++) expect(x[p] + (lambda[p] * lx[p]) / diagonal[p]).toBeCloseTo(b[p], 12);
    expect(x[5]).toBe(b[5]);
  });

  it('reuses the order of a smoother with the same held points only', () => {
    const { positions, triangles } = makeGrid(5);
    const laplacian = makeSmoothLaplacian(positions, triangles);
    const method = 'implicit';
    const like = makeSmoother(laplacian, { iterations: 2, lambda: 4, method });
    const held = Float64Array.from({ length: 25 }, (_, p) => (p < 3 ? 0 : 2));
    for (const lambda of [2, held]) {
      const a = Float64Array.from({ length: 25 }, (_, p) => Math.cos(p));
      const b = a.slice();
      const again = makeSmoother(laplacian, { iterations: 2, lambda, method, like });
      expect(again.implicit?.factor.pattern === like.implicit?.factor.pattern).toBe(lambda === 2);
      again.smoothInto(a, 1);
      makeSmoother(laplacian, { iterations: 2, lambda, method }).smoothInto(b, 1);
      expect(a).toEqual(b);
    }
  });

  it('holds a point without triangles, and uses uniform weights for degenerate triangles', () => {
    // 4 lies in the middle of the edge 0-1, in a triangle without area; 5 is alone
    const positions = Float64Array.of(0, 0, 0, 2, 0, 0, 0, 2, 0, 2, 2, 0, 1, 0, 0, 9, 9, 9);
    const triangles = Uint32Array.of(0, 1, 2, 1, 3, 2, 0, 4, 1);
    const smoother = makeSmoother(makeSmoothLaplacian(positions, triangles), {
      iterations: 400,
      lambda: 20,
      method: 'implicit',
    });
    const values = Float64Array.of(1, 0, 0, 0, 0, 7);
    smoother.smoothInto(values, 1);
    expect(values[5]).toBe(7);
    for (let p = 1; p < 5; p++) expect(values[p]).toBeCloseTo(values[0], 6);
  });

  it('limits the weights of slivers, so that their points are smoothed with the others', () => {
    // 4 is a hair beside 1: the edge 1-4 has cotangents of 1e5
    const positions = Float64Array.of(0, 0, 0, 2, 0, 0, 0, 2, 0, 2, 2, 0, 2.00001, 0, 0);
    const triangles = Uint32Array.of(0, 1, 2, 1, 3, 2, 1, 4, 3);
    const laplacian = makeSmoothLaplacian(positions, triangles);
    expect(laplacian.values.reduce((max, v) => Math.max(max, Math.abs(v)), 0)).toBeLessThan(210);
  });

  it('rejects zero steps, explicit strengths above one, negative ones, and maps of the wrong length', () => {
    const { positions, triangles } = makeGrid(3);
    const laplacian = makeSmoothLaplacian(positions, triangles);
    const make = (iterations: number, lambda: number | number[], method: 'implicit' | 'explicit') => () =>
      makeSmoother(laplacian, { iterations, lambda, method });
    expect(make(0, 1, 'implicit')).toThrow('iterations must be a whole number of at least 1, got 0');
    expect(make(1, 1.5, 'explicit')).toThrow('at most 1, got 1.5');
    expect(make(1, -1, 'implicit')).toThrow('at least 0');
    expect(make(1, [1, 2], 'implicit')).toThrow('2 strengths for 9 points');
  });

  it.each(['implicit', 'explicit'] as const)(
    'gives the same result by kernels as by its own loops (%s)',
    async (method) => {
      const { positions, triangles } = makeGrid(9);
      const lambda = Float64Array.from({ length: 81 }, (_, p) => (p % 7 === 0 ? 0 : 0.8));
      const smoother = makeSmoother(makeSmoothLaplacian(positions, triangles), { iterations: 7, lambda, method });
      const own = Float64Array.from({ length: 81 * 11 }, (_, c) => Math.sin(c));
      const values = own.slice();
      smoother.smoothInto(own, 11);
      const compute = await makeCompute({ threads: 1 });
      await smoothWith(compute, smoother, values, 11);
      compute.dispose();
      for (let c = 0; c < own.length; c++) expect(Math.abs(values[c] - own[c])).toBeLessThan(1e-13);
    },
  );
});
