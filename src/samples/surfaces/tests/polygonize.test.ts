// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Lump, lumpDistance, makeFleshField, paintWeights } from '../../rigs/flesh.ts';
import { polygonize } from '../polygonize.ts';

describe('making a mesh of a field', () => {
  it('puts the vertices of a ball on the ball, evenly', () => {
    const mesh = polygonize((x, y, z) => Math.hypot(x, y, z) - 1, [-1, -1, -1], [1, 1, 1], 2000, 'ball');
    const p = mesh.positions;
    let off = 0;
    for (let c = 0; c < p.length; c += 3) off = Math.max(off, Math.abs(Math.hypot(p[c], p[c + 1], p[c + 2]) - 1));
    expect(off).toBeLessThan(1e-3);
    let shortest = Number.POSITIVE_INFINITY,
      longest = 0;
    for (let c = 0; c < mesh.triangles.length; c++) {
      const a = 3 * mesh.triangles[c],
        b = 3 * mesh.triangles[c % 3 === 2 ? c - 2 : c + 1];
      const length = Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]);
      shortest = Math.min(shortest, length);
      longest = Math.max(longest, length);
    }
    expect(longest / shortest).toBeLessThan(6);
    expect(Math.abs(p.length / 3 / 2000 - 1)).toBeLessThan(0.05);
  });

  it('keeps two sheets in one cell apart', () => {
    // Two balls whose gap is thinner than a cell of this lattice.
    const field = (x: number, y: number, z: number): number =>
      Math.min(Math.hypot(x - 0.51, y - 0.03, z) - 0.5, Math.hypot(x + 0.51, y + 0.03, z) - 0.5);
    const mesh = polygonize(field, [-1.1, -0.6, -0.6], [1.1, 0.6, 0.6], 400, 'two');
    expect(mesh.positions.length / 3 - mesh.triangles.length / 6).toBeGreaterThanOrEqual(2);
  });

  it('says so when there is no surface to be found', () => {
    expect(() => polygonize(() => 1, [0, 0, 0], [1, 1, 1], 500, 'nothing')).toThrow('500 vertices are too few');
  });
});

describe('flesh', () => {
  const point = fc.tuple(...[0, 1, 2].map(() => fc.double({ min: -2, max: 2, noNaN: true })));
  const lumpOf = (from: number[], to: number[], fromRadius: number, toRadius: number): Lump => ({
    bone: 0,
    from: [from[0], from[1], from[2]],
    to: [to[0], to[1], to[2]],
    fromRadius,
    toRadius,
    melt: 0.1,
  });

  it('is as far as the nearest of the balls along its axis', () => {
    const radius = fc.double({ min: 0.01, max: 1, noNaN: true });
    fc.assert(
      fc.property(point, point, point, radius, radius, (from, to, p, fromRadius, toRadius) => {
        const lump = lumpOf(from, to, fromRadius, toRadius);
        let nearest = Number.POSITIVE_INFINITY;
        for (let n = 0; n <= 2000; n++) {
          const t = n / 2000;
          const d = Math.hypot(...p.map((x, c) => x - from[c] - t * (to[c] - from[c])));
          nearest = Math.min(nearest, d - fromRadius - t * (toRadius - fromRadius));
        }
        const length = Math.hypot(...from.map((x, c) => x - to[c]));
        expect(Math.abs(lumpDistance(lump, p[0], p[1], p[2]) - nearest)).toBeLessThan((length + 1) / 2000);
      }),
      { numRuns: 60 },
    );
  });

  it('only melts near where lumps meet', () => {
    const arm = lumpOf([0, 0, 0], [1, 0, 0], 0.2, 0.2),
      hand = lumpOf([1, 0, 0], [1, 1, 0], 0.2, 0.1);
    const field = makeFleshField([arm, hand]);
    expect(field(0, 0.5, 0)).toBeCloseTo(lumpDistance(arm, 0, 0.5, 0), 12);
    expect(field(0.8, 0.25, 0)).toBeLessThan(
      Math.min(lumpDistance(arm, 0.8, 0.25, 0), lumpDistance(hand, 0.8, 0.25, 0)),
    );
  });

  it('hands over from bone to bone, equal shares at the joint', () => {
    const upper = lumpOf([0, 0, 0], [1, 0, 0], 0.2, 0.2),
      lower = { ...lumpOf([1, 0, 0], [2, 0, 0], 0.2, 0.2), bone: 1 };
    const skin = paintWeights(Float32Array.of(0.3, 0.2, 0, 1, 0.2, 0, 1.7, 0.2, 0), [upper, lower], 2, 0.6);
    expect([...skin.rowStart]).toEqual([0, 1, 3, 4]);
    expect(skin.weights[1]).toBeCloseTo(0.5, 5);
    expect([skin.boneIndices[0], skin.boneIndices[3]]).toEqual([0, 1]);
  });
});
