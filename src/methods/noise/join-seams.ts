// SPDX-License-Identifier: MIT
// Joins the vertices of seams in a clip with noise. A file stores a vertex once per UV island; if noise was added to every vertex, its copies no longer coincide, and the surface falls apart. Two vertices on open
// edges are copies if the mean square of their distance over all frames is that of noise. They get their mean position in every frame, which also averages their noise.
import { makeAdjacency } from '../../core/mesh/topology/adjacency.ts';
import { pointTriangles, weldClip } from '../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';

/** Maximum mean square of the distance of two copies, relative to that of noise, which is 6 s². With 16 frames its standard deviation is 0.2. */
const MAX_SQUARE = 1.4;
/** Radius of the search in one frame, in standard deviations: the distance of two copies has √2 of them per coordinate. */
const REACH = 6;
/** Maximum number of frames that are compared. */
const MAX_FRAMES = 128;

/**
 * A clip whose seams are closed; the given one if it has no torn seams.
 * @param noise standard deviation of the noise per coordinate, file units
 */
export function joinSeams(clip: Clip, noise: number): Clip {
  const weld = weldClip(clip);
  const triangles = pointTriangles(clip.mesh.triangles, weld);
  const border = listBorder(triangles, weld.pointCount);
  if (border.length === 0) return clip;
  const { rowStart, neighbours } = makeAdjacency(weld.pointCount, triangles);
  const isNear = (i: number, l: number) => neighbours.subarray(rowStart[i], rowStart[i + 1]).includes(l);
  const stride = clip.mesh.positions.length;
  const frameCount = Math.min(frameCountOf(clip), MAX_FRAMES);
  const frames = Array.from({ length: frameCount }, (_, n) => Math.floor((n * frameCountOf(clip)) / frameCount));
  const limit = MAX_SQUARE * 6 * noise ** 2 * frameCount;
  const measure = (i: number, l: number): number => {
    const [p, q] = [3 * weld.vertexOfPoint[i], 3 * weld.vertexOfPoint[l]];
    let sum = 0;
    for (const k of frames) {
      for (let r = k * stride; r < k * stride + 3; r++) sum += (clip.positions[p + r] - clip.positions[q + r]) ** 2;
      if (sum > limit) return Number.POSITIVE_INFINITY;
    }
    return sum;
  };
  const group = new Uint32Array(weld.pointCount).map((_, i) => i);
  const find = (i: number): number => {
    let at = i;
    while (group[at] !== at) at = group[at];
    return at;
  };
  let isTorn = false;
  const cells = new Cells(clip.positions, weld.vertexOfPoint, border, REACH * noise);
  for (const i of border) {
    let best = -1;
    let lowest = limit;
    for (const l of cells.listNear(i)) {
      if (l === i || isNear(i, l)) continue;
      const sum = measure(i, l);
      if (sum < lowest || (sum === lowest && l < best)) [best, lowest] = [l, sum];
    }
    if (best < 0) continue;
    isTorn = true;
    const [a, b] = [find(i), find(best)];
    group[Math.max(a, b)] = Math.min(a, b);
  }
  if (!isTorn) return clip;
  const joinedOf = weld.pointOfVertex.map((i) => find(i));
  return {
    ...clip,
    positions: averageGroups(clip.positions, stride, joinedOf),
    mesh: { ...clip.mesh, positions: averageGroups(clip.mesh.positions, stride, joinedOf) },
  };
}

/** Ascending: points on edges of one triangle only. */
function listBorder(triangles: Uint32Array, pointCount: number): number[] {
  const lows = new Uint32Array(triangles.length);
  const highs = new Uint32Array(triangles.length);
  for (let c = 0; c < triangles.length; c++) {
    const other = triangles[c % 3 === 2 ? c - 2 : c + 1];
    lows[c] = Math.min(triangles[c], other);
    highs[c] = Math.max(triangles[c], other);
  }
  // equal edges follow one another
  const order = sortByPoint(sortByPoint(undefined, highs, pointCount), lows, pointCount);
  const isEqual = (n: number, m: number): boolean =>
    lows[order[n]] === lows[order[m]] && highs[order[n]] === highs[order[m]];
  const isBorder = new Uint8Array(pointCount);
  for (let n = 0; n < order.length; n++) {
    if ((n > 0 && isEqual(n, n - 1)) || (n + 1 < order.length && isEqual(n, n + 1))) continue;
    isBorder[lows[order[n]]] = isBorder[highs[order[n]]] = 1;
  }
  const border: number[] = [];
  for (let i = 0; i < pointCount; i++) if (isBorder[i]) border.push(i);
  return border;
}

/** Edges by one of their points; those of one point keep their given order. */
function sortByPoint(order: Uint32Array | undefined, points: Uint32Array, pointCount: number): Uint32Array {
  const start = new Uint32Array(pointCount + 1);
  for (let c = 0; c < points.length; c++) start[points[c] + 1]++;
  for (let i = 0; i < pointCount; i++) start[i + 1] += start[i];
  const out = new Uint32Array(points.length);
  for (let n = 0; n < points.length; n++) {
    const c = order ? order[n] : n;
    out[start[points[c]]++] = c;
  }
  return out;
}

/** A grid of the first frame. */
class Cells {
  readonly #map = new Map<string, number[]>();
  readonly #at: (i: number) => [number, number, number];

  constructor(positions: Float32Array, vertexOfPoint: Uint32Array, points: readonly number[], size: number) {
    this.#at = (i) => {
      const v = 3 * vertexOfPoint[i];
      return [0, 1, 2].map((r) => Math.floor(positions[v + r] / size)) as [number, number, number];
    };
    for (const i of points) {
      const key = this.#at(i).join();
      const list = this.#map.get(key) ?? [];
      list.push(i);
      this.#map.set(key, list);
    }
  }

  *listNear(i: number): Generator<number> {
    const [x, y, z] = this.#at(i);
    for (let n = 0; n < 27; n++)
      yield* this.#map.get(`${x + (n % 3) - 1},${y + (Math.floor(n / 3) % 3) - 1},${z + Math.floor(n / 9) - 1}`) ?? [];
  }
}

/** Positions in which the vertices of every group have their mean, shape by shape. */
function averageGroups(positions: Float32Array, stride: number, groupOf: Uint32Array): Float32Array {
  const out = new Float32Array(positions.length);
  const sums = new Float64Array(stride);
  const counts = new Uint32Array(groupOf.length);
  for (const g of groupOf) counts[g]++;
  for (let from = 0; from < positions.length; from += stride) {
    sums.fill(0);
    groupOf.forEach((g, v) => {
      for (let r = 0; r < 3; r++) sums[3 * g + r] += positions[from + 3 * v + r];
    });
    groupOf.forEach((g, v) => {
      for (let r = 0; r < 3; r++) out[from + 3 * v + r] = sums[3 * g + r] / counts[g];
    });
  }
  return out;
}
