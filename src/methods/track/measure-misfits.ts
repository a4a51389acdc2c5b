// SPDX-License-Identifier: MIT
// How well a tracked surface explains the frames it was made from.
//
// Distances go both ways, to the nearest point of the other surface. Two kinds of points do not count: those whose nearest point is on the rim of a hole, since the scanner missed what belongs there, and points of the
// template that another part hides (find-hidden.ts). What remains:
// - the area of points that are far from the other surface. A lost limb is one connected patch of them, on the frame, on the result, or on both;
// - the stretch of the template (measure-stretch.ts). Any surface can be pulled over any other: a fox covers 98 % of a snake, but its lengths change.
import type { Compute } from '../../core/kernels/compute.ts';
import { NO_TRIANGLE } from '../../core/kernels/search/nearest-points.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { findHidden } from './limbs/find-hidden.ts';
import { listAll, type PlacedSurface, pointsOf, refreshSurface } from './register/find-matches.ts';
import { makeScanSurface, type ScanSurface } from './register/make-scan-surface.ts';
import type { ScanFrame } from './register/scan-frame.ts';
import { placeSurface } from './template/make-template-model.ts';
import { StretchMeter } from './template/measure-stretch.ts';

/** Distance from which on a point is not explained, relative to the box diagonal of the template. */
const FAR = 0.01;
/** Distance from which on a point is lost, relative to the box diagonal, and to the mean edge of the coarser mesh: coarse triangles cut corners. */
const LOST = 0.025;
const LOST_EDGES = 0.5;
/** Minimum points of a lost patch. */
const MIN_POINTS = 3;
/** A corner below this weight does not count for whether a point is on a rim. */
const ON_EDGE = 1e-6;
/** Maximum distance of a search, in box diagonals of the template. */
const REACH = 10;

/** How much of a frame and of the tracked surface does not fit the other. */
export interface Misfit {
  /** 0 to 1: part of the area of the frame, or of the result if that is more, that is farther than 1 % of the box diagonal from the other */
  unexplained: number;
  /** 0 to 1: area of the largest connected patch that is far from the other surface (2.5 %, more for coarse meshes) */
  lost: number;
  /** The largest distance of a point of that patch, relative to the box diagonal. */
  distance: number;
  /** 0 to 1: part of the area of the result where the frame has holes */
  missing: number;
  /** Median change of lengths, as a logarithm to the base 2 (measure-stretch.ts). */
  stretch: number;
  /** 0 to 1: part of the lengths that changed by more than a factor of two */
  torn: number;
}

/**
 * Measures a tracked surface against all frames.
 * @param compute freed by the caller
 * @param mesh the template
 * @param positions frameCount x vertexCount x 3, file units
 */
export async function measureMisfits(
  compute: Compute,
  mesh: ScanFrame,
  positions: Float32Array,
  frames: readonly ScanFrame[],
): Promise<Misfit[]> {
  const { min, max, diagonal } = measureBounds(mesh.positions);
  const units = { scale: diagonal, center: [0, 1, 2].map((a) => (min[a] + max[a]) / 2) };
  const rest = makeScanSurface(mesh, units);
  const meter = new StretchMeter(rest);
  const edge = measureEdge(rest);
  const own = placeSurface(compute, rest, rest.positions.slice());
  const found: Misfit[] = [];
  try {
    for (const [k, frame] of frames.entries()) {
      for (const [i, point] of rest.pointOfVertex.entries())
        for (let a = 0; a < 3 && point >= 0; a++)
          own.positions[3 * point + a] =
            (positions[k * mesh.positions.length + 3 * i + a] - units.center[a]) / units.scale;
      refreshSurface(own);
      const target = makeScanSurface(frame, units);
      const other = placeSurface(compute, target, target.positions);
      try {
        const lostAt = Math.max(LOST, LOST_EDGES * Math.max(edge, measureEdge(target)));
        const there = await measureOneWay(own, other, lostAt, await findHidden(own));
        const back = await measureOneWay(other, own, lostAt);
        const worse = back.lost > there.lost ? back : there;
        const { median: stretch, torn } = meter.measure(own.positions);
        found.push({
          ...{ unexplained: Math.max(there.unexplained, back.unexplained), missing: there.missing, stretch, torn },
          ...{ lost: worse.lost, distance: worse.distance },
        });
      } finally {
        other.search.dispose();
      }
    }
  } finally {
    own.search.dispose();
  }
  return found;
}

