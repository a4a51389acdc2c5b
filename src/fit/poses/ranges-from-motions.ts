// SPDX-License-Identifier: MIT

import { invertAffine, multiply } from '../../core/math/mat4.ts';
import { nearestRotationInto } from '../../core/math/rotation.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import { InputError } from '../../core/model/errors.ts';
import { boneCountOf, type Skeleton } from '../../core/model/skin/skeleton.ts';
import type { JointRange, Range } from './ranges-of-motion.ts';

/** Minimum half range of a joint, radians: a joint that does not move in one clip may move in another. Not tuned. */
const MIN_HALF_RANGE = (5 * Math.PI) / 180;

/**
 * Measures the ranges of joints in motions: per joint and frame M̄ = B⁻¹ (M_parent⁻¹ M) B, as angles of Rx Ry Rz and a translation, lowest and highest.
 * The bind pose is always included. Roots have rotations but no translation, because translating the whole model does not change its shape.
 * @example
 * ```ts
 * import { rangesFromMotions } from 'ossify';
 *
 * const [hips] = rangesFromMotions(model.skeleton, model.motions);
 * const [low, high] = hips.rotation[0].map((angle) => (angle * 180) / Math.PI);
 * ```
 */
export function rangesFromMotions(skeleton: Skeleton, motions: readonly Motion[]): JointRange[] {
  const boneCount = boneCountOf(skeleton);
  const frames = motions.reduce((sum, motion) => sum + motion.times.length, 0);
  if (frames === 0) throw new InputError('ranges of motion', "'auto' needs an animation with at least one frame");
  /** boneCount x 6: low ends, and high ends, of three angles and three translations */
  const low = new Float64Array(boneCount * 6);
  const high = new Float64Array(boneCount * 6);
  const binds = new Float64Array(boneCount * 16);
  const inverses = new Float64Array(boneCount * 16);
  for (let j = 0; j < boneCount; j++) rigidBindInto(skeleton.bindMatrices, 16 * j, binds, inverses, 16 * j);
  const a = new Float64Array(16);
  const b = new Float64Array(16);
  const values = new Float64Array(6);
  for (const motion of motions) {
    const stride = boneCount * 16;
    if (motion.matrices.length !== motion.times.length * stride)
      throw new InputError(
        'ranges of motion',
        `the motion "${motion.name}" has another number of bones than the skeleton`,
      );
    for (let k = 0; k < motion.times.length; k++) {
      for (let j = 0; j < boneCount; j++) {
        const parent = skeleton.parents[j];
        if (parent >= 0 && invertAffine(motion.matrices, a, k * stride + 16 * parent, 0)) {
          multiply(a, motion.matrices, b, 0, k * stride + 16 * j);
        } else {
          b.set(motion.matrices.subarray(k * stride + 16 * j, k * stride + 16 * j + 16));
        }
        multiply(inverses, b, a, 16 * j, 0);
        multiply(a, binds, b, 0, 16 * j);
        anglesInto(b, values);
        for (let c = 0; c < 3; c++) values[3 + c] = parent >= 0 ? b[12 + c] : 0;
        for (let c = 0; c < 6; c++) {
          low[6 * j + c] = Math.min(low[6 * j + c], values[c]);
          high[6 * j + c] = Math.max(high[6 * j + c], values[c]);
        }
      }
    }
  }
  const rangeAt = (n: number, min: number): Range => [Math.min(low[n], -min), Math.max(high[n], min)];
  return Array.from({ length: boneCount }, (_, j) => ({
    rotation: [rangeAt(6 * j, MIN_HALF_RANGE), rangeAt(6 * j + 1, MIN_HALF_RANGE), rangeAt(6 * j + 2, MIN_HALF_RANGE)],
    translation: [rangeAt(6 * j + 3, 0), rangeAt(6 * j + 4, 0), rangeAt(6 * j + 5, 0)],
  }));
}

/** A bind matrix without its scale, and its inverse: example poses rotate joints, so only position and orientation matter. */
export function rigidBindInto(
  binds: ArrayLike<number>,
  o: number,
  out: Float64Array,
  inverse: Float64Array,
  outOffset: number,
): void {
  const linear = new Float64Array(9);
  for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) linear[3 * c + r] = binds[o + 4 * c + r];
  nearestRotationInto(linear, linear);
  out.fill(0, outOffset, outOffset + 16);
  for (let c = 0; c < 3; c++) {
    for (let r = 0; r < 3; r++) out[outOffset + 4 * c + r] = linear[3 * c + r];
    out[outOffset + 12 + c] = binds[o + 12 + c];
  }
  out[outOffset + 15] = 1;
  invertAffine(out, inverse, outOffset, outOffset);
}

/** Angles x, y, z of the rotation Rx Ry Rz in a matrix: R = [cy cz, −cy sz, sy; …; …, −sx cy, cx cy]. */
function anglesInto(m: Float64Array, out: Float64Array): void {
  const sin = Math.max(-1, Math.min(1, m[8]));
  out[1] = Math.asin(sin);
  if (Math.abs(sin) < 1 - 1e-9) {
    out[0] = Math.atan2(-m[9], m[10]);
    out[2] = Math.atan2(-m[4], m[0]);
  } else {
    // gimbal lock: x and z have the same axis, and x gets the whole angle
    out[0] = Math.atan2(m[6], m[5]);
    out[2] = 0;
  }
}
