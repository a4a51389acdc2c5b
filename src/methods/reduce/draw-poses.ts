// SPDX-License-Identifier: MIT

import { multiply } from '../../core/math/mat4.ts';
import { makeRandom } from '../../core/math/random.ts';
import { cosineOf, sineOf } from '../../core/math/sine.ts';
import { InputError } from '../../core/model/errors.ts';
import { boneCountOf, type Skeleton } from '../../core/model/skin/skeleton.ts';
import { type JointRange, rigidBindInto } from '../../fit/poses/index.ts';

/**
 * Random poses within ranges of motion: every joint rotates by R = Rx Ry Rz and translates in its own frame, M = M_parent · B T R B⁻¹, angles and translations
 * uniform and independent.
 * @returns count x boneCount x 16: rest to posed
 */
export function drawPoses(skeleton: Skeleton, ranges: readonly JointRange[], count: number, seed = 0): Float64Array {
  const boneCount = boneCountOf(skeleton);
  if (ranges.length !== boneCount)
    throw new InputError('weights', `${ranges.length} ranges of motion for ${boneCount} bones`);
  const random = makeRandom(seed);
  const binds = new Float64Array(16 * boneCount);
  const inverses = new Float64Array(16 * boneCount);
  for (let j = 0; j < boneCount; j++) rigidBindInto(skeleton.bindMatrices, 16 * j, binds, inverses, 16 * j);
  const matrices = new Float64Array(count * boneCount * 16);
  const local = new Float64Array(16);
  const turned = new Float64Array(16);
  for (let k = 0; k < count; k++) {
    for (let j = 0; j < boneCount; j++) {
      const { rotation, translation } = ranges[j];
      const [x, y, z] = rotation.map(([low, high]) => low + (high - low) * random.next());
      const [cx, sx, cy, sy, cz, sz] = [cosineOf(x), sineOf(x), cosineOf(y), sineOf(y), cosineOf(z), sineOf(z)];
      local.set([cy * cz, cx * sz + sx * sy * cz, sx * sz - cx * sy * cz, 0]);
      local.set([-cy * sz, cx * cz - sx * sy * sz, sx * cz + cx * sy * sz, 0], 4);
      local.set([sy, -sx * cy, cx * cy, 0], 8);
      local.set(
        translation.map(([low, high]) => low + (high - low) * random.next()),
        12,
      );
      local[15] = 1;
      const to = 16 * (k * boneCount + j);
      multiply(binds, local, turned, 16 * j, 0, 0);
      multiply(turned, inverses, local, 0, 16 * j, 0);
      const parent = skeleton.parents[j];
      if (parent < 0) matrices.set(local, to);
      else multiply(matrices, local, matrices, 16 * (k * boneCount + parent), 0, to);
    }
  }
  return matrices;
}
