// SPDX-License-Identifier: MIT
// An order of the vertices of a mesh and, for each, how it is predicted from vertices before it: the mean of its parallelograms a + b − c over
// triangles (a, b, c) that are known (C. Touma and C. Gotsman, Triangle mesh compression, 1998; D. Cohen-Or, R. Cohen and R. Irony, Multi-way geometry encoding, 2002).
// The next vertex is the one with the most parallelograms. The order follows from the triangles alone, so a decoder has it too.
import { type Adjacency, makeAdjacency } from '../src/mesh/adjacency.ts';

/** Vertices with more parallelograms than this are not preferred over one another. */
const MAX_RANK = 4;

export interface MeshWalk {
  /** By place in the order: the vertex. */
  order: Uint32Array;
  /** By place: its first source; one more at the end. */
  start: Uint32Array;
  /** Vertices that a vertex is predicted from, and their factors, which sum to one. */
  sources: Uint32Array;
  factors: Float64Array;
  /** By place: its first neighbour that is known before it, in `before`; one more at the end. */
  beforeStart: Uint32Array;
  before: Uint32Array;
  /** All neighbours, by vertex. */
  around: Adjacency;
}

export function makeMeshWalk(triangles: Uint32Array, vertexCount: number): MeshWalk {
  const around = makeAdjacency(vertexCount, triangles);
  const { rowStart, neighbours } = around;
  const across = listAcross(triangles);
  const trianglesOf = listTrianglesOf(triangles, vertexCount);
  const walk = new Walk(vertexCount);
  const isKnown = new Uint8Array(vertexCount);
  const predictions: number[][] = Array.from({ length: vertexCount }, () => []);
  const waiting: number[][] = Array.from({ length: MAX_RANK }, () => []);
  const visit = (v: number): void => {
    const known: number[] = [];
    for (let n = rowStart[v]; n < rowStart[v + 1]; n++) if (isKnown[neighbours[n]]) known.push(neighbours[n]);
    walk.add(v, predictions[v], known);
    isKnown[v] = 1;
    for (const t of trianglesOf(v)) {
      if (!(isKnown[triangles[3 * t]] && isKnown[triangles[3 * t + 1]] && isKnown[triangles[3 * t + 2]])) continue;
      for (let side = 0; side < 3; side++) {
        for (const corner of across(3 * t + side)) {
          const other = triangles[corner];
          if (isKnown[other]) continue;
          predictions[other].push(
            triangles[3 * t + ((side + 1) % 3)],
            triangles[3 * t + ((side + 2) % 3)],
            triangles[3 * t + side],
          );
          waiting[Math.min(MAX_RANK, predictions[other].length / 3) - 1].push(other);
        }
      }
    }
  };
  for (let t = 0; t < triangles.length / 3; t++) {
    for (let c = 3 * t; c < 3 * t + 3; c++) if (!isKnown[triangles[c]]) visit(triangles[c]);
    for (let v = takeNext(waiting, isKnown); v !== undefined; v = takeNext(waiting, isKnown)) visit(v);
  }
  // vertices without triangles
  for (let v = 0; v < vertexCount; v++) if (!isKnown[v]) visit(v);
  return walk.finish(around);
}

/** The last vertex that got the most parallelograms. */
function takeNext(waiting: number[][], isKnown: Uint8Array): number | undefined {
  for (let rank = waiting.length - 1; rank >= 0; rank--)
    for (let v = waiting[rank].pop(); v !== undefined; v = waiting[rank].pop()) if (!isKnown[v]) return v;
  return undefined;
}

/** By corner: the corners that are opposite to the same edge in other triangles. */
function listAcross(triangles: Uint32Array): (corner: number) => number[] {
  const edges = new Map<number, number[]>();
  const keyOf = (corner: number): number => {
    const first = corner - (corner % 3);
    const [a, b] = [triangles[first + ((corner + 1) % 3)], triangles[first + ((corner + 2) % 3)]];
    return Math.min(a, b) * 2 ** 26 + Math.max(a, b);
  };
  for (let corner = 0; corner < triangles.length; corner++) {
    const key = keyOf(corner);
    const list = edges.get(key);
    if (list) list.push(corner);
    else edges.set(key, [corner]);
  }
  return (corner) => edges.get(keyOf(corner))!;
}

function listTrianglesOf(triangles: Uint32Array, vertexCount: number): (v: number) => Uint32Array {
  const start = new Uint32Array(vertexCount + 1);
  for (const v of triangles) start[v + 1]++;
  for (let v = 0; v < vertexCount; v++) start[v + 1] += start[v];
  const fill = start.slice();
  const list = new Uint32Array(triangles.length);
  triangles.forEach((v, corner) => {
    list[fill[v]++] = Math.floor(corner / 3);
  });
  return (v) => list.subarray(start[v], start[v + 1]);
}

/** Collects the order. */
class Walk {
  readonly #order: number[] = [];
  readonly #start = [0];
  readonly #sources: number[] = [];
  readonly #factors: number[] = [];
  readonly #beforeStart = [0];
  readonly #before: number[] = [];
  readonly #marks: Int32Array;

  constructor(vertexCount: number) {
    this.#marks = new Int32Array(vertexCount).fill(-1);
  }

  /** Adds a vertex with its parallelograms (three vertices each) and its known neighbours, whose mean is the prediction if there is no parallelogram. */
  add(v: number, parallelograms: readonly number[], known: readonly number[]): void {
    const first = this.#sources.length;
    this.#order.push(v);
    if (parallelograms.length === 0) for (const u of known) this.#put(u, 1 / known.length, first);
    const part = 3 / parallelograms.length;
    for (const [n, u] of parallelograms.entries()) this.#put(u, n % 3 === 2 ? -part : part, first);
    for (let e = first; e < this.#sources.length; e++) this.#marks[this.#sources[e]] = -1;
    this.#start.push(this.#sources.length);
    this.#before.push(...known);
    this.#beforeStart.push(this.#before.length);
  }

  finish(around: Adjacency): MeshWalk {
    return {
      order: Uint32Array.from(this.#order),
      start: Uint32Array.from(this.#start),
      sources: Uint32Array.from(this.#sources),
      factors: Float64Array.from(this.#factors),
      beforeStart: Uint32Array.from(this.#beforeStart),
      before: Uint32Array.from(this.#before),
      around,
    };
  }

  #put(u: number, factor: number, first: number): void {
    if (this.#marks[u] < first) {
      this.#marks[u] = this.#sources.length;
      this.#sources.push(u);
      this.#factors.push(factor);
    } else this.#factors[this.#marks[u]] += factor;
  }
}
