// SPDX-License-Identifier: MIT

import { nearestRotationInto } from '../../../core/math/rotation.ts';
import type { SkinFit } from '../../../fit/skin/index.ts';
import { measureBlends } from '../joints/bone-blends.ts';
import { listJointEdges } from '../joints/joint-tree.ts';
import type { StrictSolution } from '../joints/solve-strict.ts';

/** Motions of up to count candidate bones halfway between two linked bones, 3 frameCount x 4 each, in descending order of the error of the vertices that the two blend. */
export async function proposeBones({ fit, tree }: StrictSolution, count: number): Promise<Float64Array[]> {
  const { boneCount } = fit;
  await fit.measureMoments();
  const { centers } = measureBlends(fit);
  const errors = measureBlendErrors(fit);
  const edges = listJointEdges(tree).map(({ a, b }) => ({ a, b, o: a * boneCount + b }));
  edges.sort((p, q) => errors[q.o] - errors[p.o] || p.o - q.o);
  return edges.slice(0, count).map(({ a, b, o }) => meanMotion(fit, a, b, centers.subarray(3 * o, 3 * o + 3)));
}

/** boneCount x boneCount: Σᵢ wᵢⱼ wᵢₗ eᵢ with eᵢ the squared error of a vertex. */
function measureBlendErrors({ weights, boneCount, trajectories }: SkinFit): Float64Array {
  const sums = new Float64Array(boneCount * boneCount);
  const [ids, values, errors] = [weights.bones.view(), weights.weights.view(), weights.errors.view()];
  const influences = weights.influences;
  for (let i = 0; i < trajectories.vertexCount; i++) {
    for (let p = i * influences; p < (i + 1) * influences; p++)
      for (let q = i * influences; q < (i + 1) * influences; q++)
        sums[ids[p] * boneCount + ids[q]] += values[p] * values[q] * errors[i];
  }
  return sums;
}

/** The mean rotations of two bones, with translations that map a point to the midpoint of its two images. */
function meanMotion(fit: SkinFit, a: number, b: number, [x, y, z]: Float64Array): Float64Array {
  const bones = fit.bones.view();
  const stride = 4 * fit.boneCount;
  const motion = new Float64Array(12 * fit.trajectories.frameCount);
  const m = new Float64Array(9);
  const middle = [0, 0, 0];
  for (let k = 0; k < fit.trajectories.frameCount; k++) {
    for (let r = 0; r < 3; r++) {
      const [o, p] = [(3 * k + r) * stride + 4 * a, (3 * k + r) * stride + 4 * b];
      for (let c = 0; c < 3; c++) m[3 * c + r] = bones[o + c] + bones[p + c];
      middle[r] = 0.5 * (m[r] * x + m[3 + r] * y + m[6 + r] * z + bones[o + 3] + bones[p + 3]);
    }
    nearestRotationInto(m, m);
    for (let r = 0; r < 3; r++) {
      const o = 12 * k + 4 * r;
      for (let c = 0; c < 3; c++) motion[o + c] = m[3 * c + r];
      motion[o + 3] = middle[r] - (m[r] * x + m[3 + r] * y + m[6 + r] * z);
    }
  }
  return motion;
}