async function measureOneWay(
  from: PlacedSurface,
  to: PlacedSurface,
  lostAt: number,
  isHidden?: Uint8Array,
): Promise<Pick<Misfit, 'unexplained' | 'lost' | 'distance' | 'missing'>> {
  const { areas } = from.surface;
  const { triangles: found, places } = await to.search.search(pointsOf(from, listAll(from)), {
    minCosine: -1,
    maxDistance: REACH,
  });
  const total = areas.reduce((sum, area) => sum + area, 0) || 1;
  const distances = new Float64Array(areas.length);
  let [unexplained, missing] = [0, 0];
  for (let i = 0; i < areas.length; i++) {
    if (isHidden?.[i] === 1) continue;
    const isFound = found[i] !== NO_TRIANGLE;
    const distance = isFound ? Math.sqrt(places[3 * i + 2]) : REACH;
    if (isFound && isOnRim(to.surface, found[i], places[3 * i], places[3 * i + 1])) missing += areas[i];
    else if (distance > FAR) {
      unexplained += areas[i];
      distances[i] = distance;
    }
  }
  return { unexplained: unexplained / total, missing: missing / total, ...findLargestPatch(from, distances, lostAt) };
}

/** Whether all corners that count are on a rim, and the point is on an edge. */
function isOnRim({ triangles, isRim }: ScanSurface, f: number, v: number, w: number): boolean {
  const weights = [1 - v - w, v, w];
  return (
    weights.some((weight) => weight <= ON_EDGE) &&
    weights.every((weight, c) => weight <= ON_EDGE || isRim[triangles[3 * f + c]] === 1)
  );
}

/** The connected patch of points with larger distances that has the largest area. */
function findLargestPatch(
  { surface: { areas, adjacency } }: PlacedSurface,
  distances: Float64Array,
  limit: number,
): Pick<Misfit, 'lost' | 'distance'> {
  const { rowStart, neighbours } = adjacency;
  const total = areas.reduce((sum, area) => sum + area, 0) || 1;
  const isOpen = Uint8Array.from(distances, (distance) => (distance > limit ? 1 : 0));
  let largest = { lost: 0, distance: 0 };
  for (let start = 0; start < isOpen.length; start++) {
    if (isOpen[start] === 0) continue;
    isOpen[start] = 0;
    const patch = [start];
    for (let n = 0; n < patch.length; n++)
      for (let e = rowStart[patch[n]]; e < rowStart[patch[n] + 1]; e++) {
        if (isOpen[neighbours[e]] === 0) continue;
        isOpen[neighbours[e]] = 0;
        patch.push(neighbours[e]);
      }
    const lost = patch.reduce((sum, i) => sum + areas[i], 0) / total;
    if (patch.length >= MIN_POINTS && lost > largest.lost)
      largest = { lost, distance: patch.reduce((most, i) => Math.max(most, distances[i]), 0) };
  }
  return largest;
}

/** The mean length of the edges. */
function measureEdge({ positions, triangles }: ScanSurface): number {
  let sum = 0;
  for (let c = 0; c < triangles.length; c++) {
    const [i, j] = [3 * triangles[c], 3 * triangles[c % 3 === 2 ? c - 2 : c + 1]];
    sum += Math.hypot(
      positions[i] - positions[j],
      positions[i + 1] - positions[j + 1],
      positions[i + 2] - positions[j + 2],
    );
  }
  return sum / Math.max(1, triangles.length);
}
