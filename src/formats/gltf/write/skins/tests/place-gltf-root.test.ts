// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../../core/math/random.ts';
import { placeGltfRoot } from '../place-gltf-root.ts';

const distances = (root: readonly number[], places: Float64Array) =>
  Array.from({ length: places.length / 3 }, (_, j) => Math.hypot(...[0, 1, 2].map((c) => places[3 * j + c] - root[c])));

describe('placeGltfRoot', () => {
  it('is about half as far from the nearest bone as bones are from one another', () => {
    // 0 . 1 . 2   three bones in a row, 2 apart, far from the origin
    const places = Float64Array.of(100, 5, 0, 102, 5, 0, 104, 5, 0);
    expect(placeGltfRoot(places, 1)).toEqual([102, 4, 0]);
  });

  it('has no bone closer than that, wherever bones are', () => {
    const random = makeRandom(3);
    for (let trial = 0; trial < 20; trial++) {
      const places = Float64Array.from({ length: 30 }, () => random.next());
      const near = Math.min(...distances(placeGltfRoot(places, 1), places));
      expect(near).toBeGreaterThan(0);
      expect(near).toBeLessThan(0.5);
    }
  });

  it('is one bone length below a single bone, and below bones in one place', () => {
    expect(placeGltfRoot(Float64Array.of(1, 2, 3), 0.5)).toEqual([1, 1.5, 3]);
    expect(distances(placeGltfRoot(Float64Array.of(1, 2, 3, 1, 2, 3), 0.5), Float64Array.of(1, 2, 3))).toEqual([0.5]);
  });
});
