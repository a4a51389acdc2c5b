// SPDX-License-Identifier: MIT
// Distances along the edges of a surface (E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959). They exceed distances over triangles by some percent, which is
// enough for spacing bones and for weights, and they keep parts apart that only come close in space, such as a hand on a hip.
import type { ScanSurface } from '../register/make-scan-surface.ts';

/** The edges of a surface with their lengths, compressed rows. Parts of the surface are joined by their shortest gaps. */
export interface SurfacePaths {
  /** pointCount + 1 */
  rowStart: Uint32Array;
  /** point indices */
  ends: Uint32Array;
  /** lengths of the edges */
  lengths: Float64Array;
}

/** Called with each point in order of distance. */
type Visit = (point: number, distance: number) => void;

/** Makes the paths of a surface. */
export function makeSurfacePaths({ positions, adjacency, triangles }: ScanSurface): SurfacePaths {
  const count = positions.length / 3;
  const bridges = listBridges(positions, adjacency, triangles);
  const rows: number[][] = Array.from({ length: count }, (_, i) => [
    ...adjacency.neighbours.subarray(adjacency.rowStart[i], adjacency.rowStart[i + 1]),
  ]);
  for (const [i, j] of bridges) {
    rows[i].push(j);
    rows[j].push(i);
  }
  const rowStart = new Uint32Array(count + 1);
  for (let i = 0; i < count; i++) rowStart[i + 1] = rowStart[i] + rows[i].length;
  const ends = Uint32Array.from(rows.flat());
  const lengths = new Float64Array(ends.length);
  for (let i = 0; i < count; i++)
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) lengths[e] = distanceBetween(positions, i, ends[e]);
  return { rowStart, ends, lengths };
}

/**
 * Visits points by their distance from a start, up to a limit, as long as it is below `least`, which is lowered.
 * @param least pointCount: distances known so far, infinity for none
 */
export function visitNear(
  { rowStart, ends, lengths }: SurfacePaths,
  start: number,
  least: Float64Array,
  limit = Number.POSITIVE_INFINITY,
  visit?: Visit,
): void {
  const open = new PathHeap();
  least[start] = 0;
  open.push(start, 0);
  while (open.size > 0) {
    const point = open.points[0];
    const distance = open.distances[0];
    open.pop();
    if (distance > least[point]) continue;
    visit?.(point, distance);
    for (let e = rowStart[point]; e < rowStart[point + 1]; e++) {
      const further = distance + lengths[e];
      if (further > limit || further >= least[ends[e]]) continue;
      least[ends[e]] = further;
      open.push(ends[e], further);
    }
  }
}

/** A binary heap of points by distance, then by index, in flat arrays: no object per entry. */
class PathHeap {
  size = 0;
  points = new Uint32Array(64);
  distances = new Float64Array(64);

  push(point: number, distance: number): void {
    if (this.size === this.points.length) this.#grow();
    const { points, distances } = this;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(distance, point, distances[parent], points[parent])) break;
      points[at] = points[parent];
      distances[at] = distances[parent];
      at = parent;
    }
    points[at] = point;
    distances[at] = distance;
  }

  /** Removes the first. */
  pop(): void {
    const { points, distances } = this;
    const size = --this.size;
    const point = points[size];
    const distance = distances[size];
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      const other = child + 1;
      if (other < size && isBefore(distances[other], points[other], distances[child], points[child])) child = other;
      if (!isBefore(distances[child], points[child], distance, point)) break;
      points[at] = points[child];
      distances[at] = distances[child];
      at = child;
    }
    points[at] = point;
    distances[at] = distance;
  }

  #grow(): void {
    const { points, distances } = this;
    this.points = new Uint32Array(2 * points.length);
    this.points.set(points);
    this.distances = new Float64Array(2 * distances.length);
    this.distances.set(distances);
  }
}

function isBefore(distance: number, point: number, other: number, otherPoint: number): boolean {
  return distance < other || (distance === other && point < otherPoint);
}

/** The shortest gap from each part to the parts before it, the largest part first. */
function listBridges(
  positions: Float64Array,
  { rowStart, neighbours }: ScanSurface['adjacency'],
  triangles: Uint32Array,
): [number, number][] {
  const count = positions.length / 3;
  const partOf = new Int32Array(count).fill(-1);
  const parts: number[][] = [];
  for (const seed of triangles) {
    if (partOf[seed] >= 0) continue;
    const part = [seed];
    partOf[seed] = parts.length;
    for (let n = 0; n < part.length; n++)
      for (let e = rowStart[part[n]]; e < rowStart[part[n] + 1]; e++) {
        if (partOf[neighbours[e]] >= 0) continue;
        partOf[neighbours[e]] = parts.length;
        part.push(neighbours[e]);
      }
    parts.push(part);
  }
  parts.sort((a, b) => b.length - a.length || a[0] - b[0]);
  const bridges: [number, number][] = [];
  const joined = [...(parts[0] ?? [])];
  for (const part of parts.slice(1)) {
    let best = { gap: Number.POSITIVE_INFINITY, i: part[0], j: joined[0] };
    const strideA = Math.ceil(part.length / MAX_GAP_POINTS);
    const strideB = Math.ceil(joined.length / MAX_GAP_POINTS);
    for (let a = 0; a < part.length; a += strideA)
      for (let b = 0; b < joined.length; b += strideB) {
        const gap = distanceBetween(positions, part[a], joined[b]);
        if (gap < best.gap) best = { gap, i: part[a], j: joined[b] };
      }
    bridges.push([best.i, best.j]);
    for (const i of part) joined.push(i);
  }
  return bridges;
}

/** Maximum points of a part between which gaps are measured. */
const MAX_GAP_POINTS = 2000;

function distanceBetween(p: Float64Array, i: number, j: number): number {
  return Math.hypot(p[3 * i] - p[3 * j], p[3 * i + 1] - p[3 * j + 1], p[3 * i + 2] - p[3 * j + 2]);
}
