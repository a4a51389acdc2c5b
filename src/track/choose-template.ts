// SPDX-License-Identifier: MIT
import type { ScanSurface } from './make-scan-surface.ts';

/** Relative area that a handle or a hole costs. Parts that touch in a frame are fused there: that hides area and adds handles. */
const HANDLE_COST = 0.005;
/** Relative area that the first and the last frame cost: tracking goes outward, so that the middle has the shortest way. */
const END_COST = 0.02;

/**
 * Chooses the frame that is registered to all others: the one with the largest visible area and the fewest handles and holes, near the middle.
 * @param surfaces in the same units
 */
export function chooseTemplate(surfaces: readonly ScanSurface[]): number {
  const middle = (surfaces.length - 1) / 2;
  let best = { value: Number.NEGATIVE_INFINITY, k: 0 };
  for (const [k, surface] of surfaces.entries()) {
    const area = surface.areas.reduce((sum, a) => sum + a, 0);
    const away = middle > 0 ? Math.abs(k - middle) / middle : 0;
    const value = area * (1 - HANDLE_COST * countHandles(surface) - END_COST * away);
    if (value > best.value) best = { value, k };
  }
  return best.k;
}

/** Handles, and half of the number of holes: of V − E + F = 2 parts − 2 handles − holes. */
function countHandles({ positions, triangles, adjacency }: ScanSurface): number {
  const { rowStart, neighbours } = adjacency;
  const pointCount = positions.length / 3;
  const isSeen = new Uint8Array(pointCount);
  let parts = 0;
  for (let seed = 0; seed < pointCount; seed++) {
    if (isSeen[seed]) continue;
    parts++;
    isSeen[seed] = 1;
    for (const open = [seed]; open.length > 0; ) {
      const i = open.pop()!;
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        if (isSeen[neighbours[e]]) continue;
        isSeen[neighbours[e]] = 1;
        open.push(neighbours[e]);
      }
    }
  }
  const euler = pointCount - neighbours.length / 2 + triangles.length / 3;
  return Math.max(0, parts - euler / 2);
}
