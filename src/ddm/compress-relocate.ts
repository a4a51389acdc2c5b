// SPDX-License-Identifier: MIT
// Virtual bones that do least move to points that are served worst (§4.4 moves only bones that do next to nothing, which hardly ever happens: with 200 bones
// of a person 0 to 5 in a run). On that person moving 2% per iteration takes 37% off the error.
import type { CompressPoints } from './compress-points.ts';
import type { PointWeights } from './update-weights.ts';

/** Points this near to one that was picked are not, as a part of the model's height. */
const APART = 0.034;

export interface Move {
  bone: number;
  /** The point it moves to. */
  point: number;
}

/**
 * Pairs the bones that are cheapest to lose with the points of largest error, in that order.
 * @param removal boneCount: what all points together would lose without each bone
 * @param factors pointCount: how much each point's error counts; all 1 where absent
 */
export function chooseMoves(
  points: CompressPoints,
  fit: PointWeights,
  removal: Float64Array,
  count: number,
  factors?: Float64Array,
): Move[] {
  const order = Array.from(removal.keys()).sort((a, b) => removal[a] - removal[b] || a - b);
  const errors = fit.errors.map((error, i) => error * (factors ? factors[i] : 1));
  const reach = (APART * points.height) ** 2;
  const moves: Move[] = [];
  for (const bone of order.slice(0, count)) {
    let worst = -1;
    for (let i = 0; i < errors.length; i++) if (errors[i] > (worst < 0 ? 0 : errors[worst])) worst = i;
    if (worst < 0) break;
    moves.push({ bone, point: worst });
    for (let i = 0; i < errors.length; i++) {
      let square = 0;
      for (let c = 0; c < 3; c++) square += (points.positions[3 * i + c] - points.positions[3 * worst + c]) ** 2;
      if (square <= reach) errors[i] = 0;
    }
  }
  return moves;
}

/** Takes bones out of all weights; points that lose all are left without, and get new ones with the next update. Marks points that lost any: pointCount, 0 or 1. */
export function releaseBones(fit: PointWeights, isMoved: Uint8Array): Uint8Array {
  const { influences } = fit;
  const isChanged = new Uint8Array(fit.errors.length);
  for (let i = 0; i < fit.errors.length; i++) {
    let left = 0;
    let hasLost = false;
    for (let a = i * influences; a < (i + 1) * influences; a++) {
      if (fit.weights[a] > 0 && isMoved[fit.bones[a]] === 1) {
        fit.weights[a] = 0;
        hasLost = true;
      }
      left += fit.weights[a];
    }
    if (hasLost) isChanged[i] = 1;
    if (!hasLost || !(left > 0)) continue;
    for (let a = i * influences; a < (i + 1) * influences; a++) fit.weights[a] /= left;
  }
  return isChanged;
}
