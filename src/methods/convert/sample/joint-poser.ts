// SPDX-License-Identifier: MIT

import { compose, multiply } from '../../../core/math/mat4.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { rigidBindInto } from '../../../fit/poses/index.ts';

export interface JointPoser {
  /**
   * Fills bones from rotations of joints about their bind pose, each in its own frame: A = A_parent B R B⁻¹.
   * @param rotations jointCount x 4, unit quaternions
   * @param bones jointCount x 16 at its offset: rest to posed, model space
   */
  poseInto(rotations: Float64Array, bones: Float64Array, bonesOffset?: number): void;
}

/** Makes a function that converts rotations of joints to poses. It allocates no memory. */
export function makeJointPoser({ parents, bindMatrices }: Skeleton): JointPoser {
  const count = parents.length;
  const binds = new Float64Array(16 * count);
  const inverses = new Float64Array(16 * count);
  for (let j = 0; j < count; j++) rigidBindInto(bindMatrices, 16 * j, binds, inverses, 16 * j);
  const local = new Float64Array(16);
  const still = Float64Array.of(0, 0, 0);
  const ones = Float64Array.of(1, 1, 1);
  return {
    poseInto(rotations, bones, at = 0) {
      for (let j = 0; j < count; j++) {
        const o = at + 16 * j;
        const isTurned = rotations[4 * j] !== 0 || rotations[4 * j + 1] !== 0 || rotations[4 * j + 2] !== 0;
        if (isTurned) {
          compose(still, rotations, ones, local, 0, 4 * j);
          multiply(binds, local, local, 16 * j);
          multiply(local, inverses, local, 0, 16 * j);
        } else {
          // exactly the rest pose, without the rounding of B B⁻¹
          local.fill(0);
          local[0] = local[5] = local[10] = local[15] = 1;
        }
        if (parents[j] < 0) bones.set(local, o);
        else multiply(bones, local, bones, at + 16 * parents[j], 0, o);
      }
    },
  };
}
