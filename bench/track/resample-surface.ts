// SPDX-License-Identifier: MIT
// Another mesh of nearly the same surface, as a scanner would give it: its vertices are other points of the surface, and its edges are others, so that creases of the mesh are not kept.
import { makeRandom } from '../../src/core/math/random.ts';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import { type RemeshedSurface, type RemeshOptions, remeshSurface } from '../../src/samples/index.ts';

/** Points are made in excess, relative to the wanted number; the rest is removed by edge collapses. */
const EXCESS = 2;
/** Maximum tangential motion of a point, relative to the weights of its corners. */
const JITTER = 0.3;
/** A collapse may turn a triangle by 60 degrees, and a flip by 25 degrees. */
const COLLAPSE_COSINE = 0.5;
const FLIP_COSINE = 0.9;
/** Maximum distance of a removed point to the plane of a triangle that replaces it, relative to the box diagonal. */
const MAX_DEVIATION = 0.002;
/** Edges of which the shortest is collapsed. */
const CANDIDATES = 4;
/** Attempts to collapse or flip an edge, per vertex. */
const ATTEMPTS = 20;
const FLIPS = 2;

type Point = readonly number[];

/**
 * Splits edges at random places, moves points along the surface, collapses random edges and flips others. All vertices are points of the surface; triangles may cut its creases by 0.2 % of the box
 * diagonal.
 * @param positions vertexCount x 3
 * @param triangles triangleCount x 3, welded
 */
export function resampleSurface(
  positions: ArrayLike<number>,
  triangles: Uint32Array,
  { vertices, seed = 0 }: RemeshOptions,
): RemeshedSurface {
  const random = makeRandom(seed);
  const fine = remeshSurface(positions, triangles, {
    vertices: Math.max(EXCESS * vertices, positions.length / 3),
    seed,
  });
  const { corners, blends } = fine;
  const placeOf = (i: number, weights: readonly number[]): Point =>
    [0, 1, 2].map((a) => weights.reduce((sum, w, n) => sum + w * positions[3 * corners[3 * i + n] + a], 0));
  const places = Array.from({ length: blends.length / 3 }, (_, i) =>
    placeOf(i, [...blends.subarray(3 * i, 3 * i + 3)]),
  );
  const mesh = new EditableMesh(places, fine.triangles);
  for (let i = 0; i < places.length; i++) {
    // weights of zero stay: points of edges and corners stay on them
    const moved = Array.from(blends.subarray(3 * i, 3 * i + 3), (w) => w * (1 + JITTER * (2 * random.next() - 1)));
    const sum = moved[0] + moved[1] + moved[2];
    const weights = moved.map((w) => w / sum);
    if (mesh.slide(i, placeOf(i, weights))) blends.set(weights, 3 * i);
  }
  const tolerance = MAX_DEVIATION * measureBounds(Float32Array.from(positions)).diagonal;
  for (let n = 0; n < ATTEMPTS * places.length && mesh.vertexCount > vertices; n++) {
    const edges = Array.from({ length: CANDIDATES }, () => mesh.pickEdge(random.below(mesh.cornerCount)));
    const [from, to] = edges.reduce((a, b) => (mesh.lengthOf(b) < mesh.lengthOf(a) ? b : a));
    mesh.collapse(from, to, tolerance);
  }
  for (let n = 0; n < FLIPS * mesh.vertexCount; n++) mesh.flip(...mesh.pickEdge(random.below(mesh.cornerCount)));
  return mesh.compact(corners, blends);
}

/** Triangles whose edges are collapsed and flipped. */
class EditableMesh {
  readonly #places: Point[];
  readonly #faces: number[][] = [];
  /** Faces around each vertex. */
  readonly #facesOf: Set<number>[];
  vertexCount = 0;

  constructor(places: Point[], triangles: Uint32Array) {
    this.#places = places;
    this.#facesOf = places.map(() => new Set());
    for (let c = 0; c < triangles.length; c += 3) this.#add([...triangles.subarray(c, c + 3)]);
    this.vertexCount = this.#facesOf.filter(({ size }) => size > 0).length;
  }

  get cornerCount(): number {
    return 3 * this.#faces.length;
  }

  /** The edge that starts at a corner; of a removed face: no edge. */
  pickEdge(corner: number): [number, number] {
    const face = this.#faces[Math.floor(corner / 3)];
    return face.length === 0 ? [-1, -1] : [face[corner % 3], face[(corner + 1) % 3]];
  }

