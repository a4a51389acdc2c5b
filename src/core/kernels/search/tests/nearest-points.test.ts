// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { BVH_STACK, makeTriangleBvh } from '../../../mesh/geometry/triangle-bvh.ts';
import { type Compute, uploadFloat32, uploadFloat64, uploadUint32 } from '../../compute.ts';
import { NO_TRIANGLE, nearestPoints } from '../nearest-points.ts';

const TRIANGLES = 200;
const POINTS = 300;
const MAX_DISTANCE = 0.6;
const MIN_COSINE = 0.3;
const random = makeRandom(5);
const normals = (count: number): number[][] =>
  Array.from({ length: count }, () => {
    const v = [random.normal(), random.normal(), random.normal()];
    return v.map((x) => x / Math.hypot(...v));
  });

/** A soup of small triangles. */
const positions = new Float32Array(9 * TRIANGLES);
for (let f = 0; f < TRIANGLES; f++) {
  const center = [random.normal(), random.normal(), random.normal()];
  for (let c = 0; c < 9; c++) positions[9 * f + c] = center[c % 3] + 0.2 * random.normal();
}
const bvh = makeTriangleBvh(
  positions,
  Uint32Array.from({ length: 3 * TRIANGLES }, (_, c) => c),
  1,
);
const triangleNormals = Float32Array.from(normals(TRIANGLES).flat());
const points = Float64Array.from(
  normals(POINTS).flatMap((n) => [random.normal(), random.normal(), random.normal(), ...n]),
);

async function search(compute: Compute) {
  const found = compute.uint32(POINTS);
  const places = compute.float64(3 * POINTS);
  await nearestPoints(compute, {
    ...{ points: uploadFloat64(compute, points), boxes: uploadFloat32(compute, bvh.boxes), found, places },
    ...{ children: uploadUint32(compute, bvh.children), corners: uploadFloat32(compute, bvh.corners) },
    ...{ normals: uploadFloat32(compute, triangleNormals), stackSize: BVH_STACK + 8 },
    ...{ stacks: compute.uint32(compute.threads * (BVH_STACK + 8)) },
    ...{ squares: compute.float32(compute.threads * (BVH_STACK + 8)) },
    ...{ pointCount: POINTS, minCosine: MIN_COSINE, maxSquare: MAX_DISTANCE ** 2 },
  });
  return { found: found.view().slice(), places: places.view().slice() };
}

/** The smallest squared distance over a fine grid of points of a triangle. */
function squareByForce(f: number, p: ArrayLike<number>): number {
  let least = Number.POSITIVE_INFINITY;
  const steps = 24;
  for (let s = 0; s <= steps; s++)
    for (let t = 0; s + t <= steps; t++) {
      const square = [0, 1, 2].reduce((sum, a) => {
        const [x, y, z] = [0, 3, 6].map((o) => bvh.corners[9 * f + o + a]);
        return sum + (x + (s / steps) * (y - x) + (t / steps) * (z - x) - p[a]) ** 2;
      }, 0);
      least = Math.min(least, square);
    }
  return least;
}

describe('nearestPoints', () => {
  it('finds the nearest triangle that faces the same way within the distance', async () => {
    const { found, places } = await search(await makeCompute({ kind: 'typescript' }));
    let count = 0;
    for (let i = 0; i < POINTS; i += 10) {
      const [p, n] = [points.subarray(6 * i, 6 * i + 3), points.subarray(6 * i + 3, 6 * i + 6)];
      let least = MAX_DISTANCE ** 2;
      for (let f = 0; f < TRIANGLES; f++) {
        const cosine = [0, 1, 2].reduce((sum, a) => sum + n[a] * triangleNormals[3 * f + a], 0);
        if (cosine >= MIN_COSINE) least = Math.min(least, squareByForce(f, p));
      }
      if (found[i] === NO_TRIANGLE) {
        expect(least).toBeGreaterThan(0.98 * MAX_DISTANCE ** 2);
        continue;
      }
      count++;
      // the grid is coarser than the exact point
      expect(Math.sqrt(places[3 * i + 2])).toBeLessThanOrEqual(Math.sqrt(least) + 1e-9);
      expect(Math.sqrt(places[3 * i + 2])).toBeGreaterThan(Math.sqrt(least) - 0.04);
      const [v, w] = [places[3 * i], places[3 * i + 1]];
      const corners = bvh.corners.subarray(9 * found[i], 9 * found[i] + 9);
      const way = [0, 1, 2].map((a) => (1 - v - w) * corners[a] + v * corners[3 + a] + w * corners[6 + a] - p[a]);
      expect(Math.hypot(...way)).toBeCloseTo(Math.sqrt(places[3 * i + 2]), 9);
    }
    expect(count).toBeGreaterThan(5);
  });

  it('gives the same bits in TypeScript, in WebAssembly and on threads', async () => {
    const expected = await search(await makeCompute({ kind: 'typescript' }));
    for (const threads of [1, 2]) {
      const compute = await makeCompute({ kind: 'wasm', threads });
      try {
        expect(await search(compute)).toEqual(expected);
      } finally {
        compute.dispose();
      }
    }
  });
});
