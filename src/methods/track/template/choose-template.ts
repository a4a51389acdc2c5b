// SPDX-License-Identifier: MIT
// Chooses the frame that is registered to all others. Three things count:
// - its visible area, holes, and handles: parts that touch in a frame are fused there, which hides area and adds handles. Handles that all frames have belong to the body;
// - its distance to all other frames: the surface of a body that bends also stretches, registration spreads that stretch over the surface, and the error grows with the difference between the poses of the template and
//   of a frame. The distance of two frames is the mean distance between points of both, in both directions, after a shift to the center of area. No registration is necessary for it;
// - its place in time: tracking goes outward, so that the middle has the shortest way.

import { PointGrid } from '../../../core/mesh/geometry/point-grid.ts';
import { labelParts } from '../../../core/mesh/topology/label-parts.ts';
import type { ScanSurface } from '../register/make-scan-surface.ts';

/** Relative area that a handle costs. Fused parts of the template stay fused: body with folded arms, touching vertices within 1 %: 68 % with a fused template, 91 % with another. */
const HANDLE_COST = 0.1;
/** Relative area that a hole costs. */
const HOLE_COST = 0.0025;
/** Relative area that the first and the last frame cost. */
const END_COST = 0.02;
/**
 * Cost of a mean distance of one box diagonal, in logarithms of area. Chosen on the fox and the bird from 3, 10, 20, 30 and 40.
 */
const DISTANCE_COST = 30;
/** Maximum frames that are compared with one another; others are not chosen. */
const MAX_FRAMES = 32;
/** Maximum points of a frame that are compared. */
const MAX_POINTS = 1000;

/**
 * Chooses the frame that is registered to all others.
 * @param surfaces in the same units
 */
export function chooseTemplate(surfaces: readonly ScanSurface[]): number {
  const count = Math.min(surfaces.length, MAX_FRAMES);
  const chosen = Array.from({ length: count }, (_, n) => Math.floor(((n + 0.5) * surfaces.length) / count));
  const distances = measureDistances(chosen.map((k) => surfaces[k]));
  const middle = (surfaces.length - 1) / 2;
  const complete = measureComplete(chosen.map((k) => surfaces[k]));
  let best = { value: Number.NEGATIVE_INFINITY, k: 0 };
  for (const [n, k] of chosen.entries()) {
    const away = middle > 0 ? Math.abs(k - middle) / middle : 0;
    const value = complete[n] - END_COST * away - DISTANCE_COST * distances[n];
    if (value > best.value) best = { value, k };
  }
  return best.k;
}

/** How complete each surface is: the logarithm of its area, so that any cost is a part of it, less the costs of holes, and of handles that others do not have. */
export function measureComplete(surfaces: readonly ScanSurface[]): Float64Array {
  const counts = surfaces.map(countHandles);
  const fewest = Math.min(...counts.map(({ handles }) => handles));
  return Float64Array.from(surfaces, ({ areas }, n) => {
    const { handles, holes } = counts[n];
    return Math.log(areas.reduce((sum, a) => sum + a, 0)) - HANDLE_COST * (handles - fewest) - HOLE_COST * holes;
  });
}

/** The mean distance of each surface to all others. */
function measureDistances(surfaces: readonly ScanSurface[]): Float64Array {
  const points = surfaces.map(listCenteredPoints);
  const grids = points.map((list) => new PointGrid(list));
  const sums = new Float64Array(surfaces.length);
  for (const [k, own] of points.entries())
    for (const [l, other] of points.entries()) {
      if (k === l) continue;
      let sum = 0;
      for (let c = 0; c < own.length; c += 3) {
        const at = 3 * grids[l].findNearest(own[c], own[c + 1], own[c + 2]);
        sum += Math.hypot(own[c] - other[at], own[c + 1] - other[at + 1], own[c + 2] - other[at + 2]);
      }
      const mean = sum / (own.length / 3) / 2 / (surfaces.length - 1);
      sums[k] += mean;
      sums[l] += mean;
    }
  return sums;
}

/** Some points of a surface, evenly by index, relative to the center of area. */
function listCenteredPoints({ positions, areas }: ScanSurface): Float32Array {
  const center = [0, 0, 0];
  const total = areas.reduce((sum, a) => sum + a, 0) || 1;
  for (let c = 0; c < positions.length; c++) center[c % 3] += (areas[Math.floor(c / 3)] * positions[c]) / total;
  const count = Math.min(MAX_POINTS, areas.length);
  return Float32Array.from({ length: 3 * count }, (_, c) => {
    const point = Math.floor((Math.floor(c / 3) * areas.length) / count);
    return positions[3 * point + (c % 3)] - center[c % 3];
  });
}

/** Handles and holes, by V − E + F = 2 parts − 2 handles − holes. */
function countHandles({ positions, triangles, adjacency }: ScanSurface): { handles: number; holes: number } {
  const pointCount = positions.length / 3;
  const parts = new Set(labelParts(pointCount, triangles)).size;
  const holes = countHoles(pointCount, triangles);
  const euler = pointCount - adjacency.neighbours.length / 2 + triangles.length / 3;
  return { handles: Math.max(0, Math.round(parts - (euler + holes) / 2)), holes };
}

/** Loops of edges that have one triangle. Loops may share points, so that they are counted as edges − points + parts of their graph. */
function countHoles(pointCount: number, triangles: Uint32Array): number {
  const uses = new Map<number, number>();
  for (let c = 0; c < triangles.length; c++) {
    const [i, j] = [triangles[c], triangles[c % 3 === 2 ? c - 2 : c + 1]];
    const key = Math.min(i, j) * pointCount + Math.max(i, j);
    uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  const rim = [...uses.keys()].filter((key) => uses.get(key) === 1);
  const ends = rim.flatMap((key) => [Math.floor(key / pointCount), key % pointCount]);
  // an edge as a triangle with two equal corners
  const labels = labelParts(
    pointCount,
    Uint32Array.from(rim.flatMap((_, n) => [ends[2 * n], ends[2 * n + 1], ends[2 * n + 1]])),
  );
  const points = new Set(ends);
  return rim.length - points.size + new Set([...points].map((i) => labels[i])).size;
}
