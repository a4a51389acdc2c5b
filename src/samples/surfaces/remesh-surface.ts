// SPDX-License-Identifier: MIT
// Another mesh of the same surface, for tests of methods that must not depend on vertices and triangles.
import { makeRandom } from '../../core/math/random.ts';

/** A mesh whose vertices are points of another mesh. */
export interface RemeshedSurface {
  /** vertexCount x 3: vertices of the other mesh that each vertex blends */
  corners: Uint32Array;
  /** vertexCount x 3: weights of the blend, sum 1 */
  blends: Float64Array;
  /** triangleCount x 3 */
  triangles: Uint32Array;
}

export interface RemeshOptions {
  /** Number of vertices, at least that of the mesh. */
  vertices: number;
  /** Random seed: each has another mesh. */
  seed?: number;
}

/** Edges are split at this distance from their middle, at most: relative to their length. */
const OFF_CENTER = 0.25;

/**
 * Splits random edges, long ones first, at random places until there are enough vertices. Vertices are numbered at random. The surface does not change.
 * @param positions vertexCount x 3: determine which edges are long
 * @param triangles triangleCount x 3, welded
 */
export function remeshSurface(
  positions: ArrayLike<number>,
  triangles: Uint32Array,
  { vertices, seed = 0 }: RemeshOptions,
): RemeshedSurface {
  const random = makeRandom(seed);
  /** Weights of each vertex by vertex of the mesh. */
  const points: Map<number, number>[] = Array.from({ length: positions.length / 3 }, (_, i) => new Map([[i, 1]]));
  const places = Array.from(points, (_, i) => [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]]);
  const faces: number[][] = [];
  for (let c = 0; c < triangles.length; c += 3) faces.push([...triangles.subarray(c, c + 3)]);
  const facesOf = new Map<string, Set<number>>();
  const keyOf = (i: number, j: number): string => (i < j ? `${i},${j}` : `${j},${i}`);
  const link = (f: number): void => {
    for (let c = 0; c < 3; c++) {
      const key = keyOf(faces[f][c], faces[f][(c + 1) % 3]);
      const own = facesOf.get(key) ?? new Set<number>();
      facesOf.set(key, own.add(f));
    }
  };
  const unlink = (f: number): void => {
    for (let c = 0; c < 3; c++) facesOf.get(keyOf(faces[f][c], faces[f][(c + 1) % 3]))?.delete(f);
  };
  for (let f = 0; f < faces.length; f++) link(f);
  while (points.length < vertices) {
    // the longest edge of the largest of some random triangles
    let best = { length: -1, f: 0, c: 0 };
    for (let n = 0; n < CANDIDATES; n++) {
      const f = random.below(faces.length);
      for (let c = 0; c < 3; c++) {
        const [a, b] = [places[faces[f][c]], places[faces[f][(c + 1) % 3]]];
        const length = (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;
        if (length > best.length) best = { length, f, c };
      }
    }
    const [i, j] = [faces[best.f][best.c], faces[best.f][(best.c + 1) % 3]];
    const t = 0.5 + OFF_CENTER * (2 * random.next() - 1);
    const blend = new Map<number, number>();
    for (const [v, w] of points[i]) blend.set(v, (1 - t) * w);
    for (const [v, w] of points[j]) blend.set(v, (blend.get(v) ?? 0) + t * w);
    const added = points.push(blend) - 1;
    places.push(places[i].map((x, a) => (1 - t) * x + t * places[j][a]));
    for (const f of [...(facesOf.get(keyOf(i, j)) ?? [])]) {
      const face = faces[f];
      unlink(f);
      faces[f] = face.map((v) => (v === j ? added : v));
      link(f);
      link(faces.push(face.map((v) => (v === i ? added : v))) - 1);
    }
  }
  return renumber(points, faces, random);
}

/** Triangles of which the one with the longest edge is split. */
const CANDIDATES = 12;

function renumber(points: readonly Map<number, number>[], faces: number[][], random: ReturnType<typeof makeRandom>) {
  const order = points.map((_, i) => i);
  for (let n = order.length - 1; n > 0; n--) {
    const other = random.below(n + 1);
    [order[n], order[other]] = [order[other], order[n]];
  }
  const rank = new Uint32Array(order.length);
  for (const [n, i] of order.entries()) rank[i] = n;
  const corners = new Uint32Array(3 * points.length);
  const blends = new Float64Array(3 * points.length);
  for (const [n, i] of order.entries())
    for (const [c, [v, w]] of [...points[i]].entries()) {
      corners[3 * n + c] = v;
      blends[3 * n + c] = w;
    }
  return { corners, blends, triangles: Uint32Array.from(faces.flat(), (i) => rank[i]) };
}
