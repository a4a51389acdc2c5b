// SPDX-License-Identifier: MIT
// Distances between moving surfaces and the frames they were made from. Nearest points are searched by the kernels, on all threads. The tree of a surface is made once and moved from frame to frame; the tree of a frame is
// shared by all surfaces.
import type { Compute } from '../../core/kernels/compute.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { type ScanFrame, SurfaceSearch } from '../../methods/track/index.ts';

/** Distances between a moving surface and the frames it was made from, both ways, in percent of the box diagonal of each frame. */
export interface TrackedDistance {
  /** Mean over the frames. */
  mean: number;
  /** The largest mean of a frame. */
  worst: number;
  /** The largest distance of any frame: the Hausdorff distance. */
  max: number;
  /** frameCount: mean of each frame */
  perFrame: number[];
}

/** A surface in every frame. */
export interface MovingSurface {
  /** triangleCount x 3 vertex indices */
  triangles: Uint32Array;
  /** vertexCount x 3 in frame k */
  positionsAt(k: number): Float32Array;
}

/** Maximum distance of a search, relative to the sum of both box diagonals and their distance. */
const REACH = 2;

/**
 * Measures surfaces against frames with other triangles, from the vertices of each, and the midpoints of edges and centers of triangles of the coarser one, to the nearest point of the other.
 * @param compute freed by the caller
 */
export async function measureTracked(
  compute: Compute,
  frames: readonly ScanFrame[],
  surfaces: readonly MovingSurface[],
): Promise<TrackedDistance[]> {
  const found = surfaces.map((): TrackedDistance => ({ mean: 0, worst: 0, max: 0, perFrame: [] }));
  const searches: SurfaceSearch[] = [];
  try {
    for (const [k, frame] of frames.entries()) {
      const box = measureBounds(frame.positions);
      const search = new SurfaceSearch(compute, Float64Array.from(frame.positions), frame.triangles);
      try {
        for (const [n, { triangles, positionsAt }] of surfaces.entries()) {
          const positions = positionsAt(k);
          const wide = Float64Array.from(positions);
          if (searches[n]) searches[n].fit(wide);
          else searches[n] = new SurfaceSearch(compute, wide, triangles);
          const other = measureBounds(positions);
          const apart = Math.hypot(...[0, 1, 2].map((a) => box.min[a] - other.min[a]));
          const reach = REACH * (box.diagonal + other.diagonal + apart);
          // the vertices of the finer surface are dense enough; triangles of the coarser one are sampled inside
          const isFiner = frame.triangles.length >= triangles.length;
          const there = await measureOneWay(listPoints(frame, !isFiner), searches[n], reach);
          const back = await measureOneWay(listPoints({ positions, triangles }, isFiner), search, reach);
          addFrame(found[n], 100 / box.diagonal, frames.length, there, back);
        }
      } finally {
        search.dispose();
      }
    }
  } finally {
    for (const search of searches) search.dispose();
  }
  return found;
}

interface OneWay {
  max: number;
  sum: number;
  count: number;
}

function addFrame(own: TrackedDistance, percent: number, frameCount: number, a: OneWay, b: OneWay): void {
  const mean = (percent * (a.sum + b.sum)) / Math.max(1, a.count + b.count);
  own.perFrame.push(mean);
  own.mean += mean / frameCount;
  own.worst = Math.max(own.worst, mean);
  own.max = Math.max(own.max, percent * Math.max(a.max, b.max));
}

async function measureOneWay(points: Float64Array, search: SurfaceSearch, maxDistance: number): Promise<OneWay> {
  const { places } = await search.search(points, { minCosine: -1, maxDistance });
  let [max, sum] = [0, 0];
  const count = points.length / 6;
  for (let i = 0; i < count; i++) {
    const distance = Math.sqrt(places[3 * i + 2]);
    max = Math.max(max, distance);
    sum += distance;
  }
  return { max, sum, count };
}

/** Vertices with triangles, and points inside of triangles if wanted: pointCount x 6, positions without normals. */
function listPoints({ positions, triangles }: ScanFrame, hasInside: boolean): Float64Array {
  const isUsed = new Uint8Array(positions.length / 3);
  for (const i of triangles) isUsed[i] = 1;
  let count = isUsed.reduce((sum, used) => sum + used, 0);
  for (let c = 0; hasInside && c < triangles.length; c++) {
    const next = triangles[c % 3 === 2 ? c - 2 : c + 1];
    count += (c % 3 === 0 ? 1 : 0) + (triangles[c] < next ? 1 : 0);
  }
  const points = new Float64Array(6 * count);
  let at = 0;
  for (let i = 0; i < isUsed.length; i++) {
    if (!isUsed[i]) continue;
    for (let a = 0; a < 3; a++) points[at + a] = positions[3 * i + a];
    at += 6;
  }
  for (let c = 0; hasInside && c < triangles.length; c++) {
    const f = c - (c % 3);
    const [i, j] = [triangles[c], triangles[c % 3 === 2 ? f : c + 1]];
    if (c === f) {
      const k = triangles[c + 2];
      for (let a = 0; a < 3; a++)
        points[at + a] = (positions[3 * i + a] + positions[3 * j + a] + positions[3 * k + a]) / 3;
      at += 6;
    }
    // the edge from the smaller to the larger index is sampled by one of its triangles, or by its only one
    if (i >= j) continue;
    for (let a = 0; a < 3; a++) points[at + a] = (positions[3 * i + a] + positions[3 * j + a]) / 2;
    at += 6;
  }
  return points;
}
