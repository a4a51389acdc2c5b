// SPDX-License-Identifier: MIT

/** Neighbours of each vertex along triangle edges, compressed rows: ascending, each once, never the vertex itself. */
export interface Adjacency {
  /** vertexCount + 1: neighbours of vertex i are rowStart[i] up to rowStart[i + 1] */
  rowStart: Uint32Array;
  /** vertex indices */
  neighbours: Uint32Array;
}

/**
 * Makes the adjacency of vertices that share an edge, in time linear in the triangles.
 * @param triangles triangleCount x 3 vertex indices
 */
export function makeAdjacency(vertexCount: number, triangles: Uint32Array): Adjacency {
  // Each edge of each triangle, both ways: count, then place.
  const start = new Uint32Array(vertexCount + 1);
  for (let c = 0; c < triangles.length; c++) start[triangles[c] + 1] += 2;
  for (let i = 0; i < vertexCount; i++) start[i + 1] += start[i];
  const ends = new Uint32Array(start[vertexCount]);
  const cursor = start.slice(0, vertexCount);
  for (let c = 0; c < triangles.length; c += 3) {
    const a = triangles[c];
    const b = triangles[c + 1];
    const d = triangles[c + 2];
    ends[cursor[a]++] = b;
    ends[cursor[a]++] = d;
    ends[cursor[b]++] = a;
    ends[cursor[b]++] = d;
    ends[cursor[d]++] = a;
    ends[cursor[d]++] = b;
  }

  // The relation is symmetric: visiting rows in order and appending the row to each of its ends sorts every row.
  const sorted = new Uint32Array(ends.length);
  cursor.set(start.subarray(0, vertexCount));
  for (let i = 0; i < vertexCount; i++) {
    for (let e = start[i]; e < start[i + 1]; e++) sorted[cursor[ends[e]]++] = i;
  }

  // Drop repeats and loops (from degenerate triangles), packing in place.
  const rowStart = new Uint32Array(vertexCount + 1);
  let count = 0;
  for (let i = 0; i < vertexCount; i++) {
    rowStart[i] = count;
    for (let e = start[i]; e < start[i + 1]; e++) {
      const end = sorted[e];
      if (end !== i && (count === rowStart[i] || sorted[count - 1] !== end)) sorted[count++] = end;
    }
  }
  rowStart[vertexCount] = count;
  return { rowStart, neighbours: sorted.slice(0, count) };
}
