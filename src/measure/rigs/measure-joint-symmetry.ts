// SPDX-License-Identifier: MIT
import { type MirrorPlane, reflectInto } from '../../core/mesh/geometry/find-mirror-plane.ts';
import { matchPoints } from './match-points.ts';

/** Maximum distance of a joint from the image of its partner, relative to the size. */
const NEAR = 0.02;

/** Ratio of points that are near the image of a point, one to one: count x 3. A point in the plane is its own partner. */
export function measureJointSymmetry(points: Float64Array, plane: MirrorPlane, size: number): number {
  const images = new Float64Array(points.length);
  for (let o = 0; o < points.length; o += 3) reflectInto(plane, points, o, images.subarray(o, o + 3));
  const matches = matchPoints(points, images, NEAR * size);
  return points.length > 0 ? (3 * matches.reduce((sum, match) => sum + Number(match >= 0), 0)) / points.length : 1;
}
