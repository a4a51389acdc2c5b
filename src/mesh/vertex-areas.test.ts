// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { measureBounds } from './bounds.ts';
import { measureTriangleAreas } from './triangle-areas.ts';
import { measureVertexAreas } from './vertex-areas.ts';

// A square of side 2 as two triangles, a degenerate triangle on its diagonal, and a vertex apart.
const positions = new Float32Array([0, 0, 1, 2, 0, 1, 2, 2, 1, 0, 2, 1, -9, 5, 4]);
const triangles = new Uint32Array([0, 1, 2, 0, 2, 3, 0, 2, 2]);

describe('measureTriangleAreas', () => {
  it('is half the square each, and zero for the degenerate one', () => {
    expect([...measureTriangleAreas(positions, triangles)]).toEqual([2, 2, 0]);
  });
});

describe('measureVertexAreas', () => {
  it('shares each triangle out in thirds and adds up to the whole', () => {
    const areas = measureVertexAreas(positions, triangles);
    expect(areas.reduce((a, b) => a + b)).toBeCloseTo(4, 12);
    expect(areas[0]).toBeCloseTo(4 / 3, 12);
    expect(areas[1]).toBeCloseTo(2 / 3, 12);
    expect(areas[4]).toBe(0);
  });
});

describe('measureBounds', () => {
  it('holds all points tightly', () => {
    const { min, max, diagonal } = measureBounds(positions);
    expect([min, max]).toEqual([
      [-9, 0, 1],
      [2, 5, 4],
    ]);
    expect(diagonal).toBeCloseTo(Math.sqrt(121 + 25 + 9), 12);
  });

  it('has no size for no point and for one', () => {
    expect(measureBounds([]).diagonal).toBe(0);
    expect(measureBounds([1, 2, 3])).toEqual({ min: [1, 2, 3], max: [1, 2, 3], diagonal: 0 });
  });
});
