// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../math/random.ts';
import { type Ball, smallestEnclosingBall } from '../enclosing-ball.ts';

const data = process.env.OSSIFY_DATA ?? '../shared';

/** How far the farthest point is from the center, over the radius. */
function reachOf(ball: Ball, positions: ArrayLike<number>): number {
  let max = 0;
  for (let c = 0; c < positions.length; c += 3)
    max = Math.max(max, Math.hypot(...ball.center.map((x, axis) => positions[c + axis] - x)));
  return max;
}

/**
 * The smallest radius over the circumcenters of all sets of at most four points, found from the Gram matrix of their
 * differences: every center gives a ball that is large enough, and the best one is among them.
 */
function radiusByTrying(points: number[][]): number {
  let best = Number.POSITIVE_INFINITY;
  for (let subset = 1; subset < 1 << points.length; subset++) {
    const chosen = points.filter((_, n) => subset & (1 << n));
    if (chosen.length > 4) continue;
    const [origin, ...others] = chosen;
    const edges = others.map((p) => p.map((x, axis) => x - origin[axis]));
    const dot = (u: number[], v: number[]) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    const rows = edges.map((u) => [...edges.map((v) => 2 * dot(u, v)), dot(u, u)]);
    for (let n = 0; n < rows.length; n++) {
      const pivot = rows.slice(n).reduce((max, row, k) => (Math.abs(row[n]) > Math.abs(rows[max][n]) ? n + k : max), n);
      [rows[n], rows[pivot]] = [rows[pivot], rows[n]];
      for (let other = 0; other < rows.length; other++) {
        const factor = other === n ? 0 : rows[other][n] / rows[n][n];
        if (factor !== 0) rows[other] = rows[other].map((x, c) => x - factor * rows[n][c]);
      }
    }
    const center = origin.map((x, axis) =>
      edges.reduce((sum, edge, n) => sum + (rows[n][rows.length] / rows[n][n]) * edge[axis], x),
    );
    const radius = Math.max(...points.map((p) => Math.hypot(...p.map((x, axis) => x - center[axis]))));
    if (radius < best) best = radius;
  }
  return best;
}

describe('smallestEnclosingBall', () => {
  it('is known for a point, a pair, a right triangle, an obtuse one, a cube and a regular tetrahedron', () => {
    expect(smallestEnclosingBall([])).toEqual({ center: [0, 0, 0], radius: 0 });
    expect(smallestEnclosingBall([3, 4, 5])).toEqual({ center: [3, 4, 5], radius: 0 });
    expect(smallestEnclosingBall([3, 4, 5, 3, 4, 5, 3, 4, 5]).radius).toBe(0);
    expect(smallestEnclosingBall([0, 0, 0, 2, 0, 0])).toEqual({ center: [1, 0, 0], radius: 1 });
    expect(smallestEnclosingBall([0, 0, 0, 3, 0, 0, 0, 4, 0]).radius).toBeCloseTo(2.5, 12);
    expect(smallestEnclosingBall([-5, 0, 0, 5, 0, 0, 0, 1, 0]).radius).toBeCloseTo(5, 12);
    const cube = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((n) => [n & 1, (n >> 1) & 1, n >> 2]);
    expect(smallestEnclosingBall(cube).radius).toBeCloseTo(Math.sqrt(3) / 2, 12);
    expect(smallestEnclosingBall([1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1]).radius).toBeCloseTo(Math.sqrt(3), 12);
  });

  it('handles points on a line, in a plane and repeated', () => {
    const line = Array.from({ length: 50 }, (_, n) => [n, 2 * n, -n]).flat();
    expect(smallestEnclosingBall(line).radius).toBeCloseTo((49 * Math.sqrt(6)) / 2, 9);
    const ring = Array.from({ length: 400 }, (_, n) => [Math.cos(n / 7), Math.sin(n / 7), 3]).flat();
    expect(smallestEnclosingBall([...ring, ...ring]).radius).toBeCloseTo(1, 9);
  });

  it('contains all points and is as small as trying every support shows, crowded and flat sets included', () => {
    const coordinate = fc.oneof(
      fc.integer({ min: -2, max: 2 }),
      fc.double({ min: -3, max: 3, noNaN: true }),
      // off the grid by rounding, or by little more: nearly repeated, straight, flat and cospherical points
      fc.tuple(fc.integer({ min: -2, max: 2 }), fc.constantFrom(1e-15, 1e-12, 1e-9, 1e-7)).map(([x, e]) => x + e),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(coordinate, coordinate, coordinate), { minLength: 1, maxLength: 8 }), (points) => {
        const ball = smallestEnclosingBall(points.flat());
        // squares of lengths below 1e-150 vanish in double precision
        expect(reachOf(ball, points.flat())).toBeLessThanOrEqual(ball.radius * (1 + 1e-12) + 1e-150);
        const minimum = radiusByTrying(points);
        expect(ball.radius).toBeLessThanOrEqual(minimum * (1 + 1e-9) + 1e-14);
        expect(ball.radius).toBeGreaterThanOrEqual(minimum * (1 - 1e-6) - 1e-14);
      }),
      { numRuns: 400 },
    );
  });

  it('keeps its accuracy far from the origin and at any size', () => {
    const random = makeRandom(5);
    const points = Float64Array.from({ length: 3000 }, () => random.normal());
    const { radius } = smallestEnclosingBall(points);
    expect(smallestEnclosingBall(points.map((x) => x + 1e6)).radius / radius).toBeCloseTo(1, 8);
    expect(smallestEnclosingBall(points.map((x) => x * 1e-20)).radius / (radius * 1e-20)).toBeCloseTo(1, 9);
    expect(smallestEnclosingBall(points.map((x) => x * 1e20)).radius / (radius * 1e20)).toBeCloseTo(1, 9);
  });

  it('takes a hundred thousand points, all nearly on the ball', () => {
    const random = makeRandom(1);
    const positions = new Float32Array(300_000);
    for (let c = 0; c < positions.length; c += 3) {
      const [x, y, z] = [random.normal(), random.normal(), random.normal()];
      const length = Math.hypot(x, y, z);
      positions.set([2 * (x / length), 2 * (y / length), 2 * (z / length)], c);
    }
    const ball = smallestEnclosingBall(positions);
    expect(ball.radius).toBeCloseTo(2, 6);
    expect(reachOf(ball, positions)).toBeLessThanOrEqual(ball.radius * (1 + 1e-12));
  });

  for (const [name, radius] of [
    ['horse-gallop', 1.0],
    ['samba', 0.877],
  ] as const) {
    const file = join(data, 'datasets', name, 'rest.obj');
    it.skipIf(!existsSync(file))(`is ${radius.toFixed(3)} for the rest pose of ${name} (needs the data folder)`, () => {
      const lines = readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('v '));
      const ball = smallestEnclosingBall(lines.flatMap((line) => line.split(' ').slice(1).map(Number)));
      expect(ball.radius).toBeCloseTo(radius, 3);
    });
  }
});
