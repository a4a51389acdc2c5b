// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { labelParts } from '../../../core/mesh/topology/label-parts.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import { polygonize } from '../polygonize.ts';
import { type ScannedSurface, scanSurface } from '../scan-surface.ts';

type Point = readonly [number, number, number];

const makeBall = (center: Point, radius: number): Mesh =>
  polygonize(
    (x, y, z) => Math.hypot(x - center[0], y - center[1], z - center[2]) - radius,
    center.map((c) => c - radius) as [number, number, number],
    center.map((c) => c + radius) as [number, number, number],
    900,
    'ball',
  );

/** A ring about z with the larger radius 1, and a tube of radius 0.3. */
const makeRing = (): Mesh =>
  polygonize((x, y, z) => Math.hypot(Math.hypot(x, y) - 1, z) - 0.3, [-1.3, -1.3, -0.3], [1.3, 1.3, 0.3], 1500, 'ring');

function join(...meshes: readonly Mesh[]): { positions: Float32Array; triangles: Uint32Array } {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (const mesh of meshes) {
    const first = positions.length / 3;
    positions.push(...mesh.positions);
    triangles.push(...Array.from(mesh.triangles, (i) => i + first));
  }
  return { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** V − E + F. */
function eulerOf({ positions, triangles }: { positions: Float32Array; triangles: Uint32Array }): number {
  const edges = new Set<string>();
  for (let c = 0; c < triangles.length; c++) {
    const [i, j] = [triangles[c], triangles[c % 3 === 2 ? c - 2 : c + 1]];
    edges.add(`${Math.min(i, j)},${Math.max(i, j)}`);
  }
  return positions.length / 3 - edges.size + triangles.length / 3;
}

/** Edges with one triangle. */
function countRims(triangles: Uint32Array): number {
  const counts = new Map<string, number>();
  for (let c = 0; c < triangles.length; c++) {
    const [i, j] = [triangles[c], triangles[c % 3 === 2 ? c - 2 : c + 1]];
    const key = `${Math.min(i, j)},${Math.max(i, j)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts.values()].filter((count) => count === 1).length;
}

function countParts({ positions, triangles }: ScannedSurface): number {
  return new Set(labelParts(positions.length / 3, triangles)).size;
}

/** Area, and volume, which is positive if triangles face outward. */
function measure(p: ArrayLike<number>, triangles: Uint32Array): { area: number; volume: number } {
  let [area, volume] = [0, 0];
  for (let f = 0; f < triangles.length; f += 3) {
    const [a, b, c] = [0, 1, 2].map((n) => [0, 1, 2].map((axis) => p[3 * triangles[f + n] + axis]));
    const [u, w] = [b, c].map((q) => q.map((x, axis) => x - a[axis]));
    const normal = [u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]];
    area += Math.hypot(...normal) / 2;
    volume += (a[0] * normal[0] + a[1] * normal[1] + a[2] * normal[2]) / 6;
  }
  return { area, volume };
}

/** Where the known vertices of a scan are on a body; undefined for bridges. */
function placesOn({ corners, blends, isKnown }: ScannedSurface, body: ArrayLike<number>): (number[] | undefined)[] {
  return Array.from(isKnown, (known, i) =>
    known
      ? [0, 1, 2].map((a) =>
          [0, 1, 2].reduce((sum, n) => sum + blends[3 * i + n] * body[3 * corners[3 * i + n] + a], 0),
        )
      : undefined,
  );
}

describe('a virtual scan', () => {
  it('of a ball is closed, faces outward, and has its vertices on the ball', () => {
    const ball = makeBall([0.2, 0, 0], 1);
    const scan = scanSurface(ball.positions, ball.triangles, { spacing: 0.1 });
    expect(countRims(scan.triangles)).toBe(0);
    expect(eulerOf(scan)).toBe(2);
    const [own, other] = [measure(scan.positions, scan.triangles), measure(ball.positions, ball.triangles)];
    expect(Math.abs(own.volume / other.volume - 1)).toBeLessThan(0.02);
    expect(Math.abs(own.area / other.area - 1)).toBeLessThan(0.02);
    expect(scan.isKnown.every((known) => known === 1)).toBe(true);
    for (const [i, place] of placesOn(scan, ball.positions).entries())
      for (let a = 0; a < 3; a++) expect(Math.abs(place![a] - scan.positions[3 * i + a])).toBeLessThan(1e-5);
  });

  it('keeps two balls apart', () => {
    const { positions, triangles } = join(makeBall([-0.6, 0, 0], 0.5), makeBall([0.6, 0, 0], 0.5));
    const scan = scanSurface(positions, triangles, { spacing: 0.08 });
    expect(countParts(scan)).toBe(2);
    expect(eulerOf(scan)).toBe(4);
  });

  it('fuses two balls that nearly touch or intersect to one part with less area, and marks the bridge', () => {
    for (const gap of [0.03, -0.1]) {
      const x = 0.5 + gap / 2;
      const { positions, triangles } = join(makeBall([-x, 0, 0], 0.5), makeBall([x, 0, 0], 0.5));
      const scan = scanSurface(positions, triangles, { spacing: 0.08 });
      expect(countParts(scan)).toBe(1);
      expect(eulerOf(scan)).toBe(2);
      expect(countRims(scan.triangles)).toBe(0);
      expect(measure(scan.positions, scan.triangles).area).toBeLessThan(0.99 * measure(positions, triangles).area);
      const bridges = [...scan.isKnown.keys()].filter((i) => scan.isKnown[i] === 0);
      expect(bridges.length).toBeGreaterThan(0);
      // bridges are beside the contact, nowhere else
      for (const i of bridges) expect(Math.abs(scan.positions[3 * i])).toBeLessThan(0.16);
    }
  });

  it('leaves out surfaces inside', () => {
    const ball = makeBall([0, 0, 0], 1);
    const { positions, triangles } = join(ball, makeBall([0.1, 0, 0], 0.5));
    const scan = scanSurface(positions, triangles, { spacing: 0.1 });
    expect(countParts(scan)).toBe(1);
    expect(Math.max(...scan.corners)).toBeLessThan(ball.positions.length / 3);
  });

  it('keeps the handle of a ring', () => {
    const ring = makeRing();
    const scan = scanSurface(ring.positions, ring.triangles, { spacing: 0.1 });
    expect(countRims(scan.triangles)).toBe(0);
    expect(eulerOf(scan)).toBe(0);
  });

  it('keeps a sheet that is much thinner than a cell', () => {
    const ball = makeBall([0, 0, 0], 1);
    const flat = ball.positions.map((x, c) => (c % 3 === 1 ? 0.01 * x : x));
    const scan = scanSurface(flat, ball.triangles, { spacing: 0.1 });
    expect(countParts(scan)).toBe(1);
    expect(eulerOf(scan)).toBe(2);
  });

  it('follows a body that is rotated and scaled, within a cell', () => {
    const ring = makeRing();
    const [cosine, sine, scale] = [0.6, 0.8, 3];
    const moved = ring.positions.map((_, c) => {
      const [x, y, z] = ring.positions.subarray(c - (c % 3));
      return scale * [cosine * x - sine * z, y, sine * x + cosine * z][c % 3];
    });
    const [before, after] = [
      scanSurface(ring.positions, ring.triangles, { spacing: 0.1, seed: 4 }),
      scanSurface(moved, ring.triangles, { spacing: 0.3, seed: 5 }),
    ];
    expect(eulerOf(after)).toBe(0);
    const ratio = measure(after.positions, after.triangles).area / measure(before.positions, before.triangles).area;
    expect(Math.abs(ratio / scale ** 2 - 1)).toBeLessThan(0.02);
    // the vertices of the one scan, moved, are within a cell of vertices of the other
    for (const place of placesOn(before, moved)) {
      let least = Number.POSITIVE_INFINITY;
      for (let o = 0; place && o < after.positions.length; o += 3)
        least = Math.min(least, Math.hypot(...place.map((x, a) => x - after.positions[o + a])));
      if (place) expect(least).toBeLessThan(0.3);
    }
  });

  it('has other vertices for another seed, and the same for the same', () => {
    const ball = makeBall([0, 0, 0], 1);
    const scan = (seed: number) => scanSurface(ball.positions, ball.triangles, { spacing: 0.15, seed }).positions;
    expect(scan(1)).toEqual(scan(1));
    expect(scan(1)).not.toEqual(scan(2));
  });

  it('has noise along the normal with the given deviation', () => {
    const ball = makeBall([0, 0, 0], 1);
    const { positions } = scanSurface(ball.positions, ball.triangles, { spacing: 0.06, noise: 0.01 });
    let sum = 0;
    for (let o = 0; o < positions.length; o += 3)
      sum += (Math.hypot(positions[o], positions[o + 1], positions[o + 2]) - 1) ** 2;
    expect(Math.abs(Math.sqrt((3 * sum) / positions.length) / 0.01 - 1)).toBeLessThan(0.15);
  });

  it('has holes where no camera sees the surface', () => {
    // a plate below a plate: their inner sides are hidden from cameras around them
    const plate = makeBall([0, 0, 0], 1);
    const at = (y: number): Mesh => ({
      ...plate,
      positions: plate.positions.map((x, c) => (c % 3 === 1 ? 0.05 * x + y : x)),
    });
    const { positions, triangles } = join(at(0.11), at(-0.11));
    const whole = scanSurface(positions, triangles, { spacing: 0.08 });
    const seen = scanSurface(positions, triangles, { spacing: 0.08, cameras: 6 });
    expect(countRims(whole.triangles)).toBe(0);
    expect(countRims(seen.triangles)).toBeGreaterThan(10);
    expect(measure(seen.positions, seen.triangles).area).toBeLessThan(
      0.85 * measure(whole.positions, whole.triangles).area,
    );
  });

  it('refuses a spacing of zero', () => {
    const ball = makeBall([0, 0, 0], 1);
    expect(() => scanSurface(ball.positions, ball.triangles, { spacing: 0 })).toThrow('spacing must be larger than 0');
  });
});
