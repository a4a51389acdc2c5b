// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { boneDistanceMap } from '../bone-distance-map.ts';

/** Joints at given places along x. */
function makeSkeleton(places: number[], parents: number[]): Skeleton {
  const bindMatrices = makeIdentities(places.length);
  places.forEach((x, j) => {
    bindMatrices[16 * j + 12] = x;
  });
  return { names: places.map(String), parents: Int32Array.from(parents), bindMatrices };
}

describe('the distance map', () => {
  it('is the distance to the segment over 0.114 of the height, from 0.02 to 1', () => {
    const skeleton = makeSkeleton([0, 4], [-1, 0]);
    // beside the segment, beyond its start, on it, far off
    const positions = Float64Array.of(2, 0.5, 0, -0.3, 0.4, 0, 1, 0, 0, 2, 9, 0);
    const map = boneDistanceMap(positions, skeleton, Uint32Array.of(0, 0, 0, 0), { height: 10 });
    expect(map[0]).toBeCloseTo(0.5 / 1.14, 12);
    expect(map[1]).toBeCloseTo(0.5 / 1.14, 12);
    expect(map[2]).toBe(0.02);
    expect(map[3]).toBe(1);
  });

  it('uses the nearest of several children, and extends the last bone of a chain as far as its points', () => {
    const skeleton = makeSkeleton([0, 4, -4], [-1, 0, 0]);
    const positions = Float64Array.of(-3, 0.3, 0, 7, 0.3, 0, 6, 0.3, 0);
    const map = boneDistanceMap(positions, skeleton, Uint32Array.of(0, 1, 1), { height: 10 });
    for (const factor of map) expect(factor).toBeCloseTo(0.3 / 1.14, 12);
  });

  it('uses the longest side of the box as the height, and full smoothing for a mesh without extent', () => {
    const skeleton = makeSkeleton([0], [-1]);
    const map = boneDistanceMap(Float64Array.of(0, 0, 0, 0, 0, 10), skeleton, Uint32Array.of(0, 0));
    expect(map[0]).toBe(0.02);
    expect(map[1]).toBe(1);
    expect(boneDistanceMap(Float64Array.of(1, 0, 0), skeleton, Uint32Array.of(0))[0]).toBe(1);
  });
});
