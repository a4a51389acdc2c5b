// SPDX-License-Identifier: MIT
import { NO_TRIANGLE } from '../../core/kernels/search/nearest-points.ts';
import { findHidden } from './limbs/find-hidden.ts';
import { listAll, type PlacedSurface, pointsOf, refreshSurface } from './register/find-matches.ts';
import type { NearestFound } from './register/surface-search.ts';

/** Distance within which a point is covered, relative to the box diagonal. */
const NEAR = 0.005;
/** Normals of a covered point and of the other surface differ by less than a right angle. */
const MIN_COSINE = 0;

/** The part of the area of two surfaces that is near the other one: the smaller of both directions, 0 to 1. Points of the template that are hidden and not shown by the frame do not count. */
export async function measureCoverage(template: PlacedSurface, frame: PlacedSurface): Promise<number> {
  refreshSurface(template);
  const isHidden = await findHidden(template);
  const limits = { minCosine: MIN_COSINE, maxDistance: NEAR };
  const [forward, backward] = await frame.search.searchBoth(
    pointsOf(template, listAll(template)),
    template.search,
    pointsOf(frame, listAll(frame)),
    limits,
  );
  return Math.min(coveredPart(template, forward, isHidden), coveredPart(frame, backward));
}

function coveredPart(
  { surface: { areas } }: PlacedSurface,
  { triangles }: NearestFound,
  isHidden?: Uint8Array,
): number {
  let [covered, total] = [0, 0];
  for (let i = 0; i < areas.length; i++) {
    const isCovered = triangles[i] !== NO_TRIANGLE;
    if (isCovered) covered += areas[i];
    if (isCovered || isHidden?.[i] !== 1) total += areas[i];
  }
  return total > 0 ? covered / total : 0;
}
