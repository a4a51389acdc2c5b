// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../math/random.ts';
import { makeDistanceScratch, squaredDistanceTo } from '../squared-distance-to.ts';
import { fitTriangleBvh, makeTriangleBvh } from '../triangle-bvh.ts';

/** The least distance from points of a fine grid over all triangles: never less than the distance, and at most a cell more. */
function sampleDistance(positions: Float32Array, triangles: Uint32Array, p: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  const cells = 60;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [...triangles.subarray(t, t + 3)].map((i) => positions.subarray(3 * i, 3 * i + 3));
    for (let m = 0; m <= cells; m++)
      for (let n = 0; n <= cells - m; n++) {
        const [s, u] = [m / cells, n / cells];
        const squared = [0, 1, 2].reduce((sum, r) => sum + (p[r] - (1 - s - u) * a[r] - s * b[r] - u * c[r]) ** 2, 0);
        least = Math.min(least, Math.sqrt(squared));
      }
  }
  return least;
}

describe('squaredDistanceTo', () => {
  it('finds the distance from the surface, also after it moved', () => {
    const random = makeRandom(3);
    const triangles = Uint32Array.from({ length: 3 * 12 }, () => Math.floor(random.next() * 14));
    const make = () => Float32Array.from({ length: 3 * 14 }, () => 2 * random.next() - 1);
    const tree = makeTriangleBvh(make(), triangles);
    const scratch = makeDistanceScratch();
    for (let shape = 0; shape < 2; shape++) {
      const positions = make();
      fitTriangleBvh(tree, positions, triangles);
      for (let k = 0; k < 40; k++) {
        const p = [0, 1, 2].map(() => 4 * random.next() - 2);
        const found = Math.sqrt(squaredDistanceTo(tree, p[0], p[1], p[2], scratch));
        const sampled = sampleDistance(positions, triangles, p);
        expect(found).toBeLessThanOrEqual(sampled + 1e-6);
        expect(found).toBeGreaterThan(sampled - 0.05);
      }
    }
  });

  it('returns the limit if nothing is nearer, and for a surface without triangles', () => {
    const tree = makeTriangleBvh(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]), new Uint32Array([0, 1, 2]));
    const scratch = makeDistanceScratch();
    expect(squaredDistanceTo(tree, 0.2, 0.2, 3, scratch, 4)).toBe(4);
    expect(squaredDistanceTo(tree, 0.2, 0.2, 3, scratch)).toBeCloseTo(9, 6);
    const none = makeTriangleBvh(new Float32Array(9), new Uint32Array(0));
    expect(squaredDistanceTo(none, 0, 0, 0, scratch)).toBe(Number.POSITIVE_INFINITY);
  });
});
