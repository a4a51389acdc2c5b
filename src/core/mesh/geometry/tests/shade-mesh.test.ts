// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeMesh } from '../../../model/mesh/mesh.ts';
import { shadeMesh } from '../shade-mesh.ts';

// A cube of unit size: every corner has three right angles, however its faces are split into triangles.
const corners = Float32Array.from({ length: 24 }, (_, c) => (Math.floor(c / 3) >> (c % 3)) & 1);
const quads = [
  [0, 2, 3, 1],
  [4, 5, 7, 6],
  [0, 1, 5, 4],
  [2, 6, 7, 3],
  [0, 4, 6, 2],
  [1, 3, 7, 5],
];
const cube = makeMesh(corners, Uint32Array.from(quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])));

describe('shadeMesh', () => {
  it('gives normals that do not depend on how faces are split', () => {
    const { normals } = shadeMesh(cube, 'smooth');
    normals!.forEach((x, c) => {
      expect(x).toBeCloseTo((2 * corners[c] - 1) / Math.sqrt(3), 6);
    });
  });

  it('is smooth across seams', () => {
    // every triangle has vertices of its own
    const apart = makeMesh(
      Float32Array.from(
        { length: 3 * cube.triangles.length },
        (_, e) => corners[3 * cube.triangles[Math.floor(e / 3)] + (e % 3)],
      ),
      Uint32Array.from(cube.triangles, (_, c) => c),
    );
    const { normals } = shadeMesh(apart, 'smooth');
    const whole = shadeMesh(cube, 'smooth').normals!;
    normals!.forEach((x, e) => {
      expect(x).toBe(whole[3 * cube.triangles[Math.floor(e / 3)] + (e % 3)]);
    });
  });

  it('keeps the normals of a file, and removes them for flat shading', () => {
    const normals = new Float32Array(24).fill(1);
    const given = { ...cube, normals };
    expect(shadeMesh(given, 'smooth')).toBe(given);
    expect(shadeMesh(given, 'keep')).toBe(given);
    expect(shadeMesh(cube, 'keep')).toBe(cube);
    expect(shadeMesh(given, 'flat').normals).toBeUndefined();
  });

  it('has a unit vector where there is no direction', () => {
    const { normals } = shadeMesh(makeMesh(new Float32Array(9), Uint32Array.of(0, 1, 2)), 'smooth');
    expect([...normals!]).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1]);
  });
});
