// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { cornerNormals } from '../corner-normals.ts';

/** A roof: two squares that meet along the y axis, each tilted by the angle. Every corner has its own vertex, as after a UV cut. */
function makeRoof(degrees: number): { positions: Float32Array; triangles: Uint32Array } {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const left = [-c, 0, -s, 0, 0, 0, 0, 1, 0, -c, 1, -s];
  const right = [0, 0, 0, c, 0, -s, c, 1, -s, 0, 1, 1e-9];
  const triangles = Uint32Array.of(0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7);
  return { positions: Float32Array.of(...left, ...right), triangles };
}

describe('cornerNormals', () => {
  it('smooths across a seam between faces that nearly continue one another', () => {
    const { positions, triangles } = makeRoof(10);
    const normals = cornerNormals(positions, triangles);
    // Corner 1 of triangle 0 and corner 0 of triangle 2 are the same place at the ridge, in two vertices.
    const [a, b] = [normals.subarray(3, 6), normals.subarray(18, 21)];
    for (let n = 0; n < 3; n++) expect(a[n]).toBeCloseTo(b[n], 6);
    expect(a[2]).toBeGreaterThan(0.98);
    expect(Math.abs(a[0])).toBeLessThan(0.2);
  });

  it('keeps a sharp edge sharp', () => {
    const { positions, triangles } = makeRoof(45);
    const normals = cornerNormals(positions, triangles);
    expect(normals[3]).toBeCloseTo(-Math.SQRT1_2, 6);
    expect(normals[18]).toBeCloseTo(Math.SQRT1_2, 6);
  });

  it('stays quick where very many faces meet in a point, and gives each its own normal there', () => {
    const count = 60_000;
    const positions = new Float32Array(3 * count + 3);
    positions[2] = 1;
    for (let i = 0; i < count; i++) {
      positions[3 * i + 3] = Math.cos((2 * Math.PI * i) / count);
      positions[3 * i + 4] = Math.sin((2 * Math.PI * i) / count);
    }
    const triangles = Uint32Array.from({ length: 3 * count }, (_, c) => {
      const f = Math.floor(c / 3);
      return c % 3 === 0 ? 0 : 1 + ((f + (c % 3) - 1) % count);
    });
    // comparing all with all would run into the time limit of a test
    const normals = cornerNormals(positions, triangles);
    expect(normals[0]).toBeCloseTo(Math.SQRT1_2, 2);
    expect(normals[2]).toBeCloseTo(Math.SQRT1_2, 2);
  });

  it('gives unit normals, and zero to triangles without area', () => {
    const { positions, triangles } = makeRoof(20);
    const normals = cornerNormals(positions, Uint32Array.of(...triangles, 0, 0, 1));
    for (let o = 0; o < 36; o += 3) expect(Math.hypot(...normals.subarray(o, o + 3))).toBeCloseTo(1, 6);
    expect([...normals.subarray(36)]).toEqual(new Array(9).fill(0));
  });
});
