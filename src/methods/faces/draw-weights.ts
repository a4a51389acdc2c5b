// SPDX-License-Identifier: MIT
import { makeRandom } from '../../core/math/random.ts';

/** Mean number of shapes in a drawn pose: an expression of a face uses about ten of fifty-two. */
const ACTIVE = 10;

/** Random weights of shapes: each is used with the same probability, ten per pose on average, with a weight in [0, 1]. Returns poses x shapeCount. */
export function drawWeights(shapeCount: number, poses: number, seed: number): Float32Array {
  const random = makeRandom(seed);
  const part = Math.min(1, ACTIVE / shapeCount);
  return Float32Array.from({ length: poses * shapeCount }, () => {
    const isUsed = random.next() < part;
    const weight = random.next();
    return isUsed ? weight : 0;
  });
}
