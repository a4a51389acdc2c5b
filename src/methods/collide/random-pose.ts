// SPDX-License-Identifier: MIT
import { compose, invertAffine, makeIdentities, multiply } from '../../core/math/mat4.ts';
import { normalizeQuaternion } from '../../core/math/quaternion.ts';
import type { Random } from '../../core/math/random.ts';
import type { Pose } from '../../core/model/deformed/deformer.ts';
import { coefficientCountOf } from '../../core/model/deformed/skin-correction.ts';
import type { CollisionModel } from './collision-tree.ts';

/** Options of randomPose. */
export interface RandomPoseOptions {
  /** Turn of each joint relative to its parent: 0 for none, 1 for about a radian. */
  turn: number;
  /** Change of the scale of each joint along each of its axes, a ratio. */
  stretch: number;
}

/** A random pose of a model, for tests and benchmarks of collisions: joints turned about their bind positions, and coefficients in [-1, 1]. */
export function randomPose(model: CollisionModel, random: Random, { turn, stretch }: RandomPoseOptions): Pose {
  const { parents, bindMatrices } = model.skeleton;
  const bones = makeIdentities(parents.length);
  const local = new Float64Array(16);
  const inverse = new Float64Array(16);
  for (let j = 0; j < parents.length; j++) {
    const rotation = randomQuaternion(random, turn);
    const scale = [0, 1, 2].map(() => 1 + stretch * (2 * random.next() - 1));
    compose([0, 0, 0], rotation, scale, local);
    const bind = bindMatrices.subarray(16 * j, 16 * j + 16);
    invertAffine(bind, inverse);
    multiply(local, inverse, local);
    multiply(bind, local, bones, 0, 0, 16 * j);
    if (parents[j] >= 0) multiply(bones, bones, bones, 16 * parents[j], 16 * j, 16 * j);
  }
  if (model.kind !== 'corrected-skin') return { bones };
  const count = coefficientCountOf(model.correction);
  return { bones, corrections: Float32Array.from({ length: count }, () => 2 * random.next() - 1) };
}

/** A random rigid matrix: any rotation, and a translation of at most reach along each axis. */
export function randomPlace(random: Random, reach: number): Float64Array {
  const world = new Float64Array(16);
  const translation = [0, 1, 2].map(() => reach * (2 * random.next() - 1));
  compose(translation, randomQuaternion(random, 10), [1, 1, 1], world);
  return world;
}

function randomQuaternion(random: Random, turn: number): Float64Array {
  const q = Float64Array.of(turn * random.normal(), turn * random.normal(), turn * random.normal(), 2);
  normalizeQuaternion(q, q);
  return q;
}
