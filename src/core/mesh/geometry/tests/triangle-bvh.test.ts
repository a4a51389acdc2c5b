// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../math/random.ts';
import {
  BVH_BOX_SIZE,
  BVH_LEAF,
  BVH_NONE,
  fitTriangleBvh,
  makeTriangleBvh,
  type TriangleBvh,
} from '../triangle-bvh.ts';

/** Lists the places of all leaves, and expects every box to contain what is below it. */
function listPlaces({ children, boxes, corners }: TriangleBvh): number[] {
  const places: number[] = [];
  const visit = (node: number): number[][] =>
    [0, 1, 2, 3].map((lane) => {
      const child = children[4 * node + lane];
      const box = [0, 1, 2, 3, 4, 5].map((a) => boxes[node * BVH_BOX_SIZE + 4 * a + lane]);
      if (child === BVH_NONE) {
        expect(box[0]).toBeGreaterThan(box[3]);
        return [];
      }
      const inside = child < BVH_LEAF ? visit(child).flat() : [];
      if (child >= BVH_LEAF)
        for (let n = 0; n <= (child & 3); n++) {
          const place = ((child & ~BVH_LEAF) >>> 2) + n;
          places.push(place);
          inside.push(...corners.subarray(9 * place, 9 * place + 9));
        }
      inside.forEach((x, c) => {
        expect(x).toBeGreaterThanOrEqual(box[c % 3]);
        expect(x).toBeLessThanOrEqual(box[3 + (c % 3)]);
      });
      return inside;
    });
  visit(0);
  return places;
}

const random = makeRandom(1);
const makeSoup = (count: number): Float32Array => Float32Array.from({ length: 9 * count }, () => random.normal());
const eachCorner = (count: number): Uint32Array => Uint32Array.from({ length: 3 * count }, (_, c) => c);

describe('makeTriangleBvh', () => {
  it.each([1, 4, 5, 500])('has each of %i triangles in one leaf, inside of its boxes', (count) => {
    const bvh = makeTriangleBvh(makeSoup(count), eachCorner(count));
    const places = listPlaces(bvh).sort((a, b) => a - b);
    expect(places).toEqual(Array.from({ length: count }, (_, n) => n));
    expect([...bvh.order].sort((a, b) => a - b)).toEqual(places);
  });

  it.each([1, 2, 4, 5, 500])('has a box for each of %i triangles in leaves of one', (count) => {
    const bvh = makeTriangleBvh(makeSoup(count), eachCorner(count), 1);
    expect(listPlaces(bvh).sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
    for (const child of bvh.children) if (child >= BVH_LEAF && child !== BVH_NONE) expect(child & 3).toBe(0);
  });

  it('splits triangles that are all in one place', () => {
    const bvh = makeTriangleBvh(
      Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
      new Uint32Array(3 * 100).map((_, c) => c % 3),
    );
    expect(listPlaces(bvh).length).toBe(100);
  });

  it('contains the triangles of another frame after a fit', () => {
    const bvh = makeTriangleBvh(makeSoup(60), eachCorner(60));
    fitTriangleBvh(bvh, makeSoup(60), eachCorner(60));
    expect(listPlaces(bvh).length).toBe(60);
  });

  it('has an empty node for no triangles', () => {
    expect([...makeTriangleBvh(new Float32Array(0), new Uint32Array(0)).children]).toEqual(Array(4).fill(BVH_NONE));
  });
});
