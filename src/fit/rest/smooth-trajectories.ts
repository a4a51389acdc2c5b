// SPDX-License-Identifier: MIT
// Trajectories without most of their noise, for clustering: every small patch of the surface is fitted rigidly to each frame, and a point is the mean of the positions that all patches around it give. Joints are
// blurred by the size of a patch, so this serves for the first bones only, and everything else is fitted to the frames themselves.
import type { Compute } from '../../core/kernels/compute.ts';
import {
  reserveTrajectories,
  squareTrajectories,
  type Trajectories,
} from '../../core/kernels/matrices/trajectories.ts';
import { PATCH_PRODUCTS, PATCH_SUMS, sumPatchInto } from '../../core/kernels/patches/sum-patch.ts';
import { nearestRotationInto } from '../../core/math/rotation.ts';
import { type Adjacency, makeAdjacency } from '../../core/mesh/topology/adjacency.ts';
import { RingPatch } from '../../core/mesh/topology/ring-patch.ts';

/** Number of points of a patch. Chosen on the spider and the fox. */
const PATCH_POINTS = 12;

/**
 * Smooths trajectories by rigid patches.
 * @param triangles triangleCount x 3 point indices
 */
export function smoothTrajectories(compute: Compute, given: Trajectories, triangles: Uint32Array): Trajectories {
  const { vertexCount, frameCount } = given;
  const out = reserveTrajectories(compute, vertexCount, frameCount);
  out.rest.view().set(given.rest.view());
  const adjacency = makeAdjacency(vertexCount, triangles);
  smoothByPatches(given.rest.view(), given.posed.view(), adjacency, out.posed.view());
  squareTrajectories(out);
  return out;
}

/**
 * The same for plain arrays.
 * @param rest points x 3
 * @param posed points x (3 frameCount)
 * @param smooth points x (3 frameCount), filled
 */
export function smoothByPatches(
  rest: Float64Array,
  posed: Float64Array,
  adjacency: Adjacency,
  smooth: Float64Array,
): void {
  const vertexCount = rest.length / 3;
  const rows = posed.length / vertexCount;
  const { patches, sizes } = new RingPatch(adjacency).listAll(PATCH_POINTS);
  smooth.fill(0);
  const counts = new Uint32Array(vertexCount);
  const m = new Float64Array(9);
  const sums = new Float64Array(PATCH_SUMS);
  const offsets = new Float64Array(3 * PATCH_POINTS);
  const coordinates = { posed, stride: rows, step: 1 };
  const points = { patches, offsets };
  for (let i = 0; i < vertexCount; i++) {
    const place = i * PATCH_POINTS;
    const size = sizes[i];
    for (let r = 0; r < 3; r++) {
      let mean = 0;
      for (let n = 0; n < size; n++) mean += rest[3 * patches[place + n] + r] / size;
      for (let n = 0; n < size; n++) offsets[3 * n + r] = rest[3 * patches[place + n] + r] - mean;
    }
    for (let n = 0; n < size; n++) counts[patches[place + n]]++;
    for (let row = 0; row < rows; row += 3) {
      sumPatchInto(coordinates, row, points, place, size, sums);
      nearestRotationInto(sums, m, PATCH_PRODUCTS);
      const first = i * rows + row;
      const x = posed[first] + sums[0] / size;
      const y = posed[first + 1] + sums[1] / size;
      const z = posed[first + 2] + sums[2] / size;
      for (let n = 0; n < size; n++) {
        const u0 = offsets[3 * n];
        const u1 = offsets[3 * n + 1];
        const u2 = offsets[3 * n + 2];
        const o = patches[place + n] * rows + row;
        smooth[o] += x + m[0] * u0 + m[1] * u1 + m[2] * u2;
        smooth[o + 1] += y + m[3] * u0 + m[4] * u1 + m[5] * u2;
        smooth[o + 2] += z + m[6] * u0 + m[7] * u1 + m[8] * u2;
      }
    }
  }
  for (let i = 0; i < vertexCount; i++) for (let row = i * rows; row < (i + 1) * rows; row++) smooth[row] /= counts[i];
}
