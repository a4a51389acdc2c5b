// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { listEdges, listNormalGroups, vertexNormalsInto } from '../../../../src/entry/deform.ts';
import { makeMesh } from '../../../../src/entry/index.ts';
import { formatBytes, formatLength } from '../../elements/format.ts';
import type { FrameBatch } from '../../messages/protocol.ts';
import type { VersionInfo } from '../../messages/views.ts';
import { FrameStore } from '../../state/frame-store.ts';
import { makeLatest } from '../../state/latest.ts';
import { distancesInto } from '../colorings.ts';

// Two triangles of a square, with the corners of their common edge twice:
//   2,5 --- 4
//    | \    |
//    0 --- 1,3
const square = makeMesh(
  Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0),
  Uint32Array.of(0, 1, 2, 3, 4, 5),
);

describe('normals', () => {
  it('are shared across seams, and not across hard edges', () => {
    expect([...listNormalGroups(square).normalGroups]).toEqual([0, 1, 2, 1, 3, 2]);
    const normals = Float32Array.of(0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0);
    expect(listNormalGroups({ ...square, normals }).groupCount).toBe(6);
  });

  it('stand on the surface, weighted by area', () => {
    const { normalGroups: pointOfVertex, groupCount: pointCount } = listNormalGroups(square);
    const positions = square.positions.slice();
    positions[14] = 1; // vertex 4 is lifted: its triangle tilts
    const normals = new Float32Array(18);
    vertexNormalsInto(positions, square.triangles, normals, { pointOfVertex, pointCount });
    expect([...normals.slice(0, 3)]).toEqual([0, 0, 1]);
    const [x, y, z] = normals.slice(12, 15);
    expect(Math.hypot(x, y, z)).toBeCloseTo(1, 6);
    expect(x).toBeCloseTo(-1 / Math.sqrt(3), 6);
    expect(y).toBeCloseTo(-1 / Math.sqrt(3), 6);
    // both sides of the seam are lit alike
    expect([...normals.slice(3, 6)]).toEqual([...normals.slice(9, 12)]);
  });

  it('have each edge of a wireframe once', () => {
    expect(listEdges(Uint32Array.of(0, 1, 2, 2, 1, 3)).length).toBe(10);
  });
});

describe('distances', () => {
  it('name the farthest vertex', () => {
    const out = new Float32Array(2);
    expect(distancesInto(Float32Array.of(0, 0, 0, 1, 0, 0), Float32Array.of(0, 1, 0, 1, 3, 4), out)).toEqual({
      worst: 1,
      max: 5,
    });
    expect([...out]).toEqual([1, 5]);
  });

  it('read in the unit that suits them', () => {
    expect(formatLength(0.0213, 1)).toBe('2.13 cm');
    expect(formatLength(0.00099, 1)).toBe('0.99 mm');
    expect(formatLength(5e-6, 1)).toBe('5 µm');
    expect(formatLength(2.13, 0.01)).toBe('2.13 cm');
    expect(formatLength(2.13, undefined)).toBe('2.13 file units');
    expect(formatBytes(5_170_000)).toBe('5.17 MB');
  });
});

describe('frames', () => {
  const version = {
    id: 4,
    mesh: { positions: Float32Array.of(9, 9, 9) },
    motions: [{ name: 'm', times: new Float64Array(5) }],
  };
  const batch = (first: number, count: number): FrameBatch => ({
    version: 4,
    motion: 0,
    first,
    count,
    size: 2,
    positions: Float32Array.from({ length: 3 * count }, (_, c) => first + Math.floor(c / 3)),
    bones: new Float64Array(0),
    virtual: new Float64Array(0),
  });

  it('are there or not, and the nearest is shown meanwhile', () => {
    const store = new FrameStore();
    expect(store.nearest(4, 0, 0)).toBeUndefined();
    store.expect(version as unknown as VersionInfo, 0);
    expect(store.get(4, 0, 3)).toBeUndefined();
    expect(store.nearest(4, 0, 3)?.positions[0]).toBe(9);
    store.put(batch(0, 2));
    expect(store.get(4, 0, 4)).toBeUndefined();
    expect(store.nearest(4, 0, 4)?.positions[0]).toBe(1);
    // the page waits for the last frame, which comes before others
    store.put(batch(4, 1));
    expect(store.get(4, 0, 4)?.positions[0]).toBe(4);
    expect(store.get(4, 0, 2)).toBeUndefined();
    expect(store.rangesOf(4, 0)).toEqual([
      [0, 2],
      [4, 5],
    ]);
    store.put(batch(2, 2));
    expect([0, 1, 2, 3, 4].map((k) => store.get(4, 0, k)?.positions[0])).toEqual([0, 1, 2, 3, 4]);
    expect(store.rangesOf(4, 0)).toEqual([[0, 5]]);
    expect(store.progressOf(4, 0)).toEqual({ ready: 5, of: 5 });
    store.drop(4);
    expect(store.has(4, 0)).toBe(false);
  });
});

describe('the newest of many', () => {
  it('is always done, and those it overtook are not', async () => {
    const done: number[] = [];
    const ask = makeLatest(async (value: number) => {
      await Promise.resolve();
      done.push(value);
    });
    for (let n = 1; n <= 9; n++) ask(n);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(done).toEqual([1, 9]);
    ask(10);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(done).toEqual([1, 9, 10]);
  });
});
