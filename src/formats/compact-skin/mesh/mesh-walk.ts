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
  return new Walk(triangles, opposite, vertexCount).run();
}

class Walk {
  readonly #triangles: Uint32Array;
  readonly #opposite: Int32Array;
  readonly #vertexCount: number;
  readonly #corners: ReturnType<typeof listCorners>;
  readonly #walk: MeshWalk;
  readonly #isKnown: Uint8Array;
  readonly #ranks: Uint8Array;
  /** By vertex: the place from which it was last seen. */
  readonly #marks: Uint32Array;
  /** By rank: vertices that are not known. */
  readonly #waiting: number[][] = Array.from({ length: MAX_RANK }, () => []);
  #place = 0;
  #sourceCount = 0;
  #beforeCount = 0;

  constructor(triangles: Uint32Array, opposite: Int32Array, vertexCount: number) {
    this.#triangles = triangles;
    this.#opposite = opposite;
    this.#vertexCount = vertexCount;
    this.#corners = listCorners(triangles, vertexCount);
    this.#walk = {
      order: new Uint32Array(vertexCount),
      start: new Uint32Array(vertexCount + 1),
      sources: new Uint32Array(3 * triangles.length),
      beforeStart: new Uint32Array(vertexCount + 1),
      before: new Uint32Array(2 * triangles.length),
    };
    this.#isKnown = new Uint8Array(vertexCount);
    this.#ranks = new Uint8Array(vertexCount);
    this.#marks = new Uint32Array(vertexCount);
  }

  run(): MeshWalk {
    const triangles = this.#triangles;
    for (let c = 0; c < triangles.length; c++) {
      if (!this.#isKnown[triangles[c]]) this.#visit(triangles[c]);
      if (c % 3 === 2) this.#visitWaiting();
    }
    // vertices without triangles
    for (let v = 0; v < this.#vertexCount; v++) if (!this.#isKnown[v]) this.#visit(v);
    const { sources, before } = this.#walk;
    return {
      ...this.#walk,
      sources: sources.subarray(0, this.#sourceCount),
      before: before.subarray(0, this.#beforeCount),
    };
  }

  /** Visits the vertices with parallelograms, always one with the most. */
  #visitWaiting(): void {
    for (let rank = MAX_RANK - 1; rank >= 0; rank--) {
      const list = this.#waiting[rank];
      for (let v = list.pop(); v !== undefined; v = list.pop()) {
        if (this.#isKnown[v]) continue;
        this.#visit(v);
        rank = MAX_RANK;
        break;
      }
    }
  }

  #visit(v: number): void {
    const [triangles, isKnown, walk] = [this.#triangles, this.#isKnown, this.#walk];
    isKnown[v] = 1;
    walk.order[this.#place++] = v;
    for (let n = this.#corners.start[v]; n < this.#corners.start[v + 1]; n++) {
      const corner = this.#corners.list[n];
      const far = corner % 3 === 2 ? corner - 2 : corner + 1;
      const near = corner % 3 === 0 ? corner + 2 : corner - 1;
      const a = triangles[far];
      const b = triangles[near];
      if (a === v || b === v) continue;
      this.#addBefore(a);
      this.#addBefore(b);
      if (!(isKnown[a] && isKnown[b])) continue;
      // the half-edge from far to near is opposite to v
      const other = this.#apexAcross(far);
      if (other >= 0 && isKnown[other] && other !== v) {
        walk.sources[this.#sourceCount++] = a;
        walk.sources[this.#sourceCount++] = b;
        walk.sources[this.#sourceCount++] = other;
      } else this.#offer(other);
      this.#offer(this.#apexAcross(near));
      this.#offer(this.#apexAcross(corner));
    }
    walk.start[this.#place] = this.#sourceCount / 3;
    walk.beforeStart[this.#place] = this.#beforeCount;
  }

  /** Adds a known neighbour, once. */
  #addBefore(v: number): void {
    if (this.#isKnown[v] && this.#marks[v] !== this.#place) this.#walk.before[this.#beforeCount++] = v;
    this.#marks[v] = this.#place;
  }

  /** A vertex has one more parallelogram. */
  #offer(v: number): void {
    if (v < 0 || this.#isKnown[v] === 1) return;
    const ranks = this.#ranks;
    this.#waiting[ranks[v] < MAX_RANK ? ranks[v]++ : MAX_RANK - 1].push(v);
  }

  /** The vertex beyond a half-edge; -1: none. */
  #apexAcross(halfEdge: number): number {
    const across = this.#opposite[halfEdge];
    return across < 0 ? -1 : this.#triangles[across % 3 === 0 ? across + 2 : across - 1];
  }
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
