// SPDX-License-Identifier: MIT
// Floating specks of a scanner: small connected parts that the frames beside them do not have. They would be tracked as parts of the body, and those of other frames would attract the template.
//
// A part is small if its area is below MAX_AREA of the frame. It belongs to the body, as an eye does, if at least half of the frames beside it have a part of about its area at about its place, relative to the center of the
// largest part.
import { labelParts } from '../mesh/label-parts.ts';
import { weldVertices } from '../mesh/weld.ts';
import type { ScanFrame } from './scan-frame.ts';

/** Maximum area of a speck, relative to the area of the frame. */
const MAX_AREA = 0.01;
/** Frames before and after a frame that are compared with it. */
const BESIDE = 2;
/** Maximum ratio of the areas of a part in two frames. */
const AREA_RATIO = 2;
/** Maximum motion of a part against the largest part, relative to the box diagonal of that part. */
const MAX_MOTION = 0.06;
/** Minimum area that is kept: more debris than this is no debris. */
const MIN_KEPT = 0.5;

/** A connected part of a frame. */
interface Part {
  area: number;
  /** 3: center of area */
  center: number[];
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
  return split.map(({ parts, labels, main, diagonal }, k) => {
    const total = parts.reduce((sum, { area }) => sum + area, 0);
    const isSmall = parts.map(({ area }, n) => n !== main && area < MAX_AREA * total);
    if (!isSmall.includes(true)) return undefined;
    const beside = split.filter((_, l) => l !== k && Math.abs(l - k) <= BESIDE);
    const isSpeck = parts.map(
      (part, n) =>
        isSmall[n] &&
        2 * beside.filter((other) => hasPart(other, part, parts[main].center, MAX_MOTION * diagonal)).length <
          beside.length,
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
  const placeOf = new Map<number, number>();
  const parts: Part[] = [];
  for (let f = 0; f < labels.length; f++) {
    const label = points[pointOfVertex[triangles[3 * f]]];
    if (!placeOf.has(label)) placeOf.set(label, parts.push({ area: 0, center: [0, 0, 0] }) - 1);
    labels[f] = placeOf.get(label)!;
    const [i, j, k] = [3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2]];
    const [u, v] = [j, k].map((o) => [0, 1, 2].map((a) => positions[o + a] - positions[i + a]));
    const area = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
    const part = parts[labels[f]];
    part.area += area;
    for (let a = 0; a < 3; a++) part.center[a] += (area * (positions[i + a] + positions[j + a] + positions[k + a])) / 3;
  }
  for (const { center, area } of parts) for (let a = 0; a < 3; a++) center[a] /= area || 1;
  const main = parts.reduce((best, { area }, n) => (area > parts[best].area ? n : best), 0);
  const [min, max] = [[Number.POSITIVE_INFINITY], [Number.NEGATIVE_INFINITY]].map(([x]) => [x, x, x]);
  for (const [c, i] of triangles.entries())
    for (let a = 0; a < 3 && labels[Math.floor(c / 3)] === main; a++) {
      min[a] = Math.min(min[a], positions[3 * i + a]);
      max[a] = Math.max(max[a], positions[3 * i + a]);
    }
  return { parts, labels, main, diagonal: Math.hypot(...max.map((x, a) => x - min[a])) };
}

/** Whether a frame has a part of about this area at this place. */
function hasPart(
  { parts, main }: SplitFrame,
  { area, center }: Part,
  mainCenter: readonly number[],
  reach: number,
): boolean {
  if (parts.length === 0) return false;
  const shift = mainCenter.map((x, a) => parts[main].center[a] - x);
  return parts.some(
    (other) =>
      other.area < AREA_RATIO * area &&
      other.area > area / AREA_RATIO &&
      Math.hypot(...center.map((x, a) => x + shift[a] - other.center[a])) < reach,
  );
}
