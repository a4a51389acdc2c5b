// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { measureTriangleAreas } from '../../../core/mesh/geometry/triangle-areas.ts';
import { remeshSurface } from '../remesh-surface.ts';

/** A tetrahedron. */
const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);
const triangles = Uint32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3);
const areaOf = (p: ArrayLike<number>, t: Uint32Array) =>
  measureTriangleAreas(p, t).reduce((sum, area) => sum + area, 0);

describe('remeshSurface', () => {
  it('has the wanted vertices on the same surface, and others for another seed', () => {
    const { corners, blends, triangles: faces } = remeshSurface(positions, triangles, { vertices: 50, seed: 1 });
    expect(corners.length).toBe(150);
    // a closed surface of 50 vertices
    expect(faces.length / 3).toBe(96);
    const placed = Float32Array.from(corners, (_, c) => {
      const row = 3 * Math.floor(c / 3);
      return [0, 1, 2].reduce((sum, n) => sum + blends[row + n] * positions[3 * corners[row + n] + (c % 3)], 0);
    });
    expect(areaOf(placed, faces)).toBeCloseTo(areaOf(positions, triangles), 5);
    for (let i = 0; i < 50; i++) {
      const [x, y, z] = placed.subarray(3 * i, 3 * i + 3);
      const gaps = [x, y, z, 1 - x - y - z].map(Math.abs);
      expect(Math.min(...gaps)).toBeLessThan(1e-6);
    }
    expect(remeshSurface(positions, triangles, { vertices: 50, seed: 2 }).triangles).not.toEqual(faces);
  });
});
