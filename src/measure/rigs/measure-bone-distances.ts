// SPDX-License-Identifier: MIT
// Distances between two skeletons as papers on networks print them (Z. Xu, Y. Zhou, E. Kalogerakis, C. Landreth and K. Singh, "RigNet: neural rigging for articulated characters", ACM Transactions on Graphics 39(4), 2020,
// §7; UniRig uses the same). A bone is the segment from a joint to its parent. Each is the mean of both directions:
//   CD-J2J  mean distance of a joint from the nearest joint of the other skeleton
//   CD-J2B  … from the nearest bone of the other skeleton
//   CD-B2B  mean distance of points on a bone from the nearest bone of the other skeleton

/** Points per bone. */
const SAMPLES = 20;

/** A skeleton as points and segments. */
export interface Sticks {
  /** jointCount x 3 */
  positions: Float64Array;
  /** jointCount: -1 for a root */
  parents: ArrayLike<number>;
}

/** Distances of two skeletons, in their unit. */
export interface BoneDistances {
  jointToJoint: number;
  jointToBone: number;
  boneToBone: number;
}

/** Measures the distances of two skeletons; a skeleton without bones counts as its joints. */
export function measureBoneDistances(a: Sticks, b: Sticks): BoneDistances {
  const [first, second] = [listSegments(a), listSegments(b)];
  const both = (from: ArrayLike<number>, to: Float64Array, back: ArrayLike<number>, own: Float64Array): number =>
    (meanFrom(from, to) + meanFrom(back, own)) / 2;
  return {
    jointToJoint: both(a.positions, asSegments(b.positions), b.positions, asSegments(a.positions)),
    jointToBone: both(a.positions, second, b.positions, first),
    boneToBone: both(samplePoints(first), second, samplePoints(second), first),
  };
}

/** Mean distance of points from the nearest of some points: count x 3 each. */
export function meanDistance(from: ArrayLike<number>, to: Float64Array): number {
  return meanFrom(from, asSegments(to));
}

function meanFrom(points: ArrayLike<number>, segments: Float64Array): number {
  let sum = 0;
  for (let o = 0; o < points.length; o += 3) {
    let least = Number.POSITIVE_INFINITY;
    for (let s = 0; s < segments.length; s += 6) least = Math.min(least, squareFrom(points, o, segments, s));
    sum += Math.sqrt(least);
  }
  return points.length > 0 ? (3 * sum) / points.length : 0;
}

/** Squared distance of a point from a segment. */
function squareFrom(p: ArrayLike<number>, o: number, segments: Float64Array, s: number): number {
  let along = 0;
  let square = 0;
  for (let r = 0; r < 3; r++) {
    const way = segments[s + 3 + r] - segments[s + r];
    along += (p[o + r] - segments[s + r]) * way;
    square += way * way;
  }
  const t = square > 0 ? Math.max(0, Math.min(1, along / square)) : 0;
  let sum = 0;
  for (let r = 0; r < 3; r++) sum += (p[o + r] - segments[s + r] - t * (segments[s + 3 + r] - segments[s + r])) ** 2;
  return sum;
}

/** segments x 6: both ends */
function listSegments({ positions, parents }: Sticks): Float64Array {
  const ends: number[] = [];
  for (let n = 0; n < parents.length; n++) {
    const p = 3 * parents[n];
    if (p >= 0) ends.push(...positions.subarray(p, p + 3), ...positions.subarray(3 * n, 3 * n + 3));
  }
  return ends.length > 0 ? Float64Array.from(ends) : asSegments(positions);
}

function asSegments(positions: Float64Array): Float64Array {
  const ends = new Float64Array(2 * positions.length);
  for (let o = 0; o < positions.length; o += 3)
    for (let r = 0; r < 3; r++) ends[2 * o + r] = ends[2 * o + 3 + r] = positions[o + r];
  return ends;
}

function samplePoints(segments: Float64Array): Float64Array {
  const points: number[] = [];
  for (let s = 0; s < segments.length; s += 6)
    for (let n = 0; n < SAMPLES; n++)
      for (let r = 0; r < 3; r++)
        points.push(segments[s + r] + ((n + 0.5) / SAMPLES) * (segments[s + 3 + r] - segments[s + r]));
  return Float64Array.from(points);
}
