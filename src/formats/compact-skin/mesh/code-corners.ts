// SPDX-License-Identifier: MIT
// Vertices at the corners of triangles of points. A point has several vertices where normals or texture coordinates have a seam. A corner has the vertex that was last used at its point, another known one, or a new one.
import { type BitCoder, BitModels } from '../entropy/range-coder.ts';

export interface CornerVertices {
  /** triangleCount x 3 */
  triangles: Uint32Array;
  /** By vertex: its point. */
  pointOfVertex: Uint32Array;
  /** Encoder: by vertex, the vertex that was given. */
  order: Uint32Array;
}

/**
 * Codes the vertex of each corner. Vertices are numbered in the order of the code; points without triangles have one vertex each, after all others.
 * @param points triangleCount x 3
 * @param given encoder: the vertex of each corner and of each point without triangles, in any numbers
 */
export function codeCorners(
  coder: BitCoder,
  points: Uint32Array,
  counts: { pointCount: number; usedCount: number; vertexCount: number },
  given?: { corners: Uint32Array; unused: Uint32Array },
): CornerVertices {
  const { pointCount, usedCount, vertexCount } = counts;
  const triangles = new Uint32Array(points.length);
  const pointOfVertex = new Uint32Array(vertexCount);
  const order = new Uint32Array(given ? vertexCount : 0);
  const models = new BitModels(4);
  // vertices of a point as a list: the last one first, each with the one before
  const last = new Int32Array(pointCount).fill(-1);
  const earlier = new Int32Array(vertexCount).fill(-1);
  const numbers = new Map<number, number>();
  const isSplit = vertexCount > pointCount;
  let count = 0;
  const add = (point: number): number => {
    const vertex = Math.min(vertexCount - 1, count);
    count = vertex + 1;
    pointOfVertex[vertex] = point;
    if (last[point] !== vertex) earlier[vertex] = last[point];
    last[point] = vertex;
    return vertex;
  };
  let wasSame = 0;
  for (let c = 0; c < points.length; c++) {
    const point = points[c];
    let vertex = last[point];
    const source = given ? given.corners[c] : 0;
    if (vertex < 0) vertex = add(point);
    else if (isSplit) {
      const wanted = given ? (numbers.get(source) ?? -1) : -1;
      wasSame = coder.code(wanted === vertex ? 0 : 1, models, wasSame);
      if (wasSame === 1) {
        // earlier vertices of the point one by one, then a new one
        let other = earlier[vertex];
        while (other >= 0 && coder.code(wanted === other ? 0 : 1, models, 2) === 1) other = earlier[other];
        vertex = other >= 0 ? toFront(point, other) : add(point);
      }
    }
    if (given) {
      numbers.set(source, vertex);
      order[vertex] = source;
    }
    triangles[c] = vertex;
  }
  for (let point = usedCount; point < pointCount; point++) {
    const vertex = add(point);
    if (given) order[vertex] = given.unused[point - usedCount];
  }
  return { triangles, pointOfVertex, order };

  function toFront(point: number, vertex: number): number {
    let at = last[point];
    while (earlier[at] !== vertex) at = earlier[at];
    earlier[at] = earlier[vertex];
    earlier[vertex] = last[point];
    last[point] = vertex;
    return vertex;
  }
}
