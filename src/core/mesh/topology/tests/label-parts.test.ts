// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelParts } from '../label-parts.ts';

describe('labelParts', () => {
  it('numbers connected points by their first point, and points without triangles by themselves', () => {
    expect([...labelParts(7, Uint32Array.of(0, 3, 4, 5, 4, 6))]).toEqual([0, 1, 2, 0, 0, 0, 0]);
    expect([...labelParts(3, new Uint32Array())]).toEqual([0, 1, 2]);
  });

  it('gives the corners of a triangle one label, whatever the order of triangles', () => {
    const triangle = fc.tuple(fc.nat(29), fc.nat(29), fc.nat(29));
    fc.assert(
      fc.property(fc.array(triangle, { maxLength: 20 }), (list) => {
        const labels = labelParts(30, Uint32Array.from(list.flat()));
        expect(list.every((corners) => new Set(corners.map((i) => labels[i])).size === 1)).toBe(true);
        expect([...labelParts(30, Uint32Array.from(list.reverse().flat()))]).toEqual([...labels]);
      }),
    );
  });
});
