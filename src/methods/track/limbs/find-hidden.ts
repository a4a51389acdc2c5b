// SPDX-License-Identifier: MIT
// Finds points that a scanner may not see, since another part of the body is in front of them.
//
// Where parts touch, a scan is one fused surface, and the skin between them is missing. Points of the template there would be matched with the rim of the contact, or with the other part, and dragged along. A point is hidden if
// another part faces it closely. That part has the opposite normal, and is in front: within d + e of the place at the distance d above the point. It is another part if it is farther away in the rest shape, unlike the
// opposite side of a thin sheet, or of a crease.
import { NO_TRIANGLE } from '../../../core/kernels/search/nearest-points.ts';
import { type PlacedSurface, pointsOf } from '../register/find-matches.ts';

/** The distance d, relative to the box diagonal: parts that are as close as this are mostly fused. */
const HEIGHT = 0.006;
/** The depth e to which parts may enter each other, relative to the box diagonal. */
const DEPTH = 0.003;
/** Minimum distance of other parts in the rest shape, relative to the box diagonal. */
const APART = 0.03;
/** Minimum cosine between the normal of the other part and the opposite of that of the point: 60 degrees. */
const MIN_COSINE = 0.5;

/** Points that are tested before their neighbours. */
const MAX_SEEDS = 3000;

/**
 * Lists which points of a placed template are hidden by the template itself: pointCount, 0 or 1.
 * @param samples points that are tested; others are 0. Default: all; of large surfaces some, and then the neighbours of hidden ones.
 */
export async function findHidden(placed: PlacedSurface, samples?: Uint32Array): Promise<Uint8Array> {
  const pointCount = placed.positions.length / 3;
  const isHidden = new Uint8Array(pointCount);
  if (samples) {
    await testPoints(placed, samples, isHidden);
    return isHidden;
  }
  const { rowStart, neighbours } = placed.surface.adjacency;
  const step = Math.ceil(pointCount / MAX_SEEDS);
  let open = Uint32Array.from({ length: Math.ceil(pointCount / step) }, (_, n) => n * step);
  const isTested = new Uint8Array(pointCount);
  while (open.length > 0) {
    await testPoints(placed, open, isHidden);
    for (const i of open) isTested[i] = 1;
    const next = new Set<number>();
    for (const i of open)
      for (let e = rowStart[i]; isHidden[i] === 1 && e < rowStart[i + 1]; e++)
        if (isTested[neighbours[e]] === 0) next.add(neighbours[e]);
    open = Uint32Array.from(next).sort();
  }
  return isHidden;
}

async function testPoints(placed: PlacedSurface, samples: Uint32Array, isHidden: Uint8Array): Promise<void> {
  const points = pointsOf(placed, samples);
  for (let o = 0; o < points.length; o += 6)
    for (let a = 0; a < 3; a++) {
      points[o + a] += HEIGHT * points[o + 3 + a];
      points[o + 3 + a] *= -1;
    }
  const limits = { minCosine: MIN_COSINE, maxDistance: HEIGHT + DEPTH };
  const { triangles: found, places } = await placed.search.search(points, limits);
  const { positions: rest, triangles } = placed.surface;
  for (const [n, i] of samples.entries()) {
    if (found[n] === NO_TRIANGLE) continue;
    const [v, w] = [places[3 * n], places[3 * n + 1]];
    const [p, q, r] = triangles.subarray(3 * found[n], 3 * found[n] + 3);
    let square = 0;
    for (let a = 0; a < 3; a++) {
      const place = (1 - v - w) * rest[3 * p + a] + v * rest[3 * q + a] + w * rest[3 * r + a];
      square += (rest[3 * i + a] - place) ** 2;
    }
    if (square > APART * APART) isHidden[i] = 1;
  }
}
