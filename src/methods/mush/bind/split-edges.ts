// SPDX-License-Identifier: MIT
// Refinement of a triangle mesh by the midpoints of edges. An edge has one midpoint for all of its triangles, so the result has no cracks, on surfaces with boundaries and with edges of three or more triangles too.
//
//   marked edges of a triangle   new triangles
//   3                            4, each similar to it: midpoint subdivision
//   1: the longest               2
//   2: the longest and another   3: the longest edge is split first, then the half with the other edge
//
// First, all edges of a triangle with a chosen edge are marked. It becomes four of the same shape, so that cotangents, and where they are negative and clamped, the Laplacian, stay as they are. Then marks are extended to
// neighbours: if an edge of a triangle is marked, so is its longest edge. Bisection of the longest edge does not make angles smaller than half the smallest one of the mesh (M.-C. Rivara,
// "Algorithms for refining triangular grids suitable for adaptive and multigrid techniques", International Journal for Numerical Methods in Engineering 20, 1984), however often it is repeated.

/** A refined mesh: the given points, followed by one point per split edge. */
export interface SplitEdges {
  /** splitCount x 2: the ends of the edge in whose middle each new point is, the lower one first */
  ends: Uint32Array;
  /** triangleCount x 3 points */
  triangles: Uint32Array;
}

const NONE = 0xffffffff;

/** Edges are equally long up to this ratio, so that the rounding of positions does not decide on regular meshes. */
const SAME_LENGTH = 1 + 1e-4;

/**
 * Splits edges in the middle. New points are numbered by the first triangle of their edge. Triangles with a repeated corner are not split. Weld the vertices first: edges of different points have different midpoints.
 * @param positions pointCount x 3
 * @param triangles triangleCount x 3 points
 * @param isMarked whether the triangles of the edge between two points become four; default: all
 */
export function splitEdges(
  positions: ArrayLike<number>,
  triangles: Uint32Array,
  isMarked: (a: number, b: number, length: number) => boolean = () => true,
): SplitEdges {
  const pointCount = positions.length / 3;
  const { edgeOfCorner, corners } = listCornerEdges(pointCount, triangles);
  const edgeCount = corners.length / 2;
  const lengths = new Float64Array(edgeCount);
  const isChosen = new Uint8Array(edgeCount);
  const marks = new Uint8Array(edgeCount);
  for (let e = 0; e < edgeCount; e++) {
    const [a, b] = [3 * corners[2 * e], 3 * corners[2 * e + 1]];
    const [x, y, z] = [
      positions[a] - positions[b],
      positions[a + 1] - positions[b + 1],
      positions[a + 2] - positions[b + 2],
    ];
    lengths[e] = Math.sqrt(x * x + y * y + z * z);
    isChosen[e] = isMarked(corners[2 * e], corners[2 * e + 1], lengths[e]) ? 1 : 0;
  }
  for (let t = 0; t < triangles.length; t += 3) {
    const own = edgeOfCorner.subarray(t, t + 3);
    if (own[0] !== NONE && own.some((e) => isChosen[e] === 1)) for (const e of own) marks[e] = 1;
  }
  markLongest(edgeOfCorner, lengths, marks);

  const pointOfEdge = new Uint32Array(edgeCount);
  const ends: number[] = [];
  for (let e = 0; e < edgeCount; e++) {
    if (!marks[e]) continue;
    pointOfEdge[e] = pointCount + ends.length / 2;
    ends.push(corners[2 * e], corners[2 * e + 1]);
  }
  const out: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const first = edgeOfCorner[t] === NONE ? 0 : longestOf(edgeOfCorner, lengths, t);
    // corners a, b, c and edges ab, bc, ca, the longest first
    const [n, m] = [(first + 1) % 3, (first + 2) % 3];
    const [a, b, c] = [triangles[t + first], triangles[t + n], triangles[t + m]];
    const isSplit = (edge: number): boolean => edge !== NONE && marks[edge] === 1;
    const [ab, bc, ca] = [edgeOfCorner[t + first], edgeOfCorner[t + n], edgeOfCorner[t + m]];
    if (!isSplit(ab)) {
      out.push(triangles[t], triangles[t + 1], triangles[t + 2]);
      continue;
    }
    const p = pointOfEdge[ab];
    if (isSplit(bc) && isSplit(ca)) {
      const [q, r] = [pointOfEdge[bc], pointOfEdge[ca]];
      out.push(a, p, r, p, b, q, r, q, c, p, q, r);
    } else if (isSplit(bc)) {
      out.push(a, p, c, p, b, pointOfEdge[bc], p, pointOfEdge[bc], c);
    } else if (isSplit(ca)) {
      out.push(p, b, c, a, p, pointOfEdge[ca], pointOfEdge[ca], p, c);
    } else out.push(a, p, c, p, b, c);
  }
  return { ends: Uint32Array.from(ends), triangles: Uint32Array.from(out) };
}

/** The edge from each corner to the next, NONE for triangles with a repeated corner, and the ends of edges, in order of their first triangle. */
function listCornerEdges(pointCount: number, triangles: Uint32Array) {
  const edgeOfCorner = new Uint32Array(triangles.length).fill(NONE);
  const corners: number[] = [];
  const known = new Map<number, number>();
  for (let t = 0; t < triangles.length; t += 3) {
    const own = triangles.subarray(t, t + 3);
    if (own[0] === own[1] || own[1] === own[2] || own[2] === own[0]) continue;
    for (let n = 0; n < 3; n++) {
      const a = Math.min(own[n], own[(n + 1) % 3]);
      const b = Math.max(own[n], own[(n + 1) % 3]);
      const key = a * pointCount + b;
      let edge = known.get(key);
      if (edge === undefined) {
        edge = corners.length / 2;
        known.set(key, edge);
        corners.push(a, b);
      }
      edgeOfCorner[t + n] = edge;
    }
  }
  return { edgeOfCorner, corners };
}

/** The corner of a triangle from which its longest edge starts; of equal lengths the edge with the lower index, which is the same for all triangles of both. */
function longestOf(edgeOfCorner: Uint32Array, lengths: Float64Array, t: number): number {
  let longest = 0;
  for (let n = 1; n < 3; n++) {
    const [e, best] = [edgeOfCorner[t + n], edgeOfCorner[t + longest]];
    const isSame = lengths[e] <= SAME_LENGTH * lengths[best] && lengths[best] <= SAME_LENGTH * lengths[e];
    if (isSame ? e < best : lengths[e] > lengths[best]) longest = n;
  }
  return longest;
}

/** Marks the longest edges of triangles with a marked edge, until there are no new ones. Ends, since marks are never removed. */
function markLongest(edgeOfCorner: Uint32Array, lengths: Float64Array, marks: Uint8Array): void {
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (let t = 0; t < edgeOfCorner.length; t += 3) {
      if (edgeOfCorner[t] === NONE) continue;
      if (!marks[edgeOfCorner[t]] && !marks[edgeOfCorner[t + 1]] && !marks[edgeOfCorner[t + 2]]) continue;
      const longest = edgeOfCorner[t + longestOf(edgeOfCorner, lengths, t)];
      if (marks[longest]) continue;
      marks[longest] = 1;
      isChanged = true;
    }
  }
}
