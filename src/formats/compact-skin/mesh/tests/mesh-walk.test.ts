// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { matchHalfEdges } from '../match-half-edges.ts';
import { makeMeshWalk } from '../mesh-walk.ts';

describe('makeMeshWalk', () => {
  // 0 - 1 - 2
  // | / | /
  // 3 - 4      5: no triangle
  const triangles = Uint32Array.of(0, 3, 1, 1, 3, 4, 1, 4, 2);

  it('lists every vertex once, and predicts from earlier ones', () => {
    const { order, start, sources, beforeStart, before } = makeMeshWalk(triangles, matchHalfEdges(triangles), 6);
    expect([...order].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    order.forEach((_, place) => {
      const own = [
        ...sources.subarray(3 * start[place], 3 * start[place + 1]),
        ...before.subarray(beforeStart[place], beforeStart[place + 1]),
      ];
      for (const source of own) expect(order.indexOf(source)).toBeLessThan(place);
    });
  });

  it('predicts a vertex across an edge by the parallelogram', () => {
    const { order, start, sources } = makeMeshWalk(triangles, matchHalfEdges(triangles), 6);
    const place = order.indexOf(4);
    expect(start[place + 1] - start[place]).toBe(1);
    const [a, b, c] = sources.subarray(3 * start[place]);
    expect([a, b].sort()).toEqual([1, 3]);
    expect(c).toBe(0);
  });

  it('never predicts a vertex of a triangle without area from itself', () => {
    const flat = Uint32Array.of(0, 1, 2, 2, 1, 1);
    const { order, before, beforeStart } = makeMeshWalk(flat, matchHalfEdges(flat), 3);
    order.forEach((v, place) => {
      expect([...before.subarray(beforeStart[place], beforeStart[place + 1])]).not.toContain(v);
    });
  });
});
