// SPDX-License-Identifier: MIT

import { type Matches, makeMatches } from '../register/find-matches.ts';
import { centerRings } from './find-limbs.ts';
import type { LimbedSurface, LimbPairs } from './match-limbs.ts';

/** Maximum points of limbs that are aimed. */
const MAX_POINTS = 1500;

/** Replaces the matches of paired limbs: each point is aimed by as much as the center of its ring is away from that of the other limb, in all directions. */
export function aimLimbs(matches: Matches, template: LimbedSurface, frame: LimbedSurface, pairs: LimbPairs): Matches {
  const shifts = listShifts(template, frame, pairs);
  const step = Math.max(1, Math.ceil(shifts.size / MAX_POINTS));
  const aimed = makeMatches(matches.count + 3 * Math.ceil(shifts.size / step));
  for (let m = 0; m < matches.count; m++) {
    const [b0, b1, b2] = matches.blends.subarray(3 * m, 3 * m + 3);
    if (shifts.has(matches.corners[3 * m + (b0 >= b1 && b0 >= b2 ? 0 : b1 >= b2 ? 1 : 2)])) continue;
    const at = aimed.count++;
    for (const key of ['corners', 'blends', 'targets', 'normals'] as const)
      for (let a = 0; a < 3; a++) aimed[key][3 * at + a] = matches[key][3 * m + a];
    aimed.weights[at] = matches.weights[m];
  }
  let n = 0;
  for (const [point, shift] of shifts) {
    if (n++ % step !== 0) continue;
    // three planes are a point
    for (let axis = 0; axis < 3; axis++) {
      const at = aimed.count++;
      aimed.corners.fill(point, 3 * at, 3 * at + 3);
      aimed.blends[3 * at] = 1;
      aimed.normals[3 * at + axis] = 1;
      for (let a = 0; a < 3; a++) aimed.targets[3 * at + a] = template.positions[3 * point + a] + shift[a];
      aimed.weights[at] = step;
    }
  }
  return aimed;
}

/** The way of each point of the paired limbs. */
function listShifts(template: LimbedSurface, frame: LimbedSurface, pairs: LimbPairs): Map<number, number[]> {
  const shifts = new Map<number, number[]>();
  for (const [n, limb] of template.limbs.entries()) {
    if (pairs[n] < 0) continue;
    const { points, rings } = limb;
    const own = centerRings(limb, template.positions, template.areas);
    const other = centerRings(frame.limbs[pairs[n]], frame.positions, frame.areas);
    for (const [p, i] of points.entries()) {
      const o = 4 * rings[p];
      if (other[o + 3] > 0) shifts.set(i, [other[o] - own[o], other[o + 1] - own[o + 1], other[o + 2] - own[o + 2]]);
    }
  }
  return shifts;
}
