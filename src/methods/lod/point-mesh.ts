// SPDX-License-Identifier: MIT
// The connectivity of a mesh while edges collapse. Vertices of one place that move alike are one point; its vertices, called wedges, differ in UVs,
// normals or part. Collapsing the edge from point i to point j removes the triangles at the edge and moves the other corners from the wedges of i to
// wedges of j. Which wedge replaces which follows from the removed triangles: a triangle with corners a of i and b of j maps a to b. The collapse is
// allowed if every wedge of i that is still used gets exactly one wedge: so points on a seam collapse along the seam only.
//
// The corners of a point are a linked list, and its neighbours and wedges are counted. So a question about an edge visits the triangles of the end that has
// fewer, and the tip of a fan of thousands does not slow its rim down. Edges between two points of many triangles are kept.
import type { Weld } from '../../core/mesh/topology/weld.ts';

/** Replacements of wedges by a collapse. */
export type WedgeMap = Map<number, number>;

/** No corner: the end of a list. */
const NONE = -1;
/** A point with more triangles is a hub. Meshes that are made to be drawn have none, except the tips of large fans. */
const HUB_VALENCE = 256;

export class PointMesh {
  /** triangleCount x 3: vertices of the corners; rows of removed triangles are not changed */
  readonly corners: Uint32Array;
  /** triangleCount, 0 or 1 */
  readonly isAlive: Uint8Array;
  /** By point, 0 or 1: a point that must not be removed, because the surface branches there. */
  readonly isLocked: Uint8Array;
  triangleCount: number;
  readonly #pointOf: Uint32Array;
  /** By point: number of its triangles. */
  readonly #valence: Uint32Array;
  /** By point: number of points that share an edge with it. */
  readonly #neighbours: Uint32Array;
  /** By point: number of its wedges that corners use. */
  readonly #wedges: Uint32Array;
  /** By vertex: number of corners that use it. */
  readonly #uses: Uint32Array;
  /** By point: the first and the last of its corners. */
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  /** By corner: its neighbours in the list of its point, and a number that rises along the list. */
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #rank: Float64Array;
  #ranks = 0;
  /** By hub: the hubs that share an edge with it. Points that are no hubs any more may still be listed. */
  readonly #hubs = new Map<number, Set<number>>();

  constructor(triangles: Uint32Array, { pointOfVertex, pointCount }: Weld) {
    this.#pointOf = pointOfVertex;
    this.corners = triangles.slice();
    this.isAlive = new Uint8Array(triangles.length / 3);
    this.isLocked = new Uint8Array(pointCount);
    this.#valence = new Uint32Array(pointCount);
    this.#neighbours = new Uint32Array(pointCount);
    this.#wedges = new Uint32Array(pointCount);
    this.#uses = new Uint32Array(pointOfVertex.length);
    this.#first = new Int32Array(pointCount).fill(NONE);
    this.#last = new Int32Array(pointCount).fill(NONE);
    this.#next = new Int32Array(triangles.length);
    this.#previous = new Int32Array(triangles.length);
    this.#rank = new Float64Array(triangles.length);
    this.triangleCount = 0;
    for (let t = 0; t < this.isAlive.length; t++) {
      const [a, b, c] = [0, 1, 2].map((k) => this.pointAt(3 * t + k));
      // a triangle without area at rest and in all poses
      if (a === b || b === c || c === a) continue;
      this.isAlive[t] = 1;
      this.triangleCount++;
      for (let corner = 3 * t; corner < 3 * t + 3; corner++) this.#append(corner);
    }
    this.#countNeighbours();
    for (let point = 0; point < pointCount; point++) if (this.isHub(point)) this.#addHub(point);
  }

  /** The point of a corner. */
  pointAt(corner: number): number {
    return this.#pointOf[this.corners[corner]];
  }

  /** Whether a point has so many triangles that visiting them for every change of a neighbour takes too long. */
  isHub(point: number): boolean {
    return this.#valence[point] > HUB_VALENCE;
  }

