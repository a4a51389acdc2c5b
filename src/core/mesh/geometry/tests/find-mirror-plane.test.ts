// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../math/random.ts';
import { findMirrorPlane, reflectInto } from '../find-mirror-plane.ts';

/** Random points and their images in a plane. */
function makeSymmetric(normal: [number, number, number], offset: number): Float32Array {
  const source = makeRandom(1);
  const random = (): number => source.next();
  const points: number[] = [];
  for (let n = 0; n < 200; n++) {
    const p = [2 * random() - 1, 3 * random() - 1, 5 * random() ** 2];
    const image = new Float64Array(3);
    reflectInto({ normal, offset, error: 0 }, p, 0, image);
    points.push(...p, ...image);
  }
  return Float32Array.from(points);
}

describe('findMirrorPlane', () => {
  it('finds a plane that is not across an axis', () => {
    const length = Math.hypot(1, 0.1, 0.05);
    const normal: [number, number, number] = [1 / length, 0.1 / length, 0.05 / length];
    const plane = findMirrorPlane(makeSymmetric(normal, 0.3), new Uint32Array(0));
    expect(plane?.error).toBeLessThan(1e-5);
    const along = normal.reduce((sum, x, r) => sum + x * (plane?.normal[r] ?? 0), 0);
    expect(Math.abs(along)).toBeCloseTo(1, 6);
    expect((plane?.offset ?? 0) * Math.sign(along)).toBeCloseTo(0.3, 5);
  });

  it('reports how far a shape is from its image', () => {
    const points = makeSymmetric([1, 0, 0], 0).map((x, e) => (e % 6 < 3 ? x : x + 0.3 * Math.sin(7 * e)));
    expect(findMirrorPlane(points, new Uint32Array(0))?.error).toBeGreaterThan(0.01);
  });

  it('has no plane for a few points', () => {
    expect(findMirrorPlane([0, 0, 0, 1, 1, 1], new Uint32Array(0))).toBeUndefined();
  });
});
