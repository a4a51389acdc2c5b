// SPDX-License-Identifier: MIT
// The sampled rotations of a joint (Helper, §4.2): those of a uniform grid on SO(3) within the joint's range.

import { composeEuler, eulerOf } from '../../../core/math/euler.ts';
import { powerOf } from '../../../core/math/sine.ts';
import type { JointRange, Range } from '../../../fit/poses/index.ts';

/** Minimum number of rotations of the grid within the range. With fewer, a lattice of the range is used: a hinge contains no rotation of the grid. Chosen by hand. */
const FEWEST = 48;
/** Approximate number of rotations of such a lattice. */
const LATTICE = 144;
/** An axis with a smaller range, radians, is fixed. */
const STIFF = 1e-3;
const SLACK = 1e-9;

/**
 * Lists the rotations of a grid within a range: R = Rx Ry Rz with each angle between its ends. A joint with an empty range has none.
 * @param grid count x 4
 * @returns count x 4
 */
export function listJointRotations(grid: Float64Array, range: JointRange): Float64Array {
  const { rotation } = range;
  if (rotation.every(([low, high]) => Math.max(-low, high) < STIFF)) return new Float64Array(0);
  const inside: number[] = [];
  for (let o = 0; o < grid.length; o += 4)
    if (isWithin(grid, o, rotation)) inside.push(grid[o], grid[o + 1], grid[o + 2], grid[o + 3]);
  return inside.length >= 4 * FEWEST ? Float64Array.from(inside) : latticeOf(rotation);
}

/** Whether a rotation has angles in range: each has two triples of angles, (x, y, z) and (x + π, π − y, z + π). */
function isWithin(q: Float64Array, o: number, ranges: readonly [Range, Range, Range]): boolean {
  const [x, y, z] = eulerOf(q, o);
  const holds = (angle: number, [low, high]: Range): boolean => {
    const turn = 2 * Math.PI;
    const first = angle + turn * Math.ceil((low - SLACK - angle) / turn);
    return first <= high + SLACK;
  };
  const first = holds(x, ranges[0]) && holds(y, ranges[1]) && holds(z, ranges[2]);
  return first || (holds(x + Math.PI, ranges[0]) && holds(Math.PI - y, ranges[1]) && holds(z + Math.PI, ranges[2]));
}

/** An even lattice of the box of angles, ends included, the rest pose left out. */
function latticeOf(ranges: readonly [Range, Range, Range]): Float64Array {
  const widths = ranges.map(([low, high]) => high - low);
  const free = widths.filter((width) => width >= STIFF);
  const volume = free.reduce((product, width) => product * width, 1);
  const density = powerOf(LATTICE / volume, 1 / Math.max(1, free.length));
  const angles = ranges.map(([low, high], c) => {
    if (widths[c] < STIFF) return [(low + high) / 2];
    const count = Math.max(2, Math.round(widths[c] * density));
    return Array.from({ length: count }, (_, n) => low + ((high - low) * n) / (count - 1));
  });
  const out: number[] = [];
  for (const x of angles[0])
    for (const y of angles[1])
      for (const z of angles[2]) {
        const q = composeEuler(x, y, z);
        if (Math.hypot(q[0], q[1], q[2]) > SLACK) out.push(...q);
      }
  return Float64Array.from(out);
}
