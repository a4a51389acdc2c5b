// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../math/random.ts';
import { weldVertices } from '../../topology/weld.ts';
import { vertexNormalsInto } from '../vertex-normals.ts';

function normalsOf(positions: number[], triangles: number[], welded = false): number[] {
  const p = new Float32Array(positions);
  const normals = new Float32Array(p.length).fill(Number.NaN);
  vertexNormalsInto(p, new Uint32Array(triangles), normals, welded ? weldVertices(p) : undefined);
  return [...normals];
}

/** A bumpy height field of n x n vertices. */
function makeBumps(n: number, seed: number): { positions: Float32Array; triangles: Uint32Array } {
  const random = makeRandom(seed);
  const positions = new Float32Array(3 * n * n);
  const triangles: number[] = [];
  for (let y = 0; y < n; y++) {
    for (let x = 0; x < n; x++) {
      const i = y * n + x;
      positions.set([x, y, random.next()], 3 * i);
      if (x + 1 < n && y + 1 < n) triangles.push(i, i + 1, i + n, i + 1, i + n + 1, i + n);
    }
  }
  return { positions, triangles: Uint32Array.from(triangles) };
}

describe('vertexNormalsInto', () => {
  it('points counter-clockwise triangles towards the viewer', () => {
    expect(normalsOf([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 2])).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1]);
  });

  it('weights by area: at the edge of a folded strip the larger side wins', () => {
    // A unit triangle in the plane z = 0 and one three times as large in the plane x = 0 share the edge 0-2.
    const normals = normalsOf([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3], [0, 1, 2, 0, 2, 3]);
    expect(normals[0]).toBeCloseTo(3 / Math.sqrt(10), 6);
    expect(normals[2]).toBeCloseTo(1 / Math.sqrt(10), 6);
  });

  it('follows a turned mesh', () => {
    fc.assert(
      fc.property(fc.integer(), fc.double({ min: -3, max: 3, noNaN: true }), (seed, angle) => {
        const { positions, triangles } = makeBumps(5, seed);
        const before = new Float32Array(positions.length);
        vertexNormalsInto(positions, triangles, before);
        const [s, c] = [Math.sin(angle), Math.cos(angle)];
        // About the axis (0.6, 0, 0.8), by Rodrigues' formula.
        const turn = (v: Float32Array): Float64Array => {
          const out = new Float64Array(v.length);
          for (let o = 0; o < v.length; o += 3) {
            const [x, y, z] = v.subarray(o, o + 3);
            const along = (0.6 * x + 0.8 * z) * (1 - c);
            out.set(
              [c * x - s * 0.8 * y + 0.6 * along, c * y + s * (0.8 * x - 0.6 * z), c * z + s * 0.6 * y + 0.8 * along],
              o,
            );
          }
          return out;
        };
        const after = new Float32Array(positions.length);
        vertexNormalsInto(turn(positions), triangles, after);
        const expected = turn(before);
        for (let n = 0; n < after.length; n++) expect(after[n]).toBeCloseTo(expected[n], 5);
      }),
      { numRuns: 30 },
    );
  });

  it('gives (0, 0, 1) where there is no direction', () => {
    // degenerate triangle, isolated vertex, and two sheets that cancel
    expect(normalsOf([0, 0, 0, 1, 1, 1, 2, 2, 2, 7, 7, 7], [0, 1, 2])).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
    expect(normalsOf([0.1, 0, 0, 0, 0.7, 0, 0, 0, 0.3], [0, 1, 2, 2, 1, 0])).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1]);
  });

  it('holds for very small and very large meshes', () => {
    for (const size of [1e-30, 1e30]) {
      const normals = normalsOf([0, 0, 0, 0, size, 0, 0, 0, size], [0, 1, 2]);
      expect(normals).toEqual([1, 0, 0, 1, 0, 0, 1, 0, 0]);
    }
  });

  it('is smooth across a seam when welded, and creased when not', () => {
    const positions = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1];
    const triangles = [0, 1, 2, 3, 4, 5];
    const smooth = normalsOf(positions, triangles, true);
    expect(smooth.slice(0, 3)).toEqual(smooth.slice(9, 12));
    expect(smooth[0]).toBeCloseTo(Math.SQRT1_2, 6);
    expect(normalsOf(positions, triangles).slice(0, 3)).toEqual([0, 0, 1]);
  });
});
