// SPDX-License-Identifier: MIT
import { makeRandom } from '../../../core/math/random.ts';

/**
 * Random poses for the measurement of the distortion α (Helper, §6): every joint takes one of its rotations with equal probability.
 * @param rotationsOf by joint, count x 4; joints without rotations stay at rest
 * @returns a function that fills jointCount x 4 with the next pose
 */
export function makeRandomPoses(rotationsOf: readonly Float64Array[], seed: number): (out: Float64Array) => void {
  const random = makeRandom(seed);
  return (out) => {
    rotationsOf.forEach((list, j) => {
      const n = list.length > 0 ? random.below(list.length / 4) : -1;
      for (let c = 0; c < 4; c++) out[4 * j + c] = n >= 0 ? list[4 * n + c] : Number(c === 3);
    });
  };
}
