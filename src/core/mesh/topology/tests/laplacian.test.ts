// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SparseSymmetric } from '../../../algebra/sparse-matrix.ts';
import { makeCotangentLaplacian } from '../laplacian.ts';

/** matrix * x, and matrix * |x| by absolute values: the scale of rounding. */
function multiply(matrix: SparseSymmetric, x: ArrayLike<number>): { product: number[]; scale: number } {
  const product = new Array<number>(matrix.size).fill(0);
  let scale = 1e-300;
  for (let column = 0; column < matrix.size; column++) {
    for (let e = matrix.columnStart[column]; e < matrix.columnStart[column + 1]; e++) {
      const row = matrix.rowIndices[e];
      product[row] += matrix.values[e] * x[column];
      if (row !== column) product[column] += matrix.values[e] * x[row];
      scale = Math.max(scale, Math.abs(matrix.values[e]));
    }
  }
  return { product, scale };
}

function at(matrix: SparseSymmetric, i: number, j: number): number {
  const [row, column] = [Math.max(i, j), Math.min(i, j)];
  for (let e = matrix.columnStart[column]; e < matrix.columnStart[column + 1]; e++)
    if (matrix.rowIndices[e] === row) return matrix.values[e];
  return 0;
}

const POINTS = 9;
const randomMesh = fc.record({
  positions: fc
    .array(fc.oneof(fc.integer({ min: -1, max: 1 }), fc.float({ min: -2, max: 2, noNaN: true })), {
      minLength: 3 * POINTS,
      maxLength: 3 * POINTS,
    })
    .map((list) => new Float32Array(list)),
  triangles: fc
    .array(fc.integer({ min: 0, max: POINTS - 1 }), { maxLength: 45 })
    .map((list) => new Uint32Array(list.slice(0, list.length - (list.length % 3)))),
});

describe('makeCotangentLaplacian', () => {
  it('has constants in its null space, for any triangles, degenerate ones included', () => {
    fc.assert(
      fc.property(randomMesh, fc.boolean(), ({ positions, triangles }, clamp) => {
        const matrix = makeCotangentLaplacian(positions, triangles, { clamp });
        const { product, scale } = multiply(matrix, new Float64Array(POINTS).fill(1));
        for (const value of product) expect(Math.abs(value)).toBeLessThanOrEqual(1e-12 * scale);
      }),
    );
  });

  it('is positive semi-definite', () => {
    fc.assert(
      fc.property(randomMesh, fc.boolean(), ({ positions, triangles }, clamp) => {
        const x = Float64Array.from({ length: POINTS }, (_, i) => ((i * 37) % 11) - 5);
        const matrix = makeCotangentLaplacian(positions, triangles, { clamp });
        const { product, scale } = multiply(matrix, x);
        expect(product.reduce((sum, value, i) => sum + value * x[i], 0)).toBeGreaterThanOrEqual(-1e-9 * scale);
        for (let i = 0; i < POINTS; i++) expect(at(matrix, i, i)).toBeGreaterThanOrEqual(-1e-12 * scale);
      }),
    );
  });

  it('gives half a cotangent per half-edge: a unit square cut by its diagonal', () => {
    // 3---2
    // | / |    the diagonal 0-2 faces two right angles, each side faces 45 degrees
    // 0---1
    const positions = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
    const matrix = makeCotangentLaplacian(positions, new Uint32Array([0, 1, 2, 0, 2, 3]));
    expect(at(matrix, 0, 2)).toBeCloseTo(0, 12);
    expect(at(matrix, 0, 1)).toBeCloseTo(-0.5, 12);
    expect(at(matrix, 0, 0)).toBeCloseTo(1, 12);
  });

  it('has linear functions in its null space inside a flat mesh, wherever the points are', () => {
    // a hexagonal fan with an off-center middle
    const ring = Array.from({ length: 6 }, (_, n) => [Math.cos((n * Math.PI) / 3), Math.sin((n * Math.PI) / 3), 0]);
    const positions = new Float64Array([0.3, -0.2, 0, ...ring.flat()]);
    const triangles = Uint32Array.from(ring.flatMap((_, n) => [0, n + 1, ((n + 1) % 6) + 1]));
    const matrix = makeCotangentLaplacian(positions, triangles);
    for (const axis of [0, 1]) {
      const x = Float64Array.from({ length: 7 }, (_, i) => positions[3 * i + axis]);
      expect(multiply(matrix, x).product[0]).toBeCloseTo(0, 12);
    }
  });

  it('keeps negative weights unless asked to clamp them', () => {
    // one obtuse triangle: the long edge 0-1 faces an angle of more than 90 degrees
    const positions = new Float32Array([-2, 0, 0, 2, 0, 0, 0, 0.5, 0]);
    const triangles = new Uint32Array([0, 1, 2]);
    expect(at(makeCotangentLaplacian(positions, triangles), 0, 1)).toBeGreaterThan(0);
    const clamped = makeCotangentLaplacian(positions, triangles, { clamp: true });
    expect(at(clamped, 0, 1)).toBe(0);
    expect(at(clamped, 0, 0)).toBeCloseTo(-at(clamped, 0, 2), 12);
  });

  it('ignores slivers, at any size of the mesh, and stays finite', () => {
    for (const size of [1e-18, 1, 1e15]) {
      const positions = new Float32Array([0, 0, 0, size, 0, 0, 0, size, 0, size / 2, 1e-9 * size, 0]);
      const matrix = makeCotangentLaplacian(positions, new Uint32Array([0, 1, 2, 0, 1, 3]));
      expect(at(matrix, 3, 3)).toBe(0);
      expect(at(matrix, 1, 2)).toBeCloseTo(0, 6);
      expect(at(matrix, 0, 1)).toBeCloseTo(-0.5, 6);
    }
  });
});
