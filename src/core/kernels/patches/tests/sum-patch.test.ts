// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { nearestRotationInto } from '../../../math/rotation.ts';
import { PATCH_PRODUCTS, PATCH_SQUARE, PATCH_SUMS, sumPatchInto } from '../sum-patch.ts';

it('gives the rotation from a frame to the rest shape, and sums relative to the first point', () => {
  const rest = [
    [1, 0, 0],
    [0, 2, 0],
    [0, 0, 3],
    [-1, -2, -3],
  ];
  // a quarter turn about z, far from the origin: (x, y, z) -> (-y, x, z)
  const turned = rest.map(([x, y, z]) => [1000 - y, 2000 + x, 3000 + z]);
  // three numbers in front, and five per point
  const posed = new Float64Array(3 + 5 * rest.length).fill(Number.NaN);
  turned.forEach((point, p) => {
    posed.set(point, 3 + 5 * p);
  });
  const patch = [2, 0, 3, 1];
  const offsets = Float64Array.from(patch.flatMap((p) => rest[p]));
  const sums = new Float64Array(PATCH_SUMS);
  const points = { patches: Uint32Array.of(9, ...patch), offsets };
  sumPatchInto({ posed, stride: 5, step: 1 }, 3, points, 1, patch.length, sums);
  const relative = patch.map((p) => turned[p].map((value, r) => value - turned[2][r]));
  for (let r = 0; r < 3; r++)
    expect(sums[r]).toBeCloseTo(
      relative.reduce((sum, v) => sum + v[r], 0),
      9,
    );
  expect(sums[PATCH_SQUARE]).toBeCloseTo(
    relative.flat().reduce((sum, x) => sum + x * x, 0),
    9,
  );
  const m = new Float64Array(9);
  nearestRotationInto(sums, m, PATCH_PRODUCTS);
  // back: (x, y, z) -> (y, -x, z), column-major
  [0, -1, 0, 1, 0, 0, 0, 0, 1].forEach((value, e) => {
    expect(m[e]).toBeCloseTo(value, 9);
  });
});
