// SPDX-License-Identifier: MIT
// Whether two rigid motions are connected by a joint: the point that both move most alike (pair-joints.ts), and how far its two images are apart. Two bodies that only touch have no such point near them;
// a distant one may approximate any motion, so its distance is limited.

import { eigenSymmetric } from '../../../core/algebra/eigen-symmetric.ts';
import { SYM4_FIRST, SYM4_INDEX, SYM4_SIZE } from '../../../core/math/sym4.ts';

/** Regularization towards the given point, relative to the largest eigenvalue of Q. It is much smaller than that of pair-joints.ts: an exact joint must have no gap, also if it hardly turns about one of its axes. */
const PULL = 1e-4;

/**
 * The largest distance between the images of the joint of two rigid motions over the frames, file units; 0 for equal motions.
 * @param a frameCount x 16, column-major
 * @param b frameCount x 16
 * @param near a point near the joint at rest, which determines directions without relative motion
 * @param reach maximum distance of the joint from that point; if it is farther, the gap at the point itself is measured
 */
export function measureJointGap(a: Float64Array, b: Float64Array, near: ArrayLike<number>, reach: number): number {
  // about the given point, so that motions far from the origin lose no digits
  const gap = new Float64Array(SYM4_SIZE);
  const d = [0, 0, 0, 0];
  const rowInto = (k: number, r: number): void => {
    for (let c = 0; c < 4; c++) d[c] = a[16 * k + 4 * c + r] - b[16 * k + 4 * c + r];
    d[3] += d[0] * near[0] + d[1] * near[1] + d[2] * near[2];
  };
  const frameCount = a.length / 16;
  for (let k = 0; k < frameCount; k++) {
    for (let r = 0; r < 3; r++) {
      rowInto(k, r);
      for (let x = 0; x < 4; x++) for (let y = x; y < 4; y++) gap[SYM4_INDEX[x][y]] += d[x] * d[y];
    }
  }
  const solved = solveJoint(gap);
  const joint = Math.hypot(solved[0], solved[1], solved[2]) <= reach ? solved : [0, 0, 0];
  let largest = 0;
  for (let k = 0; k < frameCount; k++) {
    let square = 0;
    for (let r = 0; r < 3; r++) {
      rowInto(k, r);
      square += (d[0] * joint[0] + d[1] * joint[1] + d[2] * joint[2] + d[3]) ** 2;
    }
    largest = Math.max(largest, square);
  }
  return Math.sqrt(largest);
}

/** −(Q + μI)⁻¹ q of Q̃ = [Q q; qᵀ c] */
function solveJoint(gap: Float64Array): number[] {
  const q = new Float64Array(9);
  for (let x = 0; x < 3; x++) for (let y = 0; y < 3; y++) q[3 * x + y] = gap[SYM4_INDEX[x][y]];
  const { values, vectors } = eigenSymmetric(q, 3);
  const joint = [0, 0, 0];
  for (let n = 0; n < 3 && values[0] > 0; n++) {
    const v = vectors.subarray(3 * n, 3 * n + 3);
    const along = [0, 1, 2].reduce((sum, r) => sum + v[r] * gap[SYM4_FIRST[r]], 0);
    const step = along / (Math.max(0, values[n]) + PULL * values[0]);
    for (let r = 0; r < 3; r++) joint[r] -= step * v[r];
  }
  return joint;
}
