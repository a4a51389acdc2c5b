// SPDX-License-Identifier: MIT
// Which point of the result is which point of the source. Loaders split, merge and reorder vertices, so indices alone do not say.
import type { PlayedScene } from '../players/played-scene.ts';
import { matchByEdges, type Shapes } from './match-by-edges.ts';

/** Pairs of vertices: of the source, and of the result. */
export interface Match {
  source: Uint32Array;
  result: Uint32Array;
}

/**
 * Ways to match the points of two scenes: by the corners of their triangles in order, in the order of parts of one size, by edges where triangles have another order. Where
 * triangles are others, as quads that were split otherwise, by place too; else places are not asked: the nearest point is nearer than the right one.
 */
export function listMatches(source: PlayedScene, result: PlayedScene, shapes: Shapes): Match[] {
  const [left, right] = [source, result].map(listCorners);
  const total = (parts: readonly Uint32Array[]) => parts.reduce((sum, { length }) => sum + length, 0);
  const order = matchParts({ source, result }, { left, right }, shapes);
  const ordered = [
    ...(total(left) === total(right) ? [pairUp(joinAll(left), joinAll(right))] : []),
    ...(order ? [pairUp(joinAll(left), joinAll(order.map((p) => right[p])))] : []),
  ];
  const split = ordered.map((match) => countSplit(match, shapes));
  const exact = ordered.filter((_, n) => split[n] === 0);
  if (exact.length > 0) return exact;
  const [a, b] = [joinAll(left), joinAll(right)];
  // loaders may give each triangle vertices of its own
  const edges =
    matchByEdges(a, b, shapes) ?? matchByEdges(weldCorners(a, shapes.source), weldCorners(b, shapes.result), shapes);
  const similar = ordered.filter(({ source: all }, n) => split[n] <= SPLIT * all.length);
  if (edges) {
    const points = [...edges.keys()].filter((i) => edges[i] >= 0);
    return [...similar, { source: Uint32Array.from(points), result: Uint32Array.from(points, (i) => edges[i]) }];
  }
  return similar.length > 0 ? similar : [...ordered, matchByPlace(shapes), matchByPlace(shapes, 1)];
}

/** Mean distance of points that are matched well, of the box diagonal. */
const PLAUSIBLE = 0.15;
/** Part of the places that may have points elsewhere, and what is elsewhere, of the box diagonal. */
const SPLIT = 0.005;
const ELSEWHERE = 1e-4;

/** Number of points that are elsewhere than those at their place in the source; infinite where points are not about where they should be. */
function countSplit({ source, result }: Match, { source: [a], result: [b] }: Shapes): number {
  const diagonal = diagonalOf(a);
  const first = new Map<string, number>();
  let [sum, split] = [0, 0];
  for (let n = 0; n < source.length; n++) {
    const [i, j] = [source[n], result[n]];
    sum += distanceOf(a, i, b, j);
    const key = a.subarray(3 * i, 3 * i + 3).join();
    const known = first.get(key);
    if (known === undefined) first.set(key, j);
    else if (distanceOf(b, known, b, j) > ELSEWHERE * diagonal) split++;
  }
  return sum <= PLAUSIBLE * diagonal * source.length ? split : Infinity;
}

/** Corners of every part, as indices of the positions of the whole scene. */
function listCorners({ parts }: PlayedScene): Uint32Array[] {
  let start = 0;
  return parts.map(({ corners, vertexCount }) => {
    const own = corners.map((corner) => corner + start);
    start += vertexCount;
    return own;
  });
}

