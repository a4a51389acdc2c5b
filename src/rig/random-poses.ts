// SPDX-License-Identifier: MIT
import { makeRandom } from '../math/random.ts';

/**
 * Random poses as the distortion α is measured on (Helper, §6): every joint takes one of its rotations, the others of it are as likely.
 * @param rotationsOf by joint, count x 4; joints without any stay at rest
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
