// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crossingInto } from '../crossing-into.ts';
import { intersectTriangles } from '../intersect-triangles.ts';
import { TriangleDistance } from '../triangle-distance.ts';

const CORNERS = Uint32Array.of(0, 3, 6);
const test = (p: readonly number[], q: readonly number[]) =>
  intersectTriangles(Float64Array.from(p), CORNERS, Float64Array.from(q), CORNERS);
const measure = (p: readonly number[], q: readonly number[], out = new Float64Array(6)) =>
  Math.sqrt(
    new TriangleDistance().measure(
      Float64Array.from(p),
      CORNERS,
      Float64Array.from(q),
      CORNERS,
      Number.POSITIVE_INFINITY,
      out,
    ),
  );

/** Distance by sampling both triangles on a grid: never less than the true one, and at most a step more. */
function sampledDistance(p: readonly number[], q: readonly number[], steps = 12): number {
  const listPoints = (t: readonly number[]) => {
    const points: number[][] = [];
    for (let i = 0; i <= steps; i++) {
      for (let j = 0; i + j <= steps; j++) {
        const [u, v, w] = [i / steps, j / steps, (steps - i - j) / steps];
        points.push([0, 1, 2].map((c) => u * t[c] + v * t[3 + c] + w * t[6 + c]));
      }
    }
    return points;
  };
  let least = Number.POSITIVE_INFINITY;
  const others = listPoints(q);
  for (const [x, y, z] of listPoints(p))
    for (const [r, s, t] of others) least = Math.min(least, Math.hypot(x - r, y - s, z - t));
  return least;
}

const unit = [0, 0, 0, 1, 0, 0, 0, 1, 0];
/** Coordinates on a coarse grid meet the special cases: shared corners, parallel edges, one plane, no area. */
const grid = fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 9, maxLength: 9 });
const coordinate = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((x) => x / 1_000_000);
const anywhere = fc.array(coordinate, { minLength: 9, maxLength: 9 });

describe('intersectTriangles', () => {
  it('finds triangles that cross, touch and share a corner', () => {
    expect(test(unit, [0.2, 0.2, -1, 0.2, 0.2, 1, 2, 2, 0])).toBe(true);
    expect(test(unit, [0.2, 0.2, 0, 0.2, 0.2, 1, 2, 2, 1])).toBe(true);
    expect(test(unit, [0, 0, 0, -1, 0, 1, 0, -1, 1])).toBe(true);
  });

  it('tells triangles in one plane apart', () => {
    expect(test(unit, [0.7, 0.7, 0, 2, 1, 0, 1, 2, 0])).toBe(false);
    expect(test(unit, [0.1, 0.1, 0, 0.2, 0.1, 0, 0.1, 0.2, 0])).toBe(true);
    expect(test(unit, unit)).toBe(true);
  });

  it('treats triangles without area as segments and points', () => {
    const needle = [0.2, 0.2, -1, 0.2, 0.2, 1, 0.2, 0.2, 0.5];
    expect(test(unit, needle)).toBe(true);
    expect(
      test(
        unit,
        needle.map((x, c) => (c % 3 === 0 ? x + 2 : x)),
      ),
    ).toBe(false);
    expect(test([0, 0, 0, 1, 0, 0, 2, 0, 0], [3, 0, 0, 4, 0, 0, 5, 0, 0])).toBe(false);
    expect(test([0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0, 1, 0, 0])).toBe(false);
    expect(test([0, 0, 0, 0, 0, 0, 0, 0, 0], unit)).toBe(true);
  });

  it.each([
    ['on a grid', grid],
    ['anywhere', anywhere],
  ])('agrees with the distance of triangles %s, in either order', (_, triangle) => {
    fc.assert(
      fc.property(triangle, triangle, (p, q) => {
        const isPair = test(p, q);
        expect(test(q, p)).toBe(isPair);
        // the distance of edges, corners and faces finds everything but an edge inside a face
        const sampled = sampledDistance(p, q);
        if (!isPair) expect(measure(p, q)).toBeGreaterThan(0);
        if (isPair) expect(sampled).toBeLessThan(0.7);
        else expect(measure(p, q)).toBeLessThanOrEqual(sampled + 1e-12);
        expect(measure(p, q)).toBeGreaterThanOrEqual(sampled - 0.7);
      }),
      { numRuns: 300 },
    );
  });
});

describe('TriangleDistance', () => {
  it('has the closest points on two edges, and at a corner and a face', () => {
    const out = new Float64Array(6);
    expect(measure(unit, [0.2, 0.2, 3, 5, 5, 9, 5, 6, 9], out)).toBeCloseTo(3, 12);
    expect([...out]).toEqual([0.2, 0.2, 0, 0.2, 0.2, 3]);
    expect(measure(unit, [0.5, -1, -1, 0.5, -1, 1, 0.5, -9, 0], out)).toBeCloseTo(1, 12);
    expect([...out]).toEqual([0.5, 0, 0, 0.5, -1, 0]);
  });

  it('has the point where a triangle without area passes through another', () => {
    const [segment, face] = [
      [1, -1, 0, 1, -1, 0, 0, 1, 0],
      [1, 0, 0, 0, 0, 1, 0, 0, -1],
    ];
    const out = new Float64Array(6);
    for (const [p, q] of [
      [segment, face],
      [face, segment],
    ]) {
      expect(measure(p, q, out)).toBe(0);
      expect([...out]).toEqual([0.5, 0, 0, 0.5, 0, 0]);
    }
  });

  it('is attained by its points', () => {
    fc.assert(
      fc.property(fc.oneof(grid, anywhere), fc.oneof(grid, anywhere), (p, q) => {
        const out = new Float64Array(6);
        const distance = measure(p, q, out);
        expect(Math.hypot(out[0] - out[3], out[1] - out[4], out[2] - out[5])).toBeCloseTo(distance, 9);
        const at = (point: Float64Array) => [...point, ...point, ...point];
        expect(measure(p, at(out.subarray(0, 3)))).toBeLessThan(1e-7);
        expect(measure(q, at(out.subarray(3, 6)))).toBeLessThan(1e-7);
      }),
      { numRuns: 300 },
    );
  });
});

describe('crossingInto', () => {
  it('is the segment that both triangles contain', () => {
    const out = new Float64Array(6);
    const wall = Float64Array.from([0.25, -1, -1, 0.25, 3, -1, 0.25, 0.25, 3]);
    expect(crossingInto(Float64Array.from(unit), CORNERS, wall, CORNERS, out)).toBe(true);
    const ends = [...out].map((x) => Number(x.toFixed(9)));
    expect([ends.slice(0, 3), ends.slice(3)].sort((s, t) => s[1] - t[1])).toEqual([
      [0.25, 0, 0],
      [0.25, 0.75, 0],
    ]);
  });

  it('is undefined for triangles in one plane', () => {
    expect(crossingInto(Float64Array.from(unit), CORNERS, Float64Array.from(unit), CORNERS, new Float64Array(6))).toBe(
      false,
    );
  });
});
