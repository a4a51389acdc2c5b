// SPDX-License-Identifier: MIT
import { NO_TRIANGLE } from '../kernels/nearest-points.ts';
import { findHidden } from './find-hidden.ts';
import { listAll, type PlacedSurface, pointsOf, refreshSurface } from './find-matches.ts';

/** Distance within which a point is covered, relative to the box diagonal. */
const NEAR = 0.005;
/** Normals of a covered point and of the other surface differ by less than a right angle. */
const MIN_COSINE = 0;

/** The part of the area of two surfaces that is near the other one: the smaller of both directions, 0 to 1. Hidden points of the template do not count. */
export async function measureCoverage(template: PlacedSurface, frame: PlacedSurface): Promise<number> {
  refreshSurface(template);
  const isHidden = await findHidden(template);
  const [own, others] = [listAll(template).filter((i) => isHidden[i] === 0), listAll(frame)];
  const [forward, backward] = await frame.search.searchBoth(
    pointsOf(template, own),
    template.search,
    pointsOf(frame, others),
    { minCosine: MIN_COSINE, maxDistance: NEAR },
  );
  return Math.min(coveredOf(template, own, forward.triangles), coveredOf(frame, others, backward.triangles));
}

function coveredOf({ surface: { areas } }: PlacedSurface, points: Uint32Array, triangles: Uint32Array): number {
  let [covered, total] = [0, 0];
  for (const [n, i] of points.entries()) {
    total += areas[i];
    if (triangles[n] !== NO_TRIANGLE) covered += areas[i];
  }
  return total > 0 ? covered / total : 0;
}
