// SPDX-License-Identifier: MIT

import { makeRandom } from '../../math/random.ts';
import { UsageError } from '../../model/errors.ts';

export interface FarthestPointsOptions {
  /** The first point. Default: drawn with the seed. */
  start?: number;
  seed?: number;
}

/**
 * Selects count points of a set by farthest-point sampling: each is the farthest (Euclidean) from those chosen before; ties go to the
 * smaller index. Returns distinct indices in the order chosen; all points when there are fewer than count.
 * @param positions pointCount x 3
 */
export function farthestPoints(
  positions: ArrayLike<number>,
  count: number,
  options: FarthestPointsOptions = {},
): Uint32Array {
  const pointCount = Math.floor(positions.length / 3);
  if (!(count >= 0)) throw new UsageError('farthestPoints', `count must be at least 0, got ${count}`);
  const { start } = options;
  if (start !== undefined && !(Number.isInteger(start) && start >= 0 && start < pointCount))
    throw new UsageError('farthestPoints', `start must be one of the ${pointCount} points, got ${start}`);
  const chosen = new Uint32Array(Math.min(Math.floor(count), pointCount));
  if (chosen.length === 0) return chosen;

  // Squared distance to the nearest chosen point; -1 marks chosen points, so that coincident points stay distinct.
  const nearest = new Float64Array(pointCount).fill(Number.POSITIVE_INFINITY);
  let current = start ?? makeRandom(options.seed ?? 0).below(pointCount);
  for (let n = 0; n < chosen.length; n++) {
    chosen[n] = current;
    nearest[current] = -1;
    const x = positions[3 * current];
    const y = positions[3 * current + 1];
    const z = positions[3 * current + 2];
    let farthest = -1;
    for (let i = 0; i < pointCount; i++) {
      const dx = positions[3 * i] - x;
      const dy = positions[3 * i + 1] - y;
      const dz = positions[3 * i + 2] - z;
      const d = dx * dx + dy * dy + dz * dz;
      if (d < nearest[i]) nearest[i] = d;
      if (nearest[i] > farthest) {
        farthest = nearest[i];
        current = i;
      }
    }
  }
  return chosen;
}
