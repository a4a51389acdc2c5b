// SPDX-License-Identifier: MIT
// Fewer points with the same motion, for the search of a structure on a dense mesh. Evenly spaced points are kept, and every other point belongs to the nearest of them along the surface: its cell. Cells that touch
// are neighbours, and a triangle with corners in three cells is a triangle of the coarse mesh. In a clip with noise, a coarse point is the mean of its cell, which lowers the variance of the noise by the number of
// points of a cell; in a clean clip it is the kept point, since the mean of points that bend is not the position of any of them.
import type { Compute } from '../../../core/kernels/compute.ts';
import { squareTrajectories, type Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { farthestPoints } from '../../../core/mesh/geometry/farthest-points.ts';
import { makeAdjacency } from '../../../core/mesh/topology/adjacency.ts';
import { selectTrajectories } from '../../../fit/skin/index.ts';

/** Minimum number of points of a connected part that are kept: the bone of a part with fewer is not determined. Chosen by hand. */
const MIN_PER_PART = 8;

export interface CoarsePoints {
  trajectories: Trajectories;
  /** triangleCount x 3 coarse points */
  triangles: Uint32Array;
  /** The kept point of every coarse point. */
  kept: Uint32Array;
  /** Variance of the noise of a coarse point, relative to that of a point. */
  noise: number;
}

/** Points in the order of the shape (order-points.ts). */
export interface OrderedPoints {
  vertexCount: number;
  /** vertexCount x 3 */
  rest: Float64Array;
  /** vertexCount: connected parts; absent if there is one */
  parts?: Uint32Array;
}

/**
 * Coarsens the points of trajectories to about count.
 * @param triangles triangleCount x 3 point indices
 * @param isAveraged whether a coarse point is the mean of its cell
 */
export function coarsenPoints(
  compute: Compute,
  all: Trajectories,
  triangles: Uint32Array,
  count: number,
  isAveraged: boolean,
): CoarsePoints {
  const { kept, cells } = growCells(
    { vertexCount: all.vertexCount, rest: all.rest.view(), parts: all.parts },
    triangles,
    count,
  );
  const trajectories = selectTrajectories(compute, all, kept);
  const noise = isAveraged ? averageCells(trajectories, all, cells) : 1;
  return { trajectories, triangles: listCellTriangles(triangles, cells), kept, noise };
}

/** Kept points, and the cell of every point: the kept point that is the fewest edges away. Points are in the order of the shape, so evenly spaced indices are spread evenly over it. */
export function growCells(
  all: OrderedPoints,
  triangles: Uint32Array,
  count: number,
): { kept: Uint32Array; cells: Int32Array } {
  const pointCount = all.vertexCount;
  const { rowStart, neighbours } = makeAdjacency(pointCount, triangles);
  const kept = listKept(all, count);
  const cells = new Int32Array(pointCount).fill(-1);
  const queue = new Uint32Array(pointCount);
  kept.forEach((i, n) => {
    cells[i] = n;
    queue[n] = i;
  });
  for (let head = 0, tail = kept.length; head < tail; head++) {
    const i = queue[head];
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const next = neighbours[e];
      if (cells[next] >= 0) continue;
      cells[next] = cells[i];
      queue[tail++] = next;
    }
  }
  return { kept, cells };
}

/** Evenly spaced points; a part of the mesh with too few of them gets points of its own, far from each other. */
function listKept({ vertexCount, rest: positions, parts }: OrderedPoints, count: number): Uint32Array {
  const step = Math.max(1, vertexCount / count);
  const even = Uint32Array.from({ length: Math.floor(vertexCount / step) }, (_, n) => Math.floor(n * step));
  if (!parts) return even;
  const members: number[][] = [];
  parts.forEach((part, i) => {
    members[part] ??= [];
    members[part].push(i);
  });
  const hits = new Uint32Array(members.length);
  for (const i of even) hits[parts[i]]++;
  const kept = Array.from(even).filter((i) => hits[parts[i]] >= MIN_PER_PART);
  members.forEach((points, part) => {
    if (hits[part] >= MIN_PER_PART) return;
    const own = points.flatMap((i) => [...positions.subarray(3 * i, 3 * i + 3)]);
    for (const n of farthestPoints(own, MIN_PER_PART, { start: 0 })) kept.push(points[n]);
  });
  return Uint32Array.from(kept).sort();
}

/** Replaces coarse points by the means of their cells; returns the mean of their variances. */
function averageCells(coarse: Trajectories, all: Trajectories, cells: Int32Array): number {
  const rows = 3 * all.frameCount;
  const sizes = new Uint32Array(coarse.vertexCount);
  const [rest, posed, allRest, allPosed] = [coarse.rest.view(), coarse.posed.view(), all.rest.view(), all.posed.view()];
  rest.fill(0);
  posed.fill(0);
  cells.forEach((c, i) => {
    sizes[c]++;
    for (let r = 0; r < 3; r++) rest[3 * c + r] += allRest[3 * i + r];
    for (let row = 0; row < rows; row++) posed[c * rows + row] += allPosed[i * rows + row];
  });
  let variance = 0;
  sizes.forEach((size, c) => {
    for (let r = 0; r < 3; r++) rest[3 * c + r] /= size;
    for (let row = 0; row < rows; row++) posed[c * rows + row] /= size;
    variance += 1 / (size * sizes.length);
  });
  squareTrajectories(coarse);
  return variance;
}

/** Triangles of cells, each once. */
export function listCellTriangles(triangles: Uint32Array, cells: Int32Array): Uint32Array {
  const found: number[] = [];
  // by the two smaller cells: the third ones
  const known = new Map<number, number[]>();
  for (let c = 0; c < triangles.length; c += 3) {
    const a = cells[triangles[c]];
    const b = cells[triangles[c + 1]];
    const d = cells[triangles[c + 2]];
    if (a === b || b === d || d === a) continue;
    const low = Math.min(a, b, d);
    const high = Math.max(a, b, d);
    const key = low * cells.length + (a + b + d - low - high);
    const thirds = known.get(key);
    if (thirds?.includes(high)) continue;
    if (thirds) thirds.push(high);
    else known.set(key, [high]);
    found.push(a, b, d);
  }
  return Uint32Array.from(found);
}
