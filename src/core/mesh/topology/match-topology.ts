// SPDX-License-Identifier: MIT
import { weldVertices } from './weld.ts';

/** Positions and triangles of a mesh. */
interface Surface {
  /** vertexCount x 3 */
  positions: Float32Array;
  /** triangleCount x 3 vertex indices */
  triangles: Uint32Array;
}

/**
 * Maximum ratio of points of one frame that are several points of the other: parts may touch in a frame (closed lips). Surfaces of different
 * topology with the same number of triangles differ at most points.
 */
const MAX_TOUCHING_RATIO = 0.02;

/**
 * Whether two frames are the same surface, with triangles in the same order. Exporters split vertices where normals or UVs differ, so vertices
 * may be numbered differently in every frame (flat shading in Blender); then corners of triangles are matched. Where vertices are the same,
 * polygons may be divided along other diagonals, which exporters choose by the shape.
 * @returns by vertex of the rest pose, its vertex of the frame, -1 for vertices without a triangle; undefined if the surfaces differ
 */
export function matchTopology(rest: Surface, frame: Surface): Int32Array | undefined {
  const vertexCount = rest.positions.length / 3;
  if (rest.triangles.length !== frame.triangles.length) return undefined;
  const isNumbered = frame.positions.length === rest.positions.length;
  const own = () => Int32Array.from({ length: vertexCount }, (_, i) => i);
  if (isNumbered && rest.triangles.every((i, c) => i === frame.triangles[c])) return own();
  const restPoints = weldVertices(rest.positions).pointOfVertex;
  const framePoints = weldVertices(frame.positions).pointOfVertex;
  if (isNumbered && isSamePolygons(rest.triangles, frame.triangles, restPoints, framePoints)) return own();
  const map = new Int32Array(vertexCount).fill(-1);
  for (let c = 0; c < rest.triangles.length; c++) {
    const i = rest.triangles[c];
    if (map[i] < 0) map[i] = frame.triangles[c];
    else if (framePoints[map[i]] !== framePoints[frame.triangles[c]]) return undefined;
  }
  const cornersOf = (points: ArrayLike<number>, { triangles }: Surface) => triangles.map((i) => points[i]);
  const restCorners = cornersOf(restPoints, rest);
  const frameCorners = cornersOf(framePoints, frame);
  const isMatch = measureSplit(restCorners, frameCorners) <= MAX_TOUCHING_RATIO;
  return isMatch && measureSplit(frameCorners, restCorners) <= MAX_TOUCHING_RATIO ? map : undefined;
}

/**
 * The positions of a frame in the vertices of the rest pose.
 * @param map of matchTopology
 * @param rest positions of vertices without a triangle
 */
export function gatherPoints(positions: Float32Array, map: Int32Array, rest: Float32Array): Float32Array {
  const out = new Float32Array(3 * map.length);
  for (let i = 0; i < map.length; i++) {
    const [from, o] = map[i] < 0 ? [rest, 3 * i] : [positions, 3 * map[i]];
    for (let c = 0; c < 3; c++) out[3 * i + c] = from[o + c];
  }
  return out;
}

/** Minimum ratio of triangles that are the same in both frames. Bent quads of Blender differ in up to 13 % of theirs. */
const MIN_SAME_RATIO = 0.75;

/**
 * Whether triangles over the same vertices are the same, in any order, up to the diagonals of polygons: those that differ fill the same boundary.
 * @param points by vertex, its point in the first frame; vertices of one point are one point in the second too
 */
function isSamePolygons(
  first: Uint32Array,
  second: Uint32Array,
  points: ArrayLike<number>,
  others: ArrayLike<number>,
): boolean {
  const vertexCount = points.length;
  const otherOf = new Map<number, number>();
  for (let i = 0; i < vertexCount; i++) {
    if ((otherOf.get(points[i]) ?? others[i]) !== others[i]) return false;
    otherOf.set(points[i], others[i]);
  }
  const [a, b] = [first, second].map((triangles) => triangles.map((i) => points[i]));
  /** For each edge of the two smallest corners: how many triangles have which third corner. */
  const thirds = new Map<number, Map<number, number>>();
  const keyOf = (i: number, j: number) => Math.min(i, j) * vertexCount + Math.max(i, j);
  const sorted = (list: Uint32Array, c: number) => list.slice(c, c + 3).sort();
  for (let c = 0; c < a.length; c += 3) {
    const [i, j, k] = sorted(a, c);
    const key = keyOf(i, j);
    const counts = thirds.get(key) ?? new Map<number, number>();
    counts.set(k, (counts.get(k) ?? 0) + 1);
    thirds.set(key, counts);
  }
  /** Edges of an odd number of triangles that differ, of both frames together. */
  const edges = new Set<number>();
  const toggle = (i: number, j: number) => {
    const key = keyOf(i, j);
    if (!edges.delete(key)) edges.add(key);
  };
  const toggleAll = (i: number, j: number, k: number) => {
    toggle(i, j);
    toggle(j, k);
    toggle(k, i);
  };
  let same = 0;
  for (let c = 0; c < b.length; c += 3) {
    const [i, j, k] = sorted(b, c);
    const counts = thirds.get(keyOf(i, j));
    const count = counts?.get(k) ?? 0;
    if (!counts || count === 0) toggleAll(i, j, k);
    else {
      counts.set(k, count - 1);
      same++;
    }
  }
  if (3 * same < MIN_SAME_RATIO * a.length) return false;
  for (const [key, counts] of thirds)
    for (const [k, count] of counts)
      if (count % 2 === 1) toggleAll(Math.floor(key / vertexCount), key % vertexCount, k);
  return edges.size === 0;
}

/** Ratio of the points of `a` whose corners are several points of `b`. */
function measureSplit(a: Uint32Array, b: Uint32Array): number {
  const other = new Map<number, number>();
  const split = new Set<number>();
  for (let c = 0; c < a.length; c++) {
    const known = other.get(a[c]);
    if (known === undefined) other.set(a[c], b[c]);
    else if (known !== b[c]) split.add(a[c]);
  }
  return split.size / Math.max(other.size, 1);
}
