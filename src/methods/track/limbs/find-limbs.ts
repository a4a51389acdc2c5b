// SPDX-License-Identifier: MIT
// Finds the limbs of a surface: its extremities, and the rings of points that lead from them to the body.
//
// The mean distance along the surface to all other points (M. Hilaga, Y. Shinagawa, T. Kohmura, T. L. Kunii, "Topology matching for fully automatic similarity estimation of 3D shapes", SIGGRAPH 2001) is largest at the ends
// of limbs, and does not depend on the pose. A tip is a point where it is larger than everywhere within a radius. A limb reaches from its tip to less than half the distance to any other tip. The points of a limb at about the
// same distance from its tip are a ring around it.
import { spreadPoints } from '../solve/make-deformation-graph.ts';
import { type SurfacePaths, visitNear } from './surface-paths.ts';

/** Points from which distances are averaged. */
const SOURCES = 24;
/** Distance from a tip within which no point has a larger mean distance, relative to the box diagonal. */
const TIP_RADIUS = 0.08;
/** Maximum number of tips. */
const MAX_TIPS = 16;
/** Maximum peaks of the mean distance that are examined: a rough surface has many. */
const MAX_PEAKS = 200;
/** Length of a limb relative to the distance to the nearest other tip: limbs do not meet. */
const LENGTH = 0.45;
/** Minimum length of a limb, relative to the box diagonal. Shorter ones, such as ears, follow the body. */
const MIN_LENGTH = 0.1;
/** Maximum length of a limb, relative to the box diagonal. */
const MAX_LENGTH = 0.5;
/** Length of a ring, relative to the box diagonal. */
const RING = 0.02;

export interface Limb {
  /** Number of rings, from the tip. */
  ringCount: number;
  /** Points of the limb. */
  points: Uint32Array;
  /** The ring of each point. */
  rings: Uint16Array;
}

/**
 * Finds the limbs of a surface.
 * @param paths in units of the box diagonal
 */
export function findLimbs(paths: SurfacePaths): Limb[] {
  const tips = findTips(paths);
  return tips.flatMap((tip) => {
    const distances = measureFrom(paths, tip);
    const nearest = Math.min(...tips.filter((other) => other !== tip).map((other) => distances[other]));
    const ringCount = Math.floor(Math.min(LENGTH * nearest, MAX_LENGTH) / RING);
    if (!(ringCount * RING >= MIN_LENGTH)) return [];
    const points = Uint32Array.from(distances.keys()).filter((i) => distances[i] < ringCount * RING);
    return [{ ringCount, points, rings: Uint16Array.from(points, (i) => Math.floor(distances[i] / RING)) }];
  });
}

/** Centers and areas of the rings of a limb: ringCount x 4. A ring without points has no area. */
export function centerRings(
  { ringCount, points, rings }: Limb,
  positions: Float64Array,
  areas: Float64Array,
): Float64Array {
  const centers = new Float64Array(4 * ringCount);
  for (const [n, i] of points.entries()) {
    const o = 4 * rings[n];
    for (let a = 0; a < 3; a++) centers[o + a] += areas[i] * positions[3 * i + a];
    centers[o + 3] += areas[i];
  }
  for (let o = 0; o < centers.length; o += 4) for (let a = 0; a < 3; a++) centers[o + a] /= centers[o + 3] || 1;
  return centers;
}

function findTips(paths: SurfacePaths): number[] {
  const { rowStart, ends } = paths;
  const means = new Float64Array(rowStart.length - 1);
  const { points: sources } = spreadPoints(paths, SOURCES);
  for (const source of sources) {
    const distances = measureFrom(paths, source);
    for (let i = 0; i < means.length; i++) means[i] += distances[i] / sources.length;
  }
  /** Ties go to the smaller index. */
  const isAbove = (i: number, j: number): boolean => means[i] > means[j] || (means[i] === means[j] && i < j);
  const peaks: number[] = [];
  for (let i = 0; i < means.length; i++)
    if (ends.subarray(rowStart[i], rowStart[i + 1]).every((j) => isAbove(i, j))) peaks.push(i);
  peaks.sort((i, j) => (isAbove(i, j) ? -1 : 1));
  const near = new Float64Array(means.length).fill(Number.POSITIVE_INFINITY);
  const tips: number[] = [];
  for (const peak of peaks.slice(0, MAX_PEAKS)) {
    const visited: number[] = [];
    visitNear(paths, peak, near, TIP_RADIUS, (point) => visited.push(point));
    for (const point of visited) near[point] = Number.POSITIVE_INFINITY;
    if (visited.every((point) => point === peak || isAbove(peak, point))) tips.push(peak);
    if (tips.length === MAX_TIPS) break;
  }
  return tips;
}

function measureFrom(paths: SurfacePaths, source: number): Float64Array {
  const distances = new Float64Array(paths.rowStart.length - 1).fill(Number.POSITIVE_INFINITY);
  visitNear(paths, source, distances);
  return distances;
}
