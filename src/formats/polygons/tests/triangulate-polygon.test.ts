// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { triangulatePolygon } from '../triangulate-polygon.ts';

/** Triangulates a polygon in the plane z = 0 lifted by a turn into space. */
function cut(flat: number[][], lift: (x: number, y: number) => number[] = (x, y) => [x, y, 0]): number[][] {
  const positions = flat.flatMap(([x, y]) => lift(x, y));
  const triangles: number[] = [];
  triangulatePolygon(
    positions,
    flat.map((_, n) => n),
    0,
    flat.length,
    triangles,
  );
  const list: number[][] = [];
  for (let c = 0; c < triangles.length; c += 3) list.push(triangles.slice(c, c + 3));
  return list;
}

function areaOf(flat: number[][], [a, b, c]: number[]): number {
  const [p, q, r] = [flat[a], flat[b], flat[c]];
  return ((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])) / 2;
}

describe('triangulatePolygon', () => {
  it('fans a convex polygon from its first corner', () => {
    expect(
      cut([
        [0, 0],
        [2, 0],
        [3, 1],
        [1, 3],
      ]),
    ).toEqual([
      [0, 1, 2],
      [0, 2, 3],
    ]);
  });

  it('cuts a concave one without folding, whichever corner comes first and whichever way it lies in space', () => {
    // a chevron, notch at (1, 1)
    const chevron = [
      [0, 0],
      [1, 1],
      [2, 0],
      [1, 3],
    ];
    const lifts = [
      (x: number, y: number) => [x, y, 0],
      (x: number, y: number) => [0, x, y],
      (x: number, y: number) => [y, 0, x],
      (x: number, y: number) => [y, x, 5 + x],
    ];
    for (let first = 0; first < 4; first++) {
      const flat = [...chevron.slice(first), ...chevron.slice(0, first)];
      for (const lift of lifts) {
        const triangles = cut(flat, lift);
        for (const triangle of triangles) expect(areaOf(flat, triangle)).toBeGreaterThan(0);
        expect(triangles).toHaveLength(2);
      }
    }
  });

  it('covers any star-shaped polygon exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 4, maxLength: 30 }), (radii) => {
        const flat = radii.map((r, n) => {
          const angle = (2 * Math.PI * n) / radii.length;
          return [r * Math.cos(angle), r * Math.sin(angle)];
        });
        const triangles = cut(flat);
        const whole = flat.reduce((sum, p, n) => {
          const q = flat[(n + 1) % flat.length];
          return sum + (p[0] * q[1] - p[1] * q[0]) / 2;
        }, 0);
        expect(triangles).toHaveLength(flat.length - 2);
        for (const triangle of triangles) expect(areaOf(flat, triangle)).toBeGreaterThanOrEqual(-1e-12);
        expect(triangles.reduce((sum, t) => sum + areaOf(flat, t), 0)).toBeCloseTo(whole, 9);
      }),
    );
  });

  it('ends on polygons without area, that cross themselves, or are very long', () => {
    expect(
      cut([
        [0, 0],
        [1, 0],
        [2, 0],
        [3, 0],
      ]),
    ).toHaveLength(2);
    expect(
      cut([
        [0, 0],
        [1, 1],
        [1, 0],
        [0, 1],
        [0.5, 3],
      ]),
    ).toHaveLength(3);
    const comb = Array.from({ length: 5000 }, (_, n) => [n, n % 2 ? 1 : 100]);
    expect(cut(comb)).toHaveLength(4998);
  });
});
