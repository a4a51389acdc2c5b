// SPDX-License-Identifier: MIT
// Matches two meshes of the same triangles whose vertices and triangles have another order: from one triangle of a piece, the others follow edge by edge.

/** Shapes of both files at the same times. */
export interface Shapes {
  source: readonly Float64Array[];
  result: readonly Float64Array[];
}

/** Triangles of the result that are tried for the first triangle of a piece: the nearest. */
const TRIED = 24;
/** Triangles of a piece that are tried as its first. */
const STARTS = 8;

/** Pieces of a mesh: more are loose triangles. */
const MOST_PIECES = 1000;

/** By point of the source, that of the result, -1 for points without triangles; undefined if the triangles are not the same. */
export function matchByEdges(source: Uint32Array, result: Uint32Array, shapes: Shapes): Int32Array | undefined {
  if (source.length !== result.length) return undefined;
  const [left, right] = [listEdges(source), listEdges(result)];
  const match = new Int32Array(shapes.source[0].length / 3).fill(-1);
  const used = new Uint8Array(result.length / 3);
  const places = listPlaces(result, shapes.result);
  const pieces = listPieces(source);
  if (pieces.length > MOST_PIECES) return undefined;
  for (const piece of pieces) {
    let best: Found | undefined;
    for (let start = 0; start < STARTS && !best; start++) {
      const first = piece[Math.floor((start * piece.length) / STARTS)];
      for (const triangle of listNearest(placeOf(source, first, shapes.source), places, used))
        for (let turn = 0; turn < 3; turn++) {
          const found = follow({ source, result, left, right }, 3 * first, 3 * triangle, turn);
          if (!found || found.triangles.size !== piece.length) continue;
          const distance = distanceOf(found.pairs, shapes);
          if (!best || distance < best.distance) best = { ...found, distance };
        }
    }
    if (!best) return undefined;
    for (const [a, b] of best.pairs) match[a] = b;
    for (const triangle of best.triangles) used[triangle] = 1;
  }
  return match;
}

interface Found {
  pairs: Map<number, number>;
  triangles: Set<number>;
  /** Sum of squared distances. */
  distance: number;
}

/** Number of points that keys of edges allow: two of them are one number. */
const MANY = 2 ** 26;

/** By directed edge, the corner it starts at; edges with two triangles on one side join nothing. */
function listEdges(corners: Uint32Array): Map<number, number> {
  const edges = new Map<number, number>();
  const several = new Set<number>();
  for (let c = 0; c < corners.length; c++) {
    const next = c % 3 === 2 ? c - 2 : c + 1;
    const key = corners[c] * MANY + corners[next];
    if (edges.has(key)) several.add(key);
    edges.set(key, c);
  }
  for (const key of several) edges.delete(key);
  return edges;
}

/** Triangles that are joined by edges. */
function listPieces(corners: Uint32Array): number[][] {
  const edges = listEdges(corners);
  const seen = new Uint8Array(corners.length / 3);
  const pieces: number[][] = [];
  for (let start = 0; start < seen.length; start++) {
    if (seen[start]) continue;
    seen[start] = 1;
    const piece = [start];
    for (let n = 0; n < piece.length; n++)
      for (let c = 0; c < 3; c++) {
        const [a, b] = [corners[3 * piece[n] + c], corners[3 * piece[n] + ((c + 1) % 3)]];
        const other = edges.get(b * MANY + a);
        if (other === undefined) continue;
        const triangle = Math.floor(other / 3);
        if (seen[triangle]) continue;
        seen[triangle] = 1;
        piece.push(triangle);
      }
    pieces.push(piece);
  }
  return pieces.sort((a, b) => b.length - a.length);
}

interface Sides {
  source: Uint32Array;
  result: Uint32Array;
  left: ReadonlyMap<number, number>;
  right: ReadonlyMap<number, number>;
}

/** Pairs of points that follow from one pair of triangles; undefined where they contradict each other. */
function follow(
  { source, result, left, right }: Sides,
  from: number,
  to: number,
  turn: number,
): { pairs: Map<number, number>; triangles: Set<number> } | undefined {
  const pairs = new Map<number, number>();
  const triangles = new Set<number>();
  const seen = new Set<number>([from / 3]);
  // corners that are the same corner of a pair of triangles
  const queue: [number, number][] = [[from, to + turn]];
  for (const [a, b] of queue) {
    triangles.add(Math.floor(b / 3));
    for (let c = 0; c < 3; c++) {
      const [p, q] = [source[cornerAfter(a, c)], result[cornerAfter(b, c)]];
      if ((pairs.get(p) ?? q) !== q) return undefined;
      pairs.set(p, q);
    }
    for (let c = 0; c < 3; c++) {
      const [p, q] = [c, c + 1].map((step) => source[cornerAfter(a, step)]);
      const [r, s] = [c, c + 1].map((step) => result[cornerAfter(b, step)]);
      const [other, same] = [left.get(q * MANY + p), right.get(s * MANY + r)];
      if ((other === undefined) !== (same === undefined)) return undefined;
      if (other === undefined || same === undefined || seen.has(Math.floor(other / 3))) continue;
      seen.add(Math.floor(other / 3));
      queue.push([other, same]);
    }
  }
  return { pairs, triangles };
}

const cornerAfter = (corner: number, steps: number): number => {
  const first = corner - (corner % 3);
  return first + ((corner - first + steps) % 3);
};

/** Centers of a triangle in all shapes. */
function placeOf(corners: Uint32Array, triangle: number, shapes: readonly Float64Array[]): number[] {
  return shapes.flatMap((shape) =>
    [0, 1, 2].map((axis) => [0, 1, 2].reduce((sum, c) => sum + shape[3 * corners[3 * triangle + c] + axis] / 3, 0)),
  );
}

const listPlaces = (corners: Uint32Array, shapes: readonly Float64Array[]): number[][] =>
  Array.from({ length: corners.length / 3 }, (_, triangle) => placeOf(corners, triangle, shapes));

function listNearest(place: readonly number[], places: readonly (readonly number[])[], used: Uint8Array): number[] {
  const nearest: { triangle: number; square: number }[] = [];
  places.forEach((other, triangle) => {
    if (used[triangle]) return;
    let square = 0;
    for (let c = 0; c < place.length; c++) square += (place[c] - other[c]) ** 2;
    if (nearest.length === TRIED && square >= nearest[TRIED - 1].square) return;
    nearest.push({ triangle, square });
    nearest.sort((a, b) => a.square - b.square);
    if (nearest.length > TRIED) nearest.pop();
  });
  return nearest.map(({ triangle }) => triangle);
}

function distanceOf(pairs: ReadonlyMap<number, number>, { source, result }: Shapes): number {
  let sum = 0;
  for (const [a, b] of pairs)
    source.forEach((shape, n) => {
      for (let c = 0; c < 3; c++) sum += (shape[3 * a + c] - result[n][3 * b + c]) ** 2;
    });
  return sum;
}
