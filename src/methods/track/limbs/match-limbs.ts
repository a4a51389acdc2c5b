// SPDX-License-Identifier: MIT
// Pairs the limbs of the template with those of a frame.
//
// Limbs that move farther than the distance between them are lost by matches of near points: two legs follow one, and another has none. As wholes they are told apart by where they are attached, by their thickness, and because
// each can be taken only once: the cost of a pair is the mean square distance between the centers of their rings, weighted towards the body, plus γ² times the mean square logarithm of the ratio of ring areas. The pairs with
// the smallest sum of costs are used (assign-pairs.ts); a limb may stay alone, at the cost of a large distance: it may be hidden, or fused with the body.
import { assignPairs } from '../solve/assign-pairs.ts';
import { centerRings, type Limb } from './find-limbs.ts';

/** Distance above which a limb has no pair, relative to the box diagonal. */
const MAX_DISTANCE = 0.3;
/** Length γ that counts as much as areas that differ by a factor of e, relative to the box diagonal. */
const AREA_SCALE = 0.1;

/** A surface at some positions, with its limbs. */
export interface LimbedSurface {
  limbs: readonly Limb[];
  /** pointCount x 3 */
  positions: Float64Array;
  /** pointCount */
  areas: Float64Array;
}

/** For each limb of the template the index of a limb of the frame; -1: none. */
export type LimbPairs = Int32Array;

/** Pairs limbs. */
export function matchLimbs(template: LimbedSurface, frame: LimbedSurface): LimbPairs {
  const own = listCenters(template);
  const others = listCenters(frame);
  if (own.length === 0) return new Int32Array(0);
  // one more column for each limb: to stay alone
  const columnCount = others.length + own.length;
  const costs = new Float64Array(own.length * columnCount).fill(MAX_DISTANCE ** 2);
  for (const [n, centers] of own.entries())
    for (const [m, other] of others.entries()) costs[n * columnCount + m] = measureCost(centers, other);
  return Int32Array.from(assignPairs(costs, own.length, columnCount), (m) => (m < others.length ? m : -1));
}

/** The largest root mean square distance between the ring centers of two paired limbs. */
export function measureLimbGap(template: LimbedSurface, frame: LimbedSurface, pairs: LimbPairs): number {
  const own = listCenters(template);
  const others = listCenters(frame);
  let largest = 0;
  for (const [n, m] of pairs.entries()) {
    if (m < 0) continue;
    let [sum, count] = [0, 0];
    forRings(own[n], others[m], (square) => {
      sum += square;
      count++;
    });
    largest = Math.max(largest, Math.sqrt(sum / Math.max(1, count)));
  }
  return largest;
}

function listCenters({ limbs, positions, areas }: LimbedSurface): Float64Array[] {
  return limbs.map((limb) => centerRings(limb, positions, areas));
}

function measureCost(a: Float64Array, b: Float64Array): number {
  const count = Math.min(a.length, b.length) / 4;
  let [sum, total] = [0, 0];
  forRings(a, b, (square, ratio, r) => {
    // the root of a limb moves less than its tip
    const weight = ((r + 1) / count) ** 2;
    sum += weight * (square + (AREA_SCALE * Math.log(ratio)) ** 2);
    total += weight;
  });
  return total > 0 ? sum / total : MAX_DISTANCE ** 2;
}

/** Calls a function with the square distance and the ratio of areas of each ring that both limbs have. */
function forRings(a: Float64Array, b: Float64Array, call: (square: number, ratio: number, ring: number) => void): void {
  for (let o = 0; o < Math.min(a.length, b.length); o += 4) {
    if (!(a[o + 3] > 0 && b[o + 3] > 0)) continue;
    const square = (a[o] - b[o]) ** 2 + (a[o + 1] - b[o + 1]) ** 2 + (a[o + 2] - b[o + 2]) ** 2;
    call(square, a[o + 3] / b[o + 3], o / 4);
  }
}
