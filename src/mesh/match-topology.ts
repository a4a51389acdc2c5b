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
 * may be numbered differently in every frame (flat shading in Blender); then corners of triangles are matched.
 * @returns by vertex of the rest pose, its vertex of the frame, -1 for vertices without a triangle; undefined if the surfaces differ
 */
export function matchTopology(rest: Surface, frame: Surface): Int32Array | undefined {
  const vertexCount = rest.positions.length / 3;
  if (rest.triangles.length !== frame.triangles.length) return undefined;
  if (frame.positions.length === rest.positions.length && isEqual(rest.triangles, frame.triangles))
    return Int32Array.from({ length: vertexCount }, (_, i) => i);
  const restPoints = weldVertices(rest.positions).pointOfVertex;
  const framePoints = weldVertices(frame.positions).pointOfVertex;
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

function isEqual(a: Uint32Array, b: Uint32Array): boolean {
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false;
  return true;
}
