// SPDX-License-Identifier: MIT
// The connectivity of a mesh while edges collapse. Vertices of one place that move alike are one point; its vertices, called wedges, differ in UVs,
// normals or part. Collapsing the edge from point i to point j removes the triangles at the edge and moves the other corners from the wedges of i to
// wedges of j. Which wedge replaces which follows from the removed triangles: a triangle with corners a of i and b of j maps a to b. The collapse is
// allowed if every wedge of i that is still used gets exactly one wedge: so points on a seam collapse along the seam only.
import type { Weld } from '../../core/mesh/topology/weld.ts';

/** Replacements of wedges by a collapse. */
export type WedgeMap = Map<number, number>;

export class PointMesh {
  /** triangleCount x 3: vertices of the corners; rows of removed triangles are not changed */
  readonly corners: Uint32Array;
  /** triangleCount, 0 or 1 */
  readonly isAlive: Uint8Array;
  /** By point: its triangles. */
  readonly trianglesOf: number[][];
  /** By point, 0 or 1: a point that must not be removed, because the surface branches there. */
  readonly isLocked: Uint8Array;
  triangleCount: number;
  readonly #pointOf: Uint32Array;

  constructor(triangles: Uint32Array, { pointOfVertex, pointCount }: Weld) {
    this.#pointOf = pointOfVertex;
    this.corners = triangles.slice();
    this.isAlive = new Uint8Array(triangles.length / 3);
    this.trianglesOf = Array.from({ length: pointCount }, () => []);
    this.isLocked = new Uint8Array(pointCount);
    this.triangleCount = 0;
    for (let t = 0; t < this.isAlive.length; t++) {
      const [a, b, c] = [0, 1, 2].map((k) => this.pointAt(3 * t + k));
      // a triangle without area at rest and in all poses
      if (a === b || b === c || c === a) continue;
      this.isAlive[t] = 1;
      this.triangleCount++;
      for (const p of [a, b, c]) this.trianglesOf[p].push(t);
    }
    this.#lockBranches();
  }

  /** The point of a corner. */
  pointAt(corner: number): number {
    return this.#pointOf[this.corners[corner]];
  }

  /** The points that share an edge with a point. */
  listNeighbours(point: number): number[] {
    const found = new Set<number>();
    for (const t of this.trianglesOf[point])
      for (let c = 3 * t; c < 3 * t + 3; c++) if (this.pointAt(c) !== point) found.add(this.pointAt(c));
    return [...found];
  }

  /** Triangles at an edge. */
  listShared(i: number, j: number): number[] {
    return this.trianglesOf[i].filter((t) => this.#hasPoint(t, j));
  }

  /** Whether the surface ends at an edge of the point. */
  isBorder(point: number): boolean {
    const uses = new Map<number, number>();
    for (const t of this.trianglesOf[point])
      for (let c = 3 * t; c < 3 * t + 3; c++) {
        const other = this.pointAt(c);
        if (other !== point) uses.set(other, (uses.get(other) ?? 0) + 1);
      }
    return [...uses.values()].some((count) => count === 1);
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
    for (const t of this.trianglesOf[i]) if (!map.has(this.#wedgeIn(t, i))) return undefined;
    return map;
  }

  /** Collapses the edge from i to j. */
  collapse(i: number, j: number, map: WedgeMap): void {
    for (const t of this.trianglesOf[i]) {
      if (this.#hasPoint(t, j)) {
        this.isAlive[t] = 0;
        this.triangleCount--;
        for (let c = 3 * t; c < 3 * t + 3; c++) {
          const other = this.pointAt(c);
          if (other !== i) this.trianglesOf[other] = this.trianglesOf[other].filter((one) => one !== t);
        }
        continue;
      }
      for (let c = 3 * t; c < 3 * t + 3; c++)
        if (this.pointAt(c) === i) this.corners[c] = map.get(this.corners[c]) ?? this.corners[c];
      this.trianglesOf[j].push(t);
    }
    this.trianglesOf[i] = [];
  }

  #hasPoint(t: number, point: number): boolean {
    return this.pointAt(3 * t) === point || this.pointAt(3 * t + 1) === point || this.pointAt(3 * t + 2) === point;
  }

  #wedgeIn(t: number, point: number): number {
    for (let c = 3 * t; c < 3 * t + 3; c++) if (this.pointAt(c) === point) return this.corners[c];
    return -1;
  }

  /** The link condition: i and j have no common neighbours but the tips of their triangles, and no closed tetrahedron collapses. */
  #isLinkSimple(i: number, j: number, shared: readonly number[]): boolean {
    const ofI = new Set(this.listNeighbours(i));
    let common = 0;
    for (const p of this.listNeighbours(j)) if (ofI.has(p)) common++;
    return common === shared.length && this.trianglesOf[i].length + this.trianglesOf[j].length > 2 * shared.length + 2;
  }

  /** Locks points at edges of more than two triangles, and points where several fans of triangles meet. */
  #lockBranches(): void {
    this.trianglesOf.forEach((list, point) => {
      const uses = new Map<number, number[]>();
      for (const t of list)
        for (let c = 3 * t; c < 3 * t + 3; c++) {
          const other = this.pointAt(c);
          if (other !== point) uses.set(other, [...(uses.get(other) ?? []), t]);
        }
      if ([...uses.values()].some(({ length }) => length > 2) || countFans(list, uses) > 1) this.isLocked[point] = 1;
    });
  }
}

/** Number of groups of triangles that are connected by edges at a point. */
function countFans(triangles: readonly number[], trianglesOfEdge: ReadonlyMap<number, number[]>): number {
  const group = new Map(triangles.map((t) => [t, t]));
  const rootOf = (t: number): number => {
    let root = t;
    for (let above = group.get(root); above !== undefined && above !== root; above = group.get(root)) root = above;
    return root;
  };
  for (const [first, ...others] of trianglesOfEdge.values())
    for (const t of others) group.set(rootOf(t), rootOf(first));
  return new Set(triangles.map(rootOf)).size;
}
