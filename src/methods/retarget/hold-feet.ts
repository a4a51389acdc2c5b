// SPDX-License-Identifier: MIT
// Feet of the target while they stand. The target first plays the plain transfer; then, for each leg and each interval in which the source's foot stands, the contact point (the ball of the foot, else the ankle) gets a goal:
//   horizontally  the mean of where the plain transfer has it in the interval
//   vertically    its height at rest, plus the scaled height of the source's above its own height at rest
// The difference g(k) between goal and plain place is interpolated linearly between intervals, and fades out before the first and after the last one. In each frame the ankle moves by g, the foot keeps its rotation, and thigh and
// shin bend (bend-limb.ts). The hips come down where a standing foot is out of reach, smoothly. A foot in the air never goes below its height at rest.

import type { Plant } from './find-plants.ts';
import type { RestRig } from './rest-rig.ts';

/** A leg of both rigs. Front legs of quadrupeds are legs too. */
export interface Leg {
  /** Slots of the upper and the middle joint and of the end: `thigh.left` … */
  slots: readonly [string, string, string];
  /** Nodes of the target. */
  upper: number;
  middle: number;
  end: number;
  /** The node whose place is held: the ball of the foot or the end. */
  contact: number;
  /** The same in the source. */
  from: number;
}

const LEGS = [
  ['thigh', 'shin', 'foot', 'toes'],
  ['upperArm', 'lowerArm', 'hand', 'toes.1'],
] as const;

/** Legs that both rigs have. Arms count as legs of quadrupeds. */
export function listLegs(source: RestRig, target: RestRig, isQuadruped: boolean): Leg[] {
  return (['left', 'right'] as const).flatMap((side) =>
    LEGS.slice(0, isQuadruped ? 2 : 1).flatMap(([upper, middle, end, toes]): Leg[] => {
      const slots = [`${upper}.${side}`, `${middle}.${side}`, `${end}.${side}`] as const;
      const [a, b, c] = slots.map((slot) => target.slots.get(slot)?.[0]);
      const sourceEnd = source.slots.get(slots[2])?.[0] ?? source.slots.get(slots[1])?.[0];
      if (a === undefined || b === undefined || c === undefined || sourceEnd === undefined) return [];
      const [name, chain] = toes.split('.');
      const ball = `${name}.${side}${chain ? `.${chain}` : ''}`;
      const [own, from] = [target.slots.get(ball)?.[0], source.slots.get(ball)?.[0]];
      const hasBall = own !== undefined && from !== undefined;
      return [{ slots, upper: a, middle: b, end: c, contact: hasBall ? own : c, from: hasBall ? from : sourceEnd }];
    }),
  );
}

/** Seconds in which a correction fades. */
const FADE = 0.2;

export interface FootGoals {
  /** By frame x 3: difference to the plain transfer */
  shift: Float64Array;
  /** By frame: 1 where the foot stands. */
  stands: Uint8Array;
}

/**
 * @param plain frameCount x 3: the contact point in the plain transfer
 * @param heights frameCount: height that the contact point should have
 */
export function planFoot(
  plain: Float64Array,
  heights: Float64Array,
  plants: readonly Plant[],
  times: ArrayLike<number>,
): FootGoals {
  const count = times.length;
  const shift = new Float64Array(3 * count);
  const stands = new Uint8Array(count);
  for (const { first, last } of plants) {
    const n = last - first + 1;
    let [x, z] = [0, 0];
    for (let k = first; k <= last; k++) {
      x += plain[3 * k] / n;
      z += plain[3 * k + 2] / n;
    }
    for (let k = first; k <= last; k++) {
      stands[k] = 1;
      shift[3 * k] = x - plain[3 * k];
      shift[3 * k + 1] = heights[k] - plain[3 * k + 1];
      shift[3 * k + 2] = z - plain[3 * k + 2];
    }
  }
  fillGaps(shift, stands, times);
  return { shift, stands };
}

/** Between intervals: from the last value of one to the first of the next, or to zero and back if they are far apart. */
function fillGaps(shift: Float64Array, stands: Uint8Array, times: ArrayLike<number>): void {
  const count = times.length;
  for (let k = 0; k < count; k++) {
    if (stands[k]) continue;
    let [before, after] = [k - 1, k + 1];
    while (before >= 0 && !stands[before]) before--;
    while (after < count && !stands[after]) after++;
    const weightOf = (at: number): number =>
      at < 0 || at >= count ? 0 : smooth(1 - Math.abs(times[at] - times[k]) / FADE);
    const span = after < count && before >= 0 ? times[after] - times[before] : Infinity;
    const near = span < 2 * FADE ? (times[k] - times[before]) / span : undefined;
    for (let c = 0; c < 3; c++) {
      const [a, b] = [before >= 0 ? shift[3 * before + c] : 0, after < count ? shift[3 * after + c] : 0];
      shift[3 * k + c] = near === undefined ? weightOf(before) * a + weightOf(after) * b : a + (b - a) * smooth(near);
    }
  }
}

function smooth(t: number): number {
  const x = Math.min(1, Math.max(0, t));
  return x * x * (3 - 2 * x);
}
