// SPDX-License-Identifier: MIT
// Whether a map is a mirror symmetry, and in which points.
import type { PairedEnds } from './pair-extremities.ts';
import { type MirrorMap, placePoints } from './refine-mirror.ts';
import type { SurfaceGraph } from './surface-graph.ts';

/** Maximum distance between a point and the image of its image, in mean edges of the coarse surface. */
const TWICE = 1.5;
/** Maximum distance between the predicted and the nearest image: mean edges of the coarse surface, plus standard deviations of the noise. */
const MISFIT_EDGES = 0.15;
const MISFIT_NOISE = 3;
/** Maximum change (root mean square) of the distances from the ends along the surface, relative to the largest distance. Two legs on one side are at least 0.08 apart. Chosen on generated creatures. */
const KEPT = 0.05;

/** Makes a check whether a map keeps the distances of a point from the ends. */
export function makeDistanceCheck(graph: SurfaceGraph, { ends, distances, span }: PairedEnds) {
  const known = new Map<number, Float64Array>(ends.map((i, n) => [i, distances[n]]));
  const rowOf = (i: number): Float64Array => {
    const row = known.get(i) ?? graph.measureFrom(i);
    known.set(i, row);
    return row;
  };
  return (i: number, map: MirrorMap): boolean => {
    const image = nearestCorner(map, i);
    if (image < 0) return false;
    let sum = 0;
    let count = 0;
    for (let n = 0; n < ends.length; n++) {
      const other = nearestCorner(map, ends[n]);
      if (other < 0) continue;
      sum += (distances[n][i] - rowOf(other)[image]) ** 2;
      count++;
    }
    return count > 0 && sum <= (KEPT * span) ** 2 * count;
  };
}

/** The point nearest to the image of a point, or -1. */
function nearestCorner({ corners, shares }: MirrorMap, p: number): number {
  let e = 3 * p;
  for (let n = e + 1; n < 3 * p + 3; n++) if (shares[n] > shares[e]) e = n;
  return shares[e] > 0 ? corners[e] : -1;
}

/** How well a map is a symmetry. */
export interface Judged {
  /** Part of the points that are symmetric. */
  part: number;
  /** Median distance between predicted and nearest images. */
  misfit: number;
  /** pointCount */
  isSymmetric: Uint8Array;
}

/**
 * Judges a map of a surface.
 * @param edge mean length of an edge
 * @param isKept whether a point keeps its distances from the ends
 */
export function judgeMirror(
  map: MirrorMap,
  positions: Float64Array,
  edge: number,
  noise: number,
  isKept: (i: number) => boolean,
): Judged {
  const twice = placePoints(map, map.images);
  const count = positions.length / 3;
  const isSymmetric = new Uint8Array(count);
  const limit = MISFIT_EDGES * edge + MISFIT_NOISE * noise;
  const misfits = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
  let found = 0;
  for (let i = 0; i < count; i++) {
    let back = 0;
    let away = 0;
    for (let r = 3 * i; r < 3 * i + 3; r++) {
      back += (twice[r] - positions[r]) ** 2;
      away += (map.predicted[r] - map.images[r]) ** 2;
    }
    if (!Number.isNaN(away)) misfits[i] = Math.sqrt(away);
    if (!(Math.sqrt(back) <= TWICE * edge && Math.sqrt(away) <= limit && isKept(i))) continue;
    isSymmetric[i] = 1;
    found++;
  }
  return { part: found / count, misfit: misfits.sort()[count >> 1], isSymmetric };
}