  /** The triangles of a point. */
  *trianglesOf(point: number): Generator<number> {
    for (let c = this.#first[point]; c !== NONE; c = this.#next[c]) yield Math.floor(c / 3);
  }

  /** The points that share an edge with a point. */
  listNeighbours(point: number): number[] {
    const found = new Set<number>();
    for (let own = this.#first[point]; own !== NONE; own = this.#next[own]) {
      const start = own - (own % 3);
      for (let c = start; c < start + 3; c++) if (c !== own) found.add(this.pointAt(c));
    }
    return [...found];
  }

  /** Triangles at an edge, in the order of the triangles of i. */
  listShared(i: number, j: number): number[] {
    const [few, other] = this.#valence[j] < this.#valence[i] ? [j, i] : [i, j];
    const shared: { t: number; rank: number }[] = [];
    for (let own = this.#first[few]; own !== NONE; own = this.#next[own]) {
      const t = Math.floor(own / 3);
      const corner = this.#cornerIn(t, other);
      if (corner !== NONE) shared.push({ t, rank: this.#rank[few === i ? own : corner] });
    }
    if (few !== i) shared.sort((a, b) => a.rank - b.rank);
    return shared.map(({ t }) => t);
  }

  /** Whether the surface ends at an edge of the point. It must not be locked: its edges have at most two triangles each. */
  isBorder(point: number): boolean {
    return this.#neighbours[point] > this.#valence[point];
  }

  /** The replacements of the wedges of i if the edge to j may collapse; undefined if it may not. */
  planCollapse(i: number, j: number): WedgeMap | undefined {
    if (this.isLocked[i]) return undefined;
    const shared = this.listShared(i, j);
    if (shared.length === 0 || shared.length > 2) return undefined;
    if (shared.length === 2 && this.isBorder(i)) return undefined;
    if (!this.#isLinkSimple(i, j, shared)) return undefined;
    const map: WedgeMap = new Map();
    for (const t of shared) {
      const [from, to] = [this.#wedgeIn(t, i), this.#wedgeIn(t, j)];
      if ((map.get(from) ?? to) !== to) return undefined;
      map.set(from, to);
    }
    return map.size === this.#wedges[i] ? map : undefined;
  }

  /** Collapses the edge from i to j. */
  collapse(i: number, j: number, map: WedgeMap): void {
    const shared = this.listShared(i, j);
    const wasHub = this.isHub(j);
    const met = wasHub ? this.listNeighbours(i) : [];
    const tips = shared.map((t) => this.#tipOf(t, i, j));
    for (const t of shared) {
      this.isAlive[t] = 0;
      this.triangleCount--;
      for (let c = 3 * t; c < 3 * t + 3; c++) this.#remove(c);
    }
    this.#neighbours[j] += this.#neighbours[i] - 2 - tips.length;
    this.#neighbours[i] = 0;
    for (let c = this.#first[i]; c !== NONE; ) {
      const next = this.#next[c];
      this.#remove(c);
      this.corners[c] = map.get(this.corners[c]) ?? this.corners[c];
      this.#append(c);
      c = next;
    }
    // a tip loses i, and j too if its only triangle was removed
    for (const tip of tips) {
      this.#neighbours[tip]--;
      if (this.#isEdge(tip, j)) continue;
      this.#neighbours[tip]--;
      this.#neighbours[j]--;
      this.#hubs.get(tip)?.delete(j);
      this.#hubs.get(j)?.delete(tip);
    }
    if (this.isHub(j) && !wasHub) this.#addHub(j);
    for (const other of met) if (other !== j) this.#joinHubs(other, j);
  }

  /** Adds a corner to the end of the list of its point. */
  #append(corner: number): void {
    const point = this.pointAt(corner);
    this.#previous[corner] = this.#last[point];
    this.#next[corner] = NONE;
    if (this.#last[point] === NONE) this.#first[point] = corner;
    else this.#next[this.#last[point]] = corner;
    this.#last[point] = corner;
    this.#rank[corner] = this.#ranks++;
    this.#valence[point]++;
    if (this.#uses[this.corners[corner]]++ === 0) this.#wedges[point]++;
  }

  #remove(corner: number): void {
    const point = this.pointAt(corner);
    const [previous, next] = [this.#previous[corner], this.#next[corner]];
    if (previous === NONE) this.#first[point] = next;
    else this.#next[previous] = next;
    if (next === NONE) this.#last[point] = previous;
    else this.#previous[next] = previous;
    this.#valence[point]--;
    if (--this.#uses[this.corners[corner]] === 0) this.#wedges[point]--;
  }

  /** The corner of a triangle at a point, or NONE. */
  #cornerIn(t: number, point: number): number {
    for (let c = 3 * t; c < 3 * t + 3; c++) if (this.pointAt(c) === point) return c;
    return NONE;
  }

  #wedgeIn(t: number, point: number): number {
    return this.corners[this.#cornerIn(t, point)];
  }

  /** The third point of a triangle at an edge. */
  #tipOf(t: number, i: number, j: number): number {
    const points = [0, 1, 2].map((k) => this.pointAt(3 * t + k));
    return points.find((point) => point !== i && point !== j) ?? i;
  }

  /** Finds the hubs beside a point that has become one. */
  #addHub(point: number): void {
    for (const other of this.#hubs.get(point) ?? []) this.#hubs.get(other)?.delete(point);
    this.#hubs.set(point, new Set());
    for (const other of this.listNeighbours(point)) this.#joinHubs(point, other);
  }

  #joinHubs(i: number, j: number): void {
    if (!this.isHub(i) || !this.isHub(j)) return;
    this.#hubs.get(i)?.add(j);
    this.#hubs.get(j)?.add(i);
  }

  #isEdge(i: number, j: number): boolean {
    if (this.isHub(i) && this.isHub(j)) return this.#hubs.get(i)?.has(j) ?? false;
    const [few, other] = this.#valence[j] < this.#valence[i] ? [j, i] : [i, j];
    for (const t of this.trianglesOf(few)) if (this.#cornerIn(t, other) !== NONE) return true;
    return false;
  }

  /** The link condition: i and j have no common neighbours but the tips of their triangles, and no closed tetrahedron collapses. */
  #isLinkSimple(i: number, j: number, shared: readonly number[]): boolean {
    const [few, other] = this.#valence[j] < this.#valence[i] ? [j, i] : [i, j];
    let common = 0;
    for (const p of this.listNeighbours(few)) if (p !== other && this.#isEdge(p, other)) common++;
    // the rim of a fan has two triangles at each point, and its hub stays
    const isRim = shared.length === 1 && this.isHub(this.#tipOf(shared[0], i, j));
    const fewest = isRim ? 2 : 2 * shared.length + 2;
    return common === shared.length && this.#valence[i] + this.#valence[j] > fewest;
  }

  /** Counts neighbours, and locks points at edges of more than two triangles, and points where several fans of triangles meet. */
  #countNeighbours(): void {
    for (let point = 0; point < this.#first.length; point++) {
      const triangles = [...this.trianglesOf(point)];
      const uses = new Map<number, number[]>();
      for (const t of triangles)
        for (let c = 3 * t; c < 3 * t + 3; c++) {
          const other = this.pointAt(c);
          if (other === point) continue;
          const known = uses.get(other);
          if (known) known.push(t);
          else uses.set(other, [t]);
        }
      this.#neighbours[point] = uses.size;
      if ([...uses.values()].some(({ length }) => length > 2) || countFans(triangles, uses) > 1)
        this.isLocked[point] = 1;
    }
  }
}

/** Number of groups of triangles that are connected by edges at a point. */
function countFans(triangles: readonly number[], trianglesOfEdge: ReadonlyMap<number, number[]>): number {
  const group = new Map(triangles.map((t) => [t, t]));
  const aboveOf = (t: number): number => group.get(t) ?? t;
  const rootOf = (t: number): number => {
    // each step halves the way to the root
    for (let at = t; ; at = aboveOf(at)) {
      const above = aboveOf(at);
      if (above === at) return at;
      group.set(at, aboveOf(above));
    }
  };
  for (const [first, ...others] of trianglesOfEdge.values())
    for (const t of others) group.set(rootOf(t), rootOf(first));
  return new Set(triangles.map(rootOf)).size;
}
