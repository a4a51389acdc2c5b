// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { BVH_STACK, makeTriangleBvh } from '../../../mesh/geometry/triangle-bvh.ts';
import { type Compute, uploadFloat32, uploadFloat64, uploadUint32 } from '../../compute.ts';
import { castRays } from '../cast-rays.ts';

const TRIANGLES = 300;
const POINTS = 150;
const DIRECTIONS = 40;
const random = makeRandom(3);
const unitVector = (): number[] => {
  const v = [random.normal(), random.normal(), random.normal()];
  const length = Math.hypot(...v);
  return v.map((x) => x / length);
};

/** Small triangles at random places: a soup, in which some rays find a way out. */
const positions = new Float32Array(9 * TRIANGLES);
for (let f = 0; f < TRIANGLES; f++) {
  const center = [random.normal(), random.normal(), random.normal()];
  for (let c = 0; c < 9; c++) positions[9 * f + c] = center[c % 3] + 0.2 * random.normal();
}
const triangles = Uint32Array.from({ length: 3 * TRIANGLES }, (_, c) => c);
const points = Float32Array.from(
  Array.from({ length: POINTS }, () => [random.normal(), random.normal(), random.normal(), ...unitVector()]).flat(),
);
const directions = Float64Array.from(Array.from({ length: DIRECTIONS }, () => unitVector()).flat());
// an axis, nearly: two numbers of the inverse direction are infinite if they are zero
directions.set([1e-9, 1, -1e-9], 0);
const values = Float64Array.from({ length: 2 * DIRECTIONS }, (_, c) => 1 + (c % 7));

async function sumsOf(compute: Compute): Promise<Float64Array> {
  const bvh = makeTriangleBvh(positions, triangles);
  const sums = compute.float64(2 * POINTS);
  await castRays(compute, {
    ...{ points: uploadFloat32(compute, points), directions: uploadFloat64(compute, directions) },
    ...{ values: uploadFloat64(compute, values), boxes: uploadFloat32(compute, bvh.boxes) },
    ...{ children: uploadUint32(compute, bvh.children), corners: uploadFloat32(compute, bvh.corners), sums },
    ...{ stacks: compute.uint32(compute.threads * BVH_STACK), stackSize: BVH_STACK },
    ...{ pointCount: POINTS, directionCount: DIRECTIONS, channels: 2 },
  });
  return sums.view().slice();
}

/** Every ray against every triangle, by areas of the three sides seen along the ray. */
function sumsByForce(): Float64Array {
  const sums = new Float64Array(2 * POINTS);
  for (let i = 0; i < POINTS; i++) {
    const [x, y, z, ...n] = points.subarray(6 * i, 6 * i + 6);
    for (let s = 0; s < DIRECTIONS; s++) {
      const d = [...directions.subarray(3 * s, 3 * s + 3)];
      const cosine = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
      if (cosine <= 0) continue;
      let isOpen = true;
      for (let f = 0; f < TRIANGLES && isOpen; f++) {
        const corners = [0, 1, 2].map((c) => [x, y, z].map((o, a) => positions[9 * f + 3 * c + a] - o));
        const sides = [0, 1, 2].map((c) => dot(cross(corners[c], corners[(c + 1) % 3]), d));
        const isInside = sides.every((side) => side > 0) || sides.every((side) => side < 0);
        const [a, b, c] = corners;
        const normal = cross(minus(b, a), minus(c, a));
        isOpen = !(isInside && dot(a, normal) / dot(d, normal) > 0);
      }
      if (isOpen) for (let c = 0; c < 2; c++) sums[2 * i + c] += cosine * values[2 * s + c];
    }
  }
  return sums;
}

const minus = (a: number[], b: number[]): number[] => a.map((x, n) => x - b[n]);
const dot = (a: number[], b: number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: number[], b: number[]): number[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

describe('castRays', () => {
  it('adds the light of the directions in which no triangle is hit', async () => {
    const compute = await makeCompute({ kind: 'typescript' });
    const [found, expected] = [await sumsOf(compute), sumsByForce()];
    for (let c = 0; c < found.length; c++) expect(found[c]).toBeCloseTo(expected[c], 9);
    expect(expected.some((sum) => sum > 0)).toBe(true);
  });

  it('gives the same bits in TypeScript, in WebAssembly and on threads', async () => {
    const expected = await sumsOf(await makeCompute({ kind: 'typescript' }));
    for (const threads of [1, 2]) {
      const compute = await makeCompute({ kind: 'wasm', threads });
      try {
        expect(await sumsOf(compute)).toEqual(expected);
      } finally {
        compute.dispose();
      }
    }
  });
});
