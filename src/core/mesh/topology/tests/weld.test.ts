// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clip } from '../../../model/clip/clip.ts';
import { makeMesh } from '../../../model/mesh/mesh.ts';
import { pointTriangles, pointValues, weldClip, weldVertices } from '../weld.ts';

/** Points on a small integer grid, so that many coincide. */
const gridPoints = fc
  .array(fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -1, max: 1 }), fc.constantFrom(0, -0, 0.5)), {
    maxLength: 40,
  })
  .map((points) => new Float32Array(points.flat()));

function clipOf(rest: number[], ...frames: number[][]): Clip {
  const mesh = makeMesh(new Float32Array(rest), new Uint32Array());
  return {
    kind: 'clip',
    name: 'clip',
    mesh,
    positions: new Float32Array(frames.flat()),
    times: Float64Array.from(frames, (_, k) => k),
  };
}

describe('weldVertices', () => {
  it('makes one point of equal positions, zero and minus zero included', () => {
    const weld = weldVertices(new Float32Array([0, 0, 0, 1, 0, 0, -0, 0, -0, 1, 0, 0]));
    expect(weld.pointCount).toBe(2);
    expect([...weld.pointOfVertex]).toEqual([0, 1, 0, 1]);
    expect([...weld.vertexOfPoint]).toEqual([0, 1]);
  });

  it('keeps apart what differs in the last bit', () => {
    expect(weldVertices(new Float32Array([1, 0, 0, 1 + 2 ** -23, 0, 0])).pointCount).toBe(2);
  });

  it('maps to points and back without loss, and agrees with comparing every pair', () => {
    fc.assert(
      fc.property(gridPoints, (positions) => {
        const weld = weldVertices(positions);
        const points = pointValues(positions, 3, weld);
        const back = positions.map((_, c) => points[3 * weld.pointOfVertex[Math.floor(c / 3)] + (c % 3)]);
        expect(back.map((x) => x + 0)).toEqual(positions.map((x) => x + 0));
        for (let p = 0; p < weld.pointCount; p++) expect(weld.pointOfVertex[weld.vertexOfPoint[p]]).toBe(p);
        const seen: string[] = [];
        for (let i = 0; i < positions.length / 3; i++) {
          const key = [...positions.subarray(3 * i, 3 * i + 3)].map((x) => x + 0).join();
          if (!seen.includes(key)) seen.push(key);
          expect(weld.pointOfVertex[i]).toBe(seen.indexOf(key));
        }
      }),
    );
  });

  it('with a tolerance puts every vertex within it of its point, and points farther apart than it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ min: -3, max: 3, noNaN: true }), { maxLength: 90 }),
        fc.constantFrom(0.05, 0.7, 2),
        (numbers, tolerance) => {
          const positions = new Float32Array(numbers.slice(0, numbers.length - (numbers.length % 3)));
          const weld = weldVertices(positions, { tolerance });
          const distance = (i: number, j: number) =>
            Math.hypot(...[0, 1, 2].map((c) => positions[3 * i + c] - positions[3 * j + c]));
          for (let i = 0; i < positions.length / 3; i++)
            expect(distance(i, weld.vertexOfPoint[weld.pointOfVertex[i]])).toBeLessThanOrEqual(tolerance * (1 + 1e-12));
          for (let p = 0; p < weld.pointCount; p++) {
            for (let q = 0; q < p; q++)
              expect(distance(weld.vertexOfPoint[p], weld.vertexOfPoint[q])).toBeGreaterThan(tolerance * (1 - 1e-12));
          }
        },
      ),
    );
  });

  it('takes a tolerance far below the precision of the positions', () => {
    const positions = new Float32Array([1e30, 1, 1, 1e30, 1, 1, -1e30, 1, 1]);
    expect([...weldVertices(positions, { tolerance: 1e-30 }).pointOfVertex]).toEqual([0, 0, 1]);
  });

  it('rejects a tolerance that is not a length', () => {
    for (const tolerance of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => weldVertices(new Float32Array(3), { tolerance })).toThrow('tolerance must be a length');
  });

  it('rewrites triangles one for one', () => {
    const weld = weldVertices(new Float32Array([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0]));
    expect([...pointTriangles(new Uint32Array([0, 1, 3, 2, 3, 1, 0, 2, 1]), weld)]).toEqual([
      0, 1, 2, 0, 2, 1, 0, 0, 1,
    ]);
  });
});

describe('weldClip', () => {
  it('keeps apart vertices that part late in a clip', () => {
    const count = 60;
    const together = new Array(3 * count).fill(1);
    const apart = Array.from({ length: 3 * count }, (_, c) => Math.floor(c / 6));
    const weld = weldClip(clipOf(together, together, together, together, apart));
    expect(weld.pointCount).toBe(count / 2);
    expect([...weld.pointOfVertex]).toEqual(Array.from({ length: count }, (_, i) => Math.floor(i / 2)));
  });

  it('keeps lips apart that touch at rest and open later', () => {
    const seam = [0, 0, 0, 0, 0, 0, 0, 0, 0];
    const weld = weldClip(clipOf(seam, seam, [0, 1, 0, 0, 0, 0, 0, 1, 0]));
    expect([...weld.pointOfVertex]).toEqual([0, 1, 0]);
  });

  it('keeps apart what meets only in some frame', () => {
    expect(weldClip(clipOf([0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0])).pointCount).toBe(2);
  });

  it('applies its tolerance in every frame', () => {
    const clip = clipOf([0, 0, 0, 0.1, 0, 0, 0, 0.1, 0], [0, 0, 0, 0.1, 0, 0, 0, 0.3, 0]);
    expect([...weldClip(clip, { tolerance: 0.2 }).pointOfVertex]).toEqual([0, 0, 1]);
  });
});
