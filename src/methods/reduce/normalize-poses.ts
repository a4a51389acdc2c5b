// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';
import type { WeightProblem } from './weight-problem.ts';

export interface NormalizedPoses {
  /** 3 frameCount x 4 boneCount: the bones of the problem, in its units */
  bones: Float64Array;
  /** frameCount x 3, file units: the origin of each frame */
  centers: Float64Array;
}

/** Poses in the units of a problem, each about its own center: that of the targets, or the image of the rest center. Exact, since weights sum to one. */
export function normalizePoses(
  problem: WeightProblem,
  matrices: Float64Array,
  fileBoneCount: number,
  targets?: Float32Array,
  shares?: ArrayLike<number>,
): NormalizedPoses {
  const { boneCount: m, boneOf, size, center, weld } = problem;
  const frameCount = matrices.length / (16 * fileBoneCount);
  if (!Number.isInteger(frameCount)) throw new InputError('weights', `the poses do not have ${fileBoneCount} bones`);
  if (frameCount === 0) throw new InputError('weights', 'there are no poses');
  const stride = 3 * weld.pointOfVertex.length;
  if (targets && targets.length !== frameCount * stride)
    throw new InputError('weights', `the targets are not ${frameCount} poses of ${stride / 3} vertices`);
  const bones = new Float64Array(12 * frameCount * m);
  const centers = new Float64Array(3 * frameCount);
  for (let k = 0; k < frameCount; k++) {
    const share = Math.sqrt(shares?.[k] ?? 1);
    for (let r = 0; r < 3; r++) {
      const imageOf = (j: number): number => {
        const o = 16 * (k * fileBoneCount + boneOf[j]) + r;
        return matrices[o] * center[0] + matrices[o + 4] * center[1] + matrices[o + 8] * center[2] + matrices[o + 12];
      };
      let middle = 0;
      if (targets) for (const v of weld.vertexOfPoint) middle += targets[k * stride + 3 * v + r] / weld.pointCount;
      else for (let j = 0; j < m; j++) middle += imageOf(j) / m;
      centers[3 * k + r] = middle;
      for (let j = 0; j < m; j++) {
        const o = 16 * (k * fileBoneCount + boneOf[j]) + r;
        const b = (3 * k + r) * 4 * m + 4 * j;
        bones[b] = share * matrices[o];
        bones[b + 1] = share * matrices[o + 4];
        bones[b + 2] = share * matrices[o + 8];
        bones[b + 3] = (share * (imageOf(j) - middle)) / size;
      }
    }
  }
  return { bones, centers };
}