  lengthOf([i, j]: [number, number]): number {
    return i < 0 ? Number.POSITIVE_INFINITY : Math.hypot(...subtract(this.#places[i], this.#places[j]));
  }

  /** Moves a vertex within the surface, unless a triangle would turn. */
  slide(i: number, place: Point): boolean {
    const [faces, old] = [[...this.#facesOf[i]], this.#places[i]];
    const normals = faces.map((f) => this.#normalOf(this.#faces[f]));
    this.#places[i] = place;
    const isKept = faces.every((f, n) => dot(this.#normalOf(this.#faces[f]), normals[n]) > FLIP_COSINE);
    if (!isKept) this.#places[i] = old;
    return isKept;
  }

  /** Moves a vertex to another one, unless the surface would fold, change its genus or leave its place. */
  collapse(from: number, to: number, tolerance: number): void {
    if (from < 0) return;
    const shared = this.#sharedFaces(from, to);
    const own = this.#neighboursOf(from);
    const isClosed = own.size === this.#facesOf[from].size;
    const common = [...this.#neighboursOf(to)].filter((i) => own.has(i));
    if (shared.length !== 2 || !isClosed || common.length !== 2) return;
    const kept = [...this.#facesOf[from]].filter((f) => !shared.includes(f));
    const next = kept.map((f) => this.#faces[f].map((i) => (i === from ? to : i)));
    let deviation = Number.POSITIVE_INFINITY;
    for (const [n, face] of next.entries()) {
      const normal = this.#normalOf(face);
      if (dot(normal, this.#normalOf(this.#faces[kept[n]])) < COLLAPSE_COSINE) return;
      deviation = Math.min(deviation, Math.abs(dot(normal, subtract(this.#places[from], this.#places[to]))));
    }
    if (deviation > tolerance) return;
    for (const f of [...shared, ...kept]) this.#remove(f);
    for (const face of next) this.#add(face);
    this.vertexCount--;
  }

  /** Exchanges the diagonal of two nearly coplanar triangles. */
  flip(i: number, j: number): void {
    if (i < 0) return;
    const shared = this.#sharedFaces(i, j);
    if (shared.length !== 2) return;
    const [a, b] = shared.map((f) => this.#faces[f]);
    const [p, q] = [a, b].map((face) => face.find((v) => v !== i && v !== j)!);
    if (this.#neighboursOf(p).has(q)) return;
    // a has the edge from i to j if b has it from j to i
    const isForward = a[(a.indexOf(i) + 1) % 3] === j;
    const next = isForward
      ? [
          [p, i, q],
          [q, j, p],
        ]
      : [
          [q, i, p],
          [p, j, q],
        ];
    for (const face of next)
      for (const old of [a, b]) if (dot(this.#normalOf(face), this.#normalOf(old)) < FLIP_COSINE) return;
    for (const f of shared) this.#remove(f);
    for (const face of next) this.#add(face);
  }

  /** The mesh without removed vertices. */
  compact(corners: Uint32Array, blends: Float64Array): RemeshedSurface {
    const kept = this.#facesOf.flatMap(({ size }, i) => (size > 0 ? [i] : []));
    const rank = new Map(kept.map((i, n) => [i, n]));
    return {
      corners: Uint32Array.from(kept.flatMap((i) => [...corners.subarray(3 * i, 3 * i + 3)])),
      blends: Float64Array.from(kept.flatMap((i) => [...blends.subarray(3 * i, 3 * i + 3)])),
      triangles: Uint32Array.from(this.#faces.flat(), (i) => rank.get(i)!),
    };
  }

  #add(face: number[]): void {
    const f = this.#faces.push(face) - 1;
    for (const i of face) this.#facesOf[i].add(f);
  }

  #remove(f: number): void {
    for (const i of this.#faces[f]) this.#facesOf[i].delete(f);
    this.#faces[f] = [];
  }

  #sharedFaces(i: number, j: number): number[] {
    return [...this.#facesOf[i]].filter((f) => this.#facesOf[j].has(f));
  }

  #neighboursOf(i: number): Set<number> {
    const found = new Set([...this.#facesOf[i]].flatMap((f) => this.#faces[f]));
    found.delete(i);
    return found;
  }

  #normalOf(face: readonly number[]): Point {
    const [a, b, c] = face.map((i) => this.#places[i]);
    const [u, v] = [subtract(b, a), subtract(c, a)];
    const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...normal) || 1;
    return normal.map((x) => x / length);
  }
}

function subtract(a: Point, b: Point): Point {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function dot(a: Point, b: Point): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
