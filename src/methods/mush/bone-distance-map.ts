// SPDX-License-Identifier: MIT
// "Per-vertex smoothing weights are set proportional to the distance from the vertex to the bone, to approximately represent the radius of each
// body part" (Le & Lewis 2019, Table 2). The papers give no scale. The scale here was chosen by hand for a person: full strength at 0.114 of the height (20 cm of 1.75 m).
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';

/** Distance from the bone at which smoothing reaches full strength, relative to the model's height. */
const FULL_DISTANCE = 0.114;
/** Minimum factor, so that fingers and points near a bone are still smoothed a little. */
const MIN_FACTOR = 0.02;

export interface BoneDistanceOptions {
  /** Height of the model, file units. Default: the longest side of its box. */
  height?: number;
}

/**
 * A factor per point for the smoothing strengths: clamp(distance to the bone's segment / (0.114 x height), 0.02, 1).
 * The segments of a bone go from its joint to the joints of its children. A bone without children continues in the direction of its parent, as far as its points.
 * @param positions pointCount x 3
 * @param boneOfPoint pointCount: the bone each point is bound to
 */
export function boneDistanceMap(
  positions: ArrayLike<number>,
  skeleton: Skeleton,
  boneOfPoint: Uint32Array,
  options: BoneDistanceOptions = {},
): Float64Array {
  const { min, max } = measureBounds(positions);
  const height = options.height ?? Math.max(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
  const full = FULL_DISTANCE * height;
  const segments = listSegments(positions, skeleton, boneOfPoint);
  const factors = new Float64Array(boneOfPoint.length);
  for (let i = 0; i < factors.length; i++) {
    let nearest = Number.POSITIVE_INFINITY;
    for (const end of segments[boneOfPoint[i]]) {
      nearest = Math.min(nearest, squaredDistance(positions, 3 * i, skeleton.bindMatrices, 16 * boneOfPoint[i], end));
    }
    const factor = full > 0 ? Math.sqrt(nearest) / full : 1;
    factors[i] = Math.min(1, Math.max(MIN_FACTOR, factor));
  }
  return factors;
}

type Point = [number, number, number];

/** Per bone, the ends of its segments. */
function listSegments(positions: ArrayLike<number>, skeleton: Skeleton, boneOfPoint: Uint32Array): Point[][] {
  const { parents, bindMatrices } = skeleton;
  const originOf = (j: number): Point => [
    bindMatrices[16 * j + 12],
    bindMatrices[16 * j + 13],
    bindMatrices[16 * j + 14],
  ];
  const ends: Point[][] = skeleton.names.map(() => []);
  parents.forEach((parent, j) => {
    if (parent >= 0) ends[parent].push(originOf(j));
  });
  const reach = new Float64Array(parents.length);
  const directions = ends.map((known, j): Point | undefined => {
    if (known.length > 0 || parents[j] < 0) return undefined;
    const a = originOf(parents[j]);
    const b = originOf(j);
    const length = Math.sqrt((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 + (b[2] - a[2]) ** 2);
    return length > 0 ? [(b[0] - a[0]) / length, (b[1] - a[1]) / length, (b[2] - a[2]) / length] : undefined;
  });
  for (let i = 0; i < boneOfPoint.length; i++) {
    const j = boneOfPoint[i];
    const d = directions[j];
    if (!d) continue;
    const o = 16 * j + 12;
    const along =
      d[0] * (positions[3 * i] - bindMatrices[o]) +
      d[1] * (positions[3 * i + 1] - bindMatrices[o + 1]) +
      d[2] * (positions[3 * i + 2] - bindMatrices[o + 2]);
    reach[j] = Math.max(reach[j], along);
  }
  return ends.map((known, j) => {
    if (known.length > 0) return known;
    const [x, y, z] = originOf(j);
    const d = directions[j] ?? [0, 0, 0];
    return [[x + reach[j] * d[0], y + reach[j] * d[1], z + reach[j] * d[2]]];
  });
}

/** Squared distance of a point to the segment from the origin of a bind matrix to an end. */
function squaredDistance(p: ArrayLike<number>, o: number, m: Float64Array, j: number, end: Point): number {
  const ax = m[j + 12],
    ay = m[j + 13],
    az = m[j + 14];
  const dx = end[0] - ax,
    dy = end[1] - ay,
    dz = end[2] - az;
  const px = p[o] - ax,
    py = p[o + 1] - ay,
    pz = p[o + 2] - az;
  const square = dx * dx + dy * dy + dz * dz;
  const t = square > 0 ? Math.min(1, Math.max(0, (px * dx + py * dy + pz * dz) / square)) : 0;
  return (px - t * dx) ** 2 + (py - t * dy) ** 2 + (pz - t * dz) ** 2;
}
