// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeAdjacency } from '../adjacency.ts';

const VERTEX_COUNT = 12;
const randomTriangles = fc
  .array(fc.integer({ min: 0, max: VERTEX_COUNT - 1 }), { maxLength: 60 })
  .map((list) => new Uint32Array(list.slice(0, list.length - (list.length % 3))));

describe('makeAdjacency', () => {
  it('names both ends of every edge once, rising, for any triangles', () => {
    fc.assert(
      fc.property(randomTriangles, (triangles) => {
        const sets = Array.from({ length: VERTEX_COUNT }, () => new Set<number>());
        for (let c = 0; c < triangles.length; c++) {
          for (let d = c - (c % 3); d < c - (c % 3) + 3; d++)
            if (triangles[c] !== triangles[d]) sets[triangles[c]].add(triangles[d]);
        }
        const { rowStart, neighbours } = makeAdjacency(VERTEX_COUNT, triangles);
        for (let i = 0; i < VERTEX_COUNT; i++)
          expect([...neighbours.subarray(rowStart[i], rowStart[i + 1])]).toEqual([...sets[i]].sort((a, b) => a - b));
        expect(rowStart[VERTEX_COUNT]).toBe(neighbours.length);
      }),
    );
  });

  it('leaves vertices without triangles alone', () => {
    expect([...makeAdjacency(3, new Uint32Array()).rowStart]).toEqual([0, 0, 0, 0]);
  });
});
