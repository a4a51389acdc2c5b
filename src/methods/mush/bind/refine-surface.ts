// SPDX-License-Identifier: MIT
// Points between the vertices of a coarse mesh, for the smoothing alone: multi-weights are kept at the vertices.
//
// Smoothing over a length ℓ is diffusion, u(t) = exp(tΔ) u(0) with t = ℓ²/4. On edges of length h the Laplace operator is Δ + (h²/12) Δ² + …, so the error is (t h²/12) Δ²u. Across a straight border
// between two bones u is the integral of a normal distribution of variance σ² = 2t, and its fourth derivative is at most 0.55/σ⁴: the error is at most 0.046 (h/ℓ)² of the difference between the motions of
// the two bones. The share of a vertex in its cell (bind-cells.ts), an average with variance h²/6, adds (h²/12) Δu, at most 0.040 (h/ℓ)².
//
//   s     length of the shorter smoothing, that of translations: √(κ/λ) ℓ √f, with f the factor of the map
//   d     distance to the border of bones, over edges
//   h ≤ ½ max(s, d)
//
// With h = s/2 both errors are at most 1.1 % and 1.0 % of the difference of the motions; at a turn of 60° and 10 % of the height from the joint this is 0.1 % of the height. Farther from the border u is
// smoother: there, only the longer smoothing, by λ, is not constant, over ℓ = 4.5 s. Edges may therefore grow with the distance.

import type { PointBinding } from './bind-points.ts';
import { splitEdges } from './split-edges.ts';

/** Edges per length. Creature with 3,000 vertices, all triangles split twice (about 2 to 3 edges per length) and three times: the shapes differ by 0.07 % of the height at most. */
const EDGES_PER_LENGTH = 2;
/** An edge may be longer by this ratio: on regular meshes lengths are equal to multiples of one another, and rounding must not decide. */
const SLACK = 1.001;
/** Maximum number of points: the smoothing of 50,000 takes about 5 s on two cores. */
const MAX_POINTS = 60_000;
/**
 * The same relative to the points of the mesh: a little more than two midpoint subdivisions. A coarser mesh, as a fox with 290 points, stays as it is. Its edges are more than twice the length, so that values at its vertices
 * cannot show the smoothing between them: the averages of cells look better there.
 */
const MAX_GROWTH = 20;

/** The points of a mesh, followed by those between them. */
export interface SurfacePoints {
  /** pointCount x 3 */
  points: Float64Array;
  /** triangleCount x 3 points */
  triangles: Uint32Array;
  /** Weights; between the points of the mesh, interpolated. */
  own: PointBinding;
  /** addedCount x 2: the points between which each added point is in the middle; they come before it */
  ends: Uint32Array;
}

/** What follows from the points: on a refined surface it is found anew. */
export interface SurfaceTraits {
  /** pointCount: the strongest bone */
  boneOfPoint: Uint32Array;
  /** pointCount: factors on strengths; 0: held */
  factors: Float64Array;
  /** linkCount x 2: connected points of different parts */
  bridges: Uint32Array;
}

/**
 * Splits the edges that are too long for a smoothing length. Returns the given object if there are none, or if there would be too many points.
 * @param length the shorter smoothing length where the factor is one, units of the points
 */
export function refineSurface(
  surface: SurfacePoints,
  length: number,
  listTraits: (surface: SurfacePoints) => SurfaceTraits,
): SurfacePoints {
  const maxCount = Math.min(MAX_POINTS, (MAX_GROWTH * surface.points.length) / 3);
  for (let now = surface; ; ) {
    const traits = listTraits(now);
    const distances = measureBorderDistances(now, traits);
    const { ends, triangles } = splitEdges(now.points, now.triangles, (a, b, own) => {
      const short = length * Math.sqrt(Math.max(traits.factors[a], traits.factors[b]));
      return short > 0 && EDGES_PER_LENGTH * own > SLACK * Math.max(short, Math.min(distances[a], distances[b]));
    });
    if (ends.length === 0) return now;
    if (now.points.length / 3 + ends.length / 2 > maxCount) return surface;
    now = {
      points: spreadValues(now.points, ends, 3),
      triangles,
      own: spreadBinding(now.own, ends),
      ends: joinEnds(now.ends, ends),
    };
  }
}

/**
 * Values at the points of a surface, and in the middle between them.
 * @param values pointCount x width
 * @returns (pointCount + addedCount) x width
 */
export function spreadValues(values: Float64Array, ends: Uint32Array, width = 1): Float64Array {
  const out = new Float64Array(values.length + (ends.length / 2) * width);
  out.set(values);
  for (let n = 0, o = values.length; n < ends.length; n += 2)
    for (let c = 0; c < width; c++, o++) out[o] = (out[width * ends[n] + c] + out[width * ends[n + 1] + c]) / 2;
  return out;
}

function joinEnds(a: Uint32Array, b: Uint32Array): Uint32Array {
  const out = new Uint32Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

function spreadBinding(own: PointBinding, ends: Uint32Array): PointBinding {
  const pointCount = own.rowStart.length - 1;
  const rowStart = new Uint32Array(pointCount + 1 + ends.length / 2);
  rowStart.set(own.rowStart);
  const bones = [...own.boneIndices];
  const weights = [...own.weights];
  const row = new Map<number, number>();
  for (let n = 0; n < ends.length; n++) {
    for (let e = rowStart[ends[n]]; e < rowStart[ends[n] + 1]; e++)
      row.set(bones[e], (row.get(bones[e]) ?? 0) + weights[e] / 2);
    if (n % 2 === 0) continue;
    for (const [bone, weight] of [...row].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
      bones.push(bone);
      weights.push(weight);
    }
    rowStart[pointCount + (n + 1) / 2] = bones.length;
    row.clear();
  }
  return { rowStart, boneIndices: Uint32Array.from(bones), weights: Float64Array.from(weights) };
}

/** The distance of each point to the nearest triangle with different bones, over edges and bridges; infinite if it is not connected to one. */
function measureBorderDistances({ points, triangles }: SurfacePoints, traits: SurfaceTraits): Float64Array {
  const { boneOfPoint, bridges } = traits;
  const distances = new Float64Array(boneOfPoint.length).fill(Number.POSITIVE_INFINITY);
  const links: number[] = [...bridges];
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t], triangles[t + 1], triangles[t + 2]];
    links.push(a, b, b, c, c, a);
    if (boneOfPoint[a] !== boneOfPoint[b] || boneOfPoint[b] !== boneOfPoint[c])
      distances[a] = distances[b] = distances[c] = 0;
  }
  const lengths = new Float64Array(links.length / 2);
  for (let n = 0; n < lengths.length; n++) {
    const [a, b] = [3 * links[2 * n], 3 * links[2 * n + 1]];
    const [x, y, z] = [points[a] - points[b], points[a + 1] - points[b + 1], points[a + 2] - points[b + 2]];
    lengths[n] = Math.sqrt(x * x + y * y + z * z);
  }
  // sweeps in both directions: few are needed, and the shortest paths do not depend on their order
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    const relax = (n: number): void => {
      const [a, b] = [links[2 * n], links[2 * n + 1]];
      const [from, to] = distances[a] < distances[b] ? [a, b] : [b, a];
      if (!(distances[from] + lengths[n] < distances[to])) return;
      distances[to] = distances[from] + lengths[n];
      isChanged = true;
    };
    for (let n = 0; n < lengths.length; n++) relax(n);
    for (let n = lengths.length - 1; n >= 0; n--) relax(n);
  }
  return distances;
}
