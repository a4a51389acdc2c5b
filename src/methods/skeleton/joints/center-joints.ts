// SPDX-License-Identifier: MIT
// The position of a joint along a direction that the motion does not determine. A hinge may be anywhere on its axis, and the center of the blend of its two bones is too close to the
// surface: a hip has surface on its outer side only. Along the free direction, a joint keeps the radius of its limb as the minimum distance from the surface on both
// sides; if the body is thinner, the joint is in the middle. A limb widens towards a thicker parent, as thighs do, so its joint keeps a larger distance.
//
// The radius of a limb follows from the moments of its bone: on the surface of a tube the sum of the two smaller variances is the squared radius.
//
// WIDENS and THICKER were chosen on the hips of generated creatures (samples/creatures/creature.ts), whose joints are known; the other constants by hand.

import { eigenSymmetric, eigenValues } from '../../../core/algebra/eigen-symmetric.ts';
import { pairOffset } from '../../../core/kernels/bones/skin-moments.ts';
import { SYM4_11, SYM4_FIRST, SYM4_INDEX } from '../../../core/math/sym4.ts';
import { isInside } from '../place/place-inside.ts';
import type { WindingNumber } from '../place/winding-number.ts';
import type { JointTree } from './joint-tree.ts';
import type { JointSprings } from './strict-joints.ts';

/** A direction is free if the curvature of the error along it is below this ratio of the next larger curvature. */
const FREE = 0.1;
/** Factor on the radius of a limb if the radius of its parent is at least THICKER times larger. */
const WIDENS = 1.4;
const THICKER = 1.5;
/** Step along a free direction, and maximum distance of the first point inside, relative to the radius: farther away is another limb. */
const STEP = 0.1;
const NEAREST = 2;
/** Maximum distance of the ends of the interval inside, relative to the radius. */
const FARTHEST = 4;

/**
 * The displacement of each joint's anchor: boneCount x 3. The springs contain the blocks of H and the anchors.
 * @param pairs moments of the fit: boneCount x boneCount x 10
 */
export function centerJoints(
  tree: JointTree,
  springs: JointSprings,
  pairs: Float64Array,
  winding: WindingNumber,
): Float64Array {
  const { boneCount, parents } = tree;
  const shifts = new Float64Array(3 * boneCount);
  for (let a = 0; a < boneCount; a++) {
    if (parents[a] < 0) continue;
    const { values, vectors } = eigenSymmetric(springs.blocks.subarray(9 * a, 9 * a + 9), 3);
    if (!(values[2] < FREE * values[1])) continue;
    const way = vectors.subarray(6, 9);
    // perpendicular to the axis the joint is at its solved position; along the axis it starts at its anchor
    const along = [0, 1, 2].reduce((sum, r) => sum + (springs.anchors[3 * a + r] - tree.joints[3 * a + r]) * way[r], 0);
    const from = [0, 1, 2].map((r) => tree.joints[3 * a + r] + along * way[r]);
    const radii = [a, parents[a]].map((j) => measureRadius(pairs, boneCount, j)).sort((p, q) => p - q);
    const radius = radii[0] * (radii[1] > THICKER * radii[0] ? WIDENS : 1);
    const shift = findShift(from, way, radius, winding);
    for (let r = 0; r < 3; r++) shifts[3 * a + r] = shift * way[r];
  }
  return shifts;
}

/** The displacement along a line after which both ends of the interval inside are at least a radius away. */
function findShift(from: number[], way: Float64Array, radius: number, winding: WindingNumber): number {
  if (!(radius > 0)) return 0;
  const isFlesh = (t: number): boolean =>
    isInside(winding, from[0] + t * way[0], from[1] + t * way[1], from[2] + t * way[2]);
  const step = STEP * radius;
  // the nearest point inside, then the interval around it
  let start = Number.NaN;
  for (let n = 0; n * STEP <= NEAREST && Number.isNaN(start); n++) {
    if (isFlesh(n * step)) start = n * step;
    else if (isFlesh(-n * step)) start = -n * step;
  }
  if (Number.isNaN(start)) return 0;
  let low = start;
  let high = start;
  const lower = (): boolean => {
    const isFree = start - low < FARTHEST * radius && isFlesh(low - step);
    if (isFree) low -= step;
    return isFree;
  };
  const raise = (): boolean => {
    const isFree = high - start < FARTHEST * radius && isFlesh(high + step);
    if (isFree) high += step;
    return isFree;
  };
  // the ends matter only up to a radius on each side, or until both are two radii apart
  let isLowest = false;
  let isHighest = false;
  while (!isHighest && high < radius) isHighest = !raise();
  while (!isLowest && low > -radius) isLowest = !lower();
  while (high - low <= 2 * radius && !(isLowest && isHighest)) {
    isHighest ||= !raise();
    isLowest ||= !lower();
  }
  if (high - low <= 2 * radius) return (low + high) / 2;
  return Math.max(low + radius, Math.min(0, high - radius));
}

/** boneCount: the radius of the thinner of the two limbs that meet at each joint; 0 for the root. */
export function measureLimbs({ boneCount, parents }: JointTree, pairs: Float64Array): Float64Array {
  const own = Float64Array.from({ length: boneCount }, (_, j) => measureRadius(pairs, boneCount, j));
  return own.map((radius, a) => (parents[a] < 0 ? 0 : Math.min(radius, own[parents[a]])));
}

/** √(λ₂ + λ₃) of the covariance of the points of a bone. */
function measureRadius(pairs: Float64Array, boneCount: number, bone: number): number {
  const o = pairOffset(boneCount, bone, bone);
  const weight = pairs[o + SYM4_11];
  if (!(weight > 0)) return 0;
  const mean = SYM4_FIRST.map((n) => pairs[o + n] / weight);
  const spread = new Float64Array(9);
  for (let r = 0; r < 3; r++)
    for (let s = 0; s < 3; s++) spread[3 * r + s] = pairs[o + SYM4_INDEX[r][s]] / weight - mean[r] * mean[s];
  const values = eigenValues(spread, 3);
  return Math.sqrt(Math.max(0, values[1]) + Math.max(0, values[2]));
}
