// SPDX-License-Identifier: MIT
// An order of the vertices of a mesh and, for each, how it is predicted from vertices before it: the mean of its parallelograms a + b − c over
// triangles (a, b, c) that are known (C. Touma and C. Gotsman, Triangle mesh compression, 1998; D. Cohen-Or, R. Cohen and R. Irony, Multi-way geometry encoding, 2002).
// The next vertex is the one with the most parallelograms. The order follows from the triangles alone, so a decoder has it too.

/** Vertices with more parallelograms than this are not preferred over one another. */
const MAX_RANK = 4;

export interface MeshWalk {
  /** By place in the order: the vertex. */
  order: Uint32Array;
  /** By place: its first parallelogram; one more at the end. */
  start: Uint32Array;
  /** Three vertices a, b, c of each parallelogram a + b − c. */
  sources: Uint32Array;
  /** By place: its first neighbour that is known before it, in `before`; one more at the end. */
  beforeStart: Uint32Array;
  before: Uint32Array;
}

/** @param opposite by half-edge 3t + c, from corner c of triangle t to the next: the half-edge on the other side; -1: none */
export function makeMeshWalk(triangles: Uint32Array, opposite: Int32Array, vertexCount: number): MeshWalk {
  const corners = listCorners(triangles, vertexCount);
  const walk = {
    order: new Uint32Array(vertexCount),
    start: new Uint32Array(vertexCount + 1),
    sources: new Uint32Array(3 * triangles.length),
    beforeStart: new Uint32Array(vertexCount + 1),
    before: new Uint32Array(2 * triangles.length),
  };
  const isKnown = new Uint8Array(vertexCount);
  const ranks = new Uint8Array(vertexCount);
  const marks = new Uint32Array(vertexCount);
  const waiting: number[][] = Array.from({ length: MAX_RANK }, () => []);
  let [place, sourceCount, beforeCount] = [0, 0, 0];

  const apexAcross = (halfEdge: number): number => {
    const across = opposite[halfEdge];
    return across < 0 ? -1 : triangles[across % 3 === 0 ? across + 2 : across - 1];
  };
  /** A vertex has one more parallelogram. */
  const offer = (v: number): void => {
    if (v >= 0 && isKnown[v] === 0) waiting[ranks[v] < MAX_RANK ? ranks[v]++ : MAX_RANK - 1].push(v);
  };
  const visit = (v: number): void => {
    isKnown[v] = 1;
    walk.order[place++] = v;
    for (let n = corners.start[v]; n < corners.start[v + 1]; n++) {
      const corner = corners.list[n];
      const far = corner % 3 === 2 ? corner - 2 : corner + 1;
      const near = corner % 3 === 0 ? corner + 2 : corner - 1;
      const a = triangles[far];
      const b = triangles[near];
      if (a === v || b === v) continue;
      if (isKnown[a] && marks[a] !== place) walk.before[beforeCount++] = a;
      marks[a] = place;
      if (isKnown[b] && marks[b] !== place) walk.before[beforeCount++] = b;
      marks[b] = place;
      if (!(isKnown[a] && isKnown[b])) continue;
      // the half-edge from far to near is opposite to v
      const other = apexAcross(far);
      if (other >= 0 && isKnown[other] && other !== v) {
        walk.sources[sourceCount++] = a;
        walk.sources[sourceCount++] = b;
        walk.sources[sourceCount++] = other;
      } else offer(other);
      offer(apexAcross(near));
      offer(apexAcross(corner));
    }
    walk.start[place] = sourceCount / 3;
    walk.beforeStart[place] = beforeCount;
  };
  for (let c = 0; c < triangles.length; c++) {
    if (!isKnown[triangles[c]]) visit(triangles[c]);
    if (c % 3 < 2) continue;
    for (let rank = MAX_RANK - 1; rank >= 0; rank--) {
      const list = waiting[rank];
      for (let v = list.pop(); v !== undefined; v = list.pop()) {
        if (isKnown[v]) continue;
        visit(v);
        rank = MAX_RANK;
        break;
      }
    }
  }
  // vertices without triangles
  for (let v = 0; v < vertexCount; v++) if (!isKnown[v]) visit(v);
  return { ...walk, sources: walk.sources.subarray(0, sourceCount), before: walk.before.subarray(0, beforeCount) };
}

/** By vertex: the corners where it is. */
function listCorners(triangles: Uint32Array, vertexCount: number): { start: Uint32Array; list: Uint32Array } {
  const start = new Uint32Array(vertexCount + 1);
  for (let c = 0; c < triangles.length; c++) start[triangles[c] + 1]++;
  for (let v = 0; v < vertexCount; v++) start[v + 1] += start[v];
  const fill = start.slice();
  const list = new Uint32Array(triangles.length);
  for (let c = 0; c < triangles.length; c++) list[fill[triangles[c]]++] = c;
  return { start, list };
}