function joinAll(parts: readonly Uint32Array[]): Uint32Array {
  const out = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Corners at one of the points that are at one place in all shapes. */
function weldCorners(corners: Uint32Array, shapes: readonly Float64Array[]): Uint32Array {
  const first = new Map<string, number>();
  return corners.map((i) => {
    const key = shapes.map((shape) => shape.subarray(3 * i, 3 * i + 3).join()).join();
    const known = first.get(key) ?? i;
    first.set(key, known);
    return known;
  });
}

/** Each pair once. */
function pairUp(left: Uint32Array, right: Uint32Array): Match {
  const seen = new Map<number, Set<number>>();
  const source: number[] = [];
  const result: number[] = [];
  left.forEach((a, c) => {
    const known = seen.get(a) ?? new Set<number>();
    seen.set(a, known);
    if (known.has(right[c])) return;
    known.add(right[c]);
    source.push(a);
    result.push(right[c]);
  });
  return { source: Uint32Array.from(source), result: Uint32Array.from(result) };
}

/** For every part of the source, a part of the result with as many corners; of several, those with its name, and of those the one whose first corner is nearest. */
function matchParts(
  { source, result }: { source: PlayedScene; result: PlayedScene },
  { left, right }: { left: readonly Uint32Array[]; right: readonly Uint32Array[] },
  shapes: Shapes,
): number[] | undefined {
  const free = new Set(right.keys());
  const order = left.map((corners, n) => {
    const same = [...free].filter((p) => right[p].length === corners.length);
    const named = same.filter((p) => result.parts[p].name === source.parts[n].name);
    const candidates = named.length > 0 ? named : same;
    const distances = candidates.map((p) =>
      shapes.source.reduce((sum, shape, k) => sum + distanceOf(shape, corners[0], shapes.result[k], right[p][0]), 0),
    );
    const found: number | undefined = candidates[distances.indexOf(Math.min(...distances))];
    if (found !== undefined) free.delete(found);
    return found;
  });
  return order.includes(undefined as never) ? undefined : order;
}

/** Every 97th of the points that are far away is compared. */
const FAR_STEP = 97;

/**
 * For every point of the source, the nearest point of the result in the first shape; of those about as near, the one that is nearest in all shapes.
 * @param slack what is about as near, relative to the distance of neighbours: nothing for files that keep positions, one for files that round them
 */
function matchByPlace({ source, result }: Shapes, slack = 1e-4): Match {
  const [first, ...others] = source;
  const cell = cellSize(first);
  const grid = new Map<string, number[]>();
  const keyOf = (shape: Float64Array, i: number) => [0, 1, 2].map((c) => Math.floor(shape[3 * i + c] / cell));
  const there = result[0];
  // where nothing is near, the shapes are others, and any point shows it
  const far = Array.from({ length: Math.ceil(there.length / 3 / FAR_STEP) }, (_, n) => n * FAR_STEP);
  for (let i = 0; i < there.length / 3; i++) {
    const key = keyOf(there, i).join();
    const list = grid.get(key);
    if (list) list.push(i);
    else grid.set(key, [i]);
  }
  const pairs = Uint32Array.from({ length: first.length / 3 }, (_, i) => {
    const near = listNear(grid, keyOf(first, i));
    const candidates = near.length > 0 ? near : far;
    const distance = (j: number) => distanceOf(first, i, there, j);
    const nearest = candidates.reduce((best, j) => (distance(j) < distance(best) ? j : best), candidates[0]);
    const limit = distance(nearest) + slack * cell;
    const together = candidates.filter((j) => distance(j) <= limit);
    const later = (j: number) =>
      others.reduce((sum, shape, n) => sum + distanceOf(shape, i, result[n + 1], j), distance(j));
    return together.reduce((best, j) => (later(j) < later(best) ? j : best), together[0]);
  });
  return { source: Uint32Array.from(pairs.keys()), result: pairs };
}

function listNear(grid: ReadonlyMap<string, number[]>, [x, y, z]: readonly number[]): number[] {
  const found: number[] = [];
  for (let a = -1; a <= 1; a++)
    for (let b = -1; b <= 1; b++)
      for (let c = -1; c <= 1; c++) found.push(...(grid.get(`${x + a},${y + b},${z + c}`) ?? []));
  return found;
}

/** Without Math.hypot, which takes most of the time of a cell. */
function distanceOf(a: Float64Array, i: number, b: Float64Array, j: number): number {
  const x = a[3 * i] - b[3 * j];
  const y = a[3 * i + 1] - b[3 * j + 1];
  const z = a[3 * i + 2] - b[3 * j + 2];
  return Math.sqrt(x * x + y * y + z * z);
}

/** A few points per cell of a surface. Points far away, as those without weights may be, do not count. */
function cellSize(shape: Float64Array): number {
  const spans = [0, 1, 2].map((c) => {
    const values = shape.filter((_, k) => k % 3 === c).sort();
    return values[Math.floor(0.95 * (values.length - 1))] - values[Math.floor(0.05 * (values.length - 1))];
  });
  return Math.max(Math.hypot(...spans) / Math.max(2, Math.sqrt(shape.length / 3)), 1e-9);
}

/** Diagonal of the box of a shape. Coordinates that are no numbers do not count. */
export function diagonalOf(shape: Float64Array): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  shape.forEach((value, c) => {
    if (Number.isNaN(value)) return;
    low[c % 3] = Math.min(low[c % 3], value);
    high[c % 3] = Math.max(high[c % 3], value);
  });
  return Math.hypot(...[0, 1, 2].map((c) => high[c] - low[c]));
}

/** Largest distance of matched points, with the positions of the result scaled. */
export function largestDistance({ source, result }: Match, a: Float64Array, b: Float64Array, scale: number): number {
  let worst = 0;
  for (let n = 0; n < source.length; n++) {
    const [i, j] = [3 * source[n], 3 * result[n]];
    const x = a[i] - scale * b[j];
    const y = a[i + 1] - scale * b[j + 1];
    const z = a[i + 2] - scale * b[j + 2];
    const distance = Math.sqrt(x * x + y * y + z * z);
    // where the source has no position, as with weights that are no numbers, there is nothing to compare with
    if (Number.isNaN(a[i] + a[i + 1] + a[i + 2])) continue;
    // a position that is no number is as wrong as can be
    if (!(distance <= worst)) worst = Number.isNaN(distance) ? Infinity : distance;
  }
  return worst;
}
