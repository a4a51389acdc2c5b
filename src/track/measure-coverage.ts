// SPDX-License-Identifier: MIT
import { NO_TRIANGLE } from '../kernels/nearest-points.ts';
import { type PlacedSurface, pointsOf, refreshSurface } from './find-matches.ts';

/** Distance within which a point is covered, relative to the box diagonal. */
const NEAR = 0.005;
/** Normals of a covered point and of the other surface differ by less than a right angle. */
const MIN_COSINE = 0;

/** The part of the area of two surfaces that is near the other one: the smaller of both directions, 0 to 1. */
export async function measureCoverage(template: PlacedSurface, frame: PlacedSurface): Promise<number> {
  refreshSurface(template);
  return Math.min(await coveredBy(template, frame), await coveredBy(frame, template));
}

async function coveredBy(own: PlacedSurface, other: PlacedSurface): Promise<number> {
  const { areas } = own.surface;
  const all = Uint32Array.from(areas, (_, i) => i);
  const { triangles } = await other.search.search(pointsOf(own, all), { minCosine: MIN_COSINE, maxDistance: NEAR });
  let [covered, total] = [0, 0];
  for (let i = 0; i < areas.length; i++) {
    total += areas[i];
    if (triangles[i] !== NO_TRIANGLE) covered += areas[i];
  }
  return total > 0 ? covered / total : 0;
}
