// SPDX-License-Identifier: MIT
// Floating specks of a scanner: small connected parts that the frames beside them do not have. They would be tracked as parts of the body, and those of other frames would attract the template.
//
// A part is small if its area is below MAX_AREA of the frame. It belongs to the body, as an eye does, if at least half of the frames beside it have a part of about its area, at about its place relative to the center of the
// largest part, or close to the largest part at about the same distance from it: the place changes if the body turns, the distance does not.

import { PointGrid } from '../../../core/mesh/geometry/point-grid.ts';
import { measureTriangleAreas } from '../../../core/mesh/geometry/triangle-areas.ts';
import { labelParts } from '../../../core/mesh/topology/label-parts.ts';
import { weldVertices } from '../../../core/mesh/topology/weld.ts';
import type { ScanFrame } from '../register/scan-frame.ts';

/** Maximum area of a speck, relative to the area of the frame. */
const MAX_AREA = 0.01;
/** Frames before and after a frame that are compared with it. */
const BESIDE = 2;
/** Maximum ratio of the areas of a part in two frames. */
const AREA_RATIO = 2;
/** Maximum motion of a part against the largest part, relative to the box diagonal of that part. */
const MAX_MOTION = 0.06;
/** …maximum distance of a part that is close to the largest part, and maximum change of that distance, relative to the same. */
const MAX_GAP = 0.05;
const MAX_GAP_CHANGE = 0.02;
/** Maximum number of parts: more are hair, or triangles that are not connected. */
const MAX_PARTS = 500;
/** Minimum area that is kept: more debris than this is no debris. */
const MIN_KEPT = 0.5;

/** A connected part of a frame. */
interface Part {
  area: number;
  /** 3: center of area */
  center: number[];
  /** Distance of the center from the nearest vertex of the largest part. */
  gap: number;
}

/** The specks of a frame. */
export interface Debris {
  /** triangleCount, 0 or 1: triangles of specks */
  isDebris: Uint8Array;
  /** Number of specks. */
  count: number;
}

/** Finds the specks of each frame; undefined for frames without. */
export function findDebris(frames: readonly ScanFrame[]): (Debris | undefined)[] {
  const split = frames.map(splitFrame);
  return split.map((own, k) => {
    const { parts, labels, main } = own;
    const total = parts.reduce((sum, { area }) => sum + area, 0);
    const isSmall = parts.map(({ area }, n) => n !== main && area > 0 && area < MAX_AREA * total);
    const beside = split.filter((_, l) => l !== k && Math.abs(l - k) <= BESIDE);
    if (!isSmall.includes(true) || [own, ...beside].some((one) => one.parts.length > MAX_PARTS)) return undefined;
    const isSpeck = parts.map(
      (part, n) => isSmall[n] && 2 * beside.filter((other) => hasPart(other, own, part)).length < beside.length,
    );
    const dropped = parts.reduce((sum, { area }, n) => sum + (isSpeck[n] ? area : 0), 0);
    const count = isSpeck.filter(Boolean).length;
    if (count === 0 || dropped > (1 - MIN_KEPT) * total) return undefined;
    return { isDebris: Uint8Array.from(labels, (label) => (isSpeck[label] ? 1 : 0)), count };
  });
}

interface SplitFrame {
  parts: Part[];
  /** triangleCount: the part of each triangle */
  labels: Uint32Array;
  /** The part with the largest area. */
  main: number;
  /** Of the box of the largest part. */
  diagonal: number;
}

function splitFrame({ positions, triangles }: ScanFrame): SplitFrame {
  const { pointOfVertex, pointCount } = weldVertices(positions);
  const points = labelParts(
    pointCount,
    triangles.map((i) => pointOfVertex[i]),
  );
  const labels = new Uint32Array(triangles.length / 3);
  const areas = measureTriangleAreas(positions, triangles);
  const placeOf = new Map<number, number>();
  const parts: Part[] = [];
  for (let f = 0; f < labels.length; f++) {
    const label = points[pointOfVertex[triangles[3 * f]]];
    if (!placeOf.has(label)) placeOf.set(label, parts.push({ area: 0, center: [0, 0, 0], gap: 0 }) - 1);
    labels[f] = placeOf.get(label)!;
    const [i, j, k] = [3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2]];
    const part = parts[labels[f]];
    part.area += areas[f];
    for (let a = 0; a < 3; a++)
      part.center[a] += (areas[f] * (positions[i + a] + positions[j + a] + positions[k + a])) / 3;
  }
  for (const { center, area } of parts) for (let a = 0; a < 3; a++) center[a] /= area || 1;
  const main = parts.reduce((best, { area }, n) => (area > parts[best].area ? n : best), 0);
  const [min, max] = [[Number.POSITIVE_INFINITY], [Number.NEGATIVE_INFINITY]].map(([x]) => [x, x, x]);
  for (const [c, i] of triangles.entries())
    for (let a = 0; a < 3 && labels[Math.floor(c / 3)] === main; a++) {
      min[a] = Math.min(min[a], positions[3 * i + a]);
      max[a] = Math.max(max[a], positions[3 * i + a]);
    }
  if (parts.length > 1 && parts.length <= MAX_PARTS) {
    const body = triangles.filter((_, c) => labels[Math.floor(c / 3)] === main);
    const coordinates = Float32Array.from({ length: 3 * body.length }, (_, c) => positionOf(positions, body, c));
    const grid = new PointGrid(coordinates);
    for (const part of parts) {
      const [x, y, z] = part.center;
      const at = 3 * grid.findNearest(x, y, z);
      part.gap = Math.hypot(coordinates[at] - x, coordinates[at + 1] - y, coordinates[at + 2] - z);
    }
  }
  return { parts, labels, main, diagonal: Math.hypot(...max.map((x, a) => x - min[a])) };
}

function positionOf(positions: ArrayLike<number>, vertices: Uint32Array, c: number): number {
  return positions[3 * vertices[Math.floor(c / 3)] + (c % 3)];
}

/** Whether a frame has a part of the body like one of another frame. */
function hasPart(frame: SplitFrame, own: SplitFrame, { area, center, gap }: Part): boolean {
  const { diagonal } = own;
  return frame.parts.some((other, n) => {
    if (n === frame.main || other.area > AREA_RATIO * area || other.area < area / AREA_RATIO) return false;
    let square = 0;
    for (let a = 0; a < 3; a++) {
      const shift = frame.parts[frame.main].center[a] - own.parts[own.main].center[a];
      square += (center[a] + shift - other.center[a]) ** 2;
    }
    const isNear = Math.max(gap, other.gap) < MAX_GAP * diagonal;
    const isAsFar = isNear && Math.abs(gap - other.gap) < MAX_GAP_CHANGE * diagonal;
    return isAsFar || square < (MAX_MOTION * diagonal) ** 2;
  });
}
