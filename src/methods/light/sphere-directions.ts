// SPDX-License-Identifier: MIT
import { compose, transformDirections } from '../../core/math/mat4.ts';
import { normalizeQuaternion } from '../../core/math/quaternion.ts';
import { makeRandom } from '../../core/math/random.ts';
import { cosineOf, sineOf } from '../../core/math/sine.ts';

/** π (3 − √5): the turn between neighbours of a Fibonacci lattice. */
const GOLDEN_ANGLE = 2.399963229728653;
/** Rays need the inverse of every number of a direction. */
const SMALLEST = 1e-6;

/**
 * Directions that are evenly distributed over the sphere: a Fibonacci lattice, in a random orientation. They are the same in every frame and for every
 * vertex, so that light changes only where geometry does, and neighbours agree.
 * @returns count x 3, unit vectors
 */
export function makeSphereDirections(count: number, seed: number): Float64Array {
  const random = makeRandom(seed);
  const rotation = Float64Array.from({ length: 4 }, () => random.next() - 0.5);
  normalizeQuaternion(rotation, rotation);
  const turn = new Float64Array(16);
  compose([0, 0, 0], rotation, [1, 1, 1], turn);
  const out = new Float64Array(3 * count);
  for (let s = 0; s < count; s++) {
    const height = 1 - (2 * s + 1) / count;
    const radius = Math.sqrt(1 - height * height);
    out[3 * s] = radius * cosineOf(s * GOLDEN_ANGLE);
    out[3 * s + 1] = radius * sineOf(s * GOLDEN_ANGLE);
    out[3 * s + 2] = height;
  }
  transformDirections(turn, out, out, 0, 0, count);
  return out.map((x) => (Math.abs(x) < SMALLEST ? SMALLEST : x));
}
