// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { pointTriangles, pointValues, weldVertices } from '../../../../core/mesh/topology/weld.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { type SplitEdges, splitEdges } from '../split-edges.ts';

/** The positions of a refined mesh. */
function positionsOf(positions: ArrayLike<number>, { ends }: SplitEdges): Float64Array {
  const out = new Float64Array(positions.length + (ends.length / 2) * 3);
  out.set(Array.from(positions));
  for (let n = 0; n < ends.length / 2; n++)
    for (let c = 0; c < 3; c++)
      out[positions.length + 3 * n + c] = (out[3 * ends[2 * n] + c] + out[3 * ends[2 * n + 1] + c]) / 2;
  return out;
}

function areaOf(p: ArrayLike<number>, triangles: Uint32Array): number {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const u = [0, 1, 2].map((r) => p[b + r] - p[a + r]);
    const v = [0, 1, 2].map((r) => p[c + r] - p[a + r]);
    sum += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
  }
  return sum;
}

function smallestAngle(p: ArrayLike<number>, triangles: Uint32Array): number {
  let least = Math.PI;
  for (let t = 0; t < triangles.length; t += 3)
    for (let n = 0; n < 3; n++) {
      const [a, b, c] = [0, 1, 2].map((m) => 3 * triangles[t + ((n + m) % 3)]);
      const u = [0, 1, 2].map((r) => p[b + r] - p[a + r]);
      const v = [0, 1, 2].map((r) => p[c + r] - p[a + r]);
      const dot = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
      least = Math.min(least, Math.acos(Math.min(1, dot / (Math.hypot(...u) * Math.hypot(...v)))));
    }
  return least;
}

/** How often each directed edge occurs. On a closed surface each occurs once, and once in the other direction. */
function isClosed(triangles: Uint32Array): boolean {
  const seen = new Set<string>();
  for (let t = 0; t < triangles.length; t++) {
    const key = `${triangles[t]} ${triangles[t - (t % 3) + ((t + 1) % 3)]}`;
    if (seen.has(key)) return false;
    seen.add(key);
  }
  return [...seen].every((key) => seen.has(key.split(' ').reverse().join(' ')));
}

describe('splitEdges', () => {
  const { positions: vertices, triangles: faces } = makeSample('creature', { resolution: 300, frames: 1 }).clip.mesh;
  const weld = weldVertices(vertices);
  const positions = pointValues(vertices, 3, weld);
  const triangles = pointTriangles(faces, weld);

  it('makes four triangles of each, with one midpoint per edge', () => {
    const split = splitEdges(positions, triangles);
    expect(split.triangles.length).toBe(4 * triangles.length);
    // closed: three edges per two triangles
    expect(split.ends.length / 2).toBe(triangles.length / 2);
    expect(isClosed(triangles)).toBe(true);
    expect(isClosed(split.triangles)).toBe(true);
    const refined = positionsOf(positions, split);
    expect(areaOf(refined, split.triangles)).toBeCloseTo(areaOf(positions, triangles), 6);
    expect(smallestAngle(refined, split.triangles)).toBeCloseTo(smallestAngle(positions, triangles), 6);
  });

  it('refines a part of a surface again and again without cracks or thin triangles', () => {
    const angle = smallestAngle(positions, triangles);
    let [points, now]: [ArrayLike<number>, Uint32Array] = [positions, triangles];
    for (let level = 0; level < 5; level++) {
      const current = points;
      const isNear = (i: number): boolean => current[3 * i + 2] > 0 && current[3 * i + 2] < 0.2;
      const split = splitEdges(points, now, (a, b, length) => length > 0.02 && (isNear(a) || isNear(b)));
      [points, now] = [positionsOf(points, split), split.triangles];
    }
    expect(now.length).toBeGreaterThan(2 * triangles.length);
    expect(isClosed(now)).toBe(true);
    expect(areaOf(points, now)).toBeCloseTo(areaOf(positions, triangles), 6);
    expect(smallestAngle(points, now)).toBeGreaterThan(0.5 * angle - 1e-6);
  });

  it('splits the edge of three triangles for all of them, and no triangle with a repeated corner', () => {
    const book = Float64Array.of(0, 0, 0, 0, 0, 2, 1, 0, 1, -1, 0, 1, 0, 1, 1);
    const pages = Uint32Array.of(0, 1, 2, 0, 1, 3, 1, 0, 4, 2, 2, 3);
    const split = splitEdges(book, pages, (a, b) => a === 0 && b === 1);
    expect([...split.ends]).toEqual([0, 1, 1, 2, 0, 2, 1, 3, 0, 3, 0, 4, 1, 4]);
    expect(split.triangles.length).toBe(3 * 13);
    expect([...split.triangles.subarray(36)]).toEqual([2, 2, 3]);
    expect(areaOf(positionsOf(book, split), split.triangles)).toBeCloseTo(3, 12);
  });

  it('leaves a mesh without marked edges as it is', () => {
    const split = splitEdges(positions, triangles, () => false);
    expect(split.ends.length).toBe(0);
    expect(split.triangles).toEqual(triangles);
  });
});
