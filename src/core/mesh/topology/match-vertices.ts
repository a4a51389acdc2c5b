// SPDX-License-Identifier: MIT
// Which vertex of a clip each vertex of another is, where files store the same surface in another order: compressed meshes do. The nearest vertices at rest are candidates, and the one that
// stays nearest over some frames is taken.
import type { Clip } from '../../model/clip/clip.ts';
import { measureBounds } from '../geometry/bounds.ts';

/** Number of candidates, and of frames that are compared. */
const CANDIDATES = 8;
const FRAMES = 8;
/** Maximum distance of cells from that of a vertex, in cells. */
const MAX_RING = 4;

/** By vertex of the result: the vertex of the reference. Undefined if a vertex has no neighbour there. Both clips have the same frames. */
export function matchVertices(reference: Clip, result: Clip): Uint32Array | undefined {
  const [from, to] = [reference.mesh.positions, result.mesh.positions];
  const [fromCount, toCount] = [from.length / 3, to.length / 3];
  const frames = pickFrames(reference.times.length);
  const find = makeFinder(from);
  const order = new Uint32Array(toCount);
  for (let i = 0; i < toCount; i++) {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const v of find(to, 3 * i)) {
      let sum = squareBetween(from, 3 * v, to, 3 * i);
      for (const k of frames)
        sum += squareBetween(reference.positions, 3 * (k * fromCount + v), result.positions, 3 * (k * toCount + i));
      if (sum < least) [least, best] = [sum, v];
    }
    if (best < 0) return undefined;
    order[i] = best;
  }
  return order;
}

function pickFrames(count: number): number[] {
  const wanted = Math.min(FRAMES, count);
  return Array.from({ length: wanted }, (_, n) => Math.floor((n * count) / wanted));
}

function squareBetween(a: Float32Array, o: number, b: Float32Array, p: number): number {
  return (a[o] - b[p]) ** 2 + (a[o + 1] - b[p + 1]) ** 2 + (a[o + 2] - b[p + 2]) ** 2;
}

/** Finds the nearest points, by a grid of about one point per cell on a surface. */
function makeFinder(positions: Float32Array): (from: Float32Array, o: number) => number[] {
  const count = positions.length / 3;
  const size = measureBounds(positions).diagonal / Math.max(1, Math.sqrt(count)) || 1;
  const cellOf = (x: number): number => Math.floor(x / size);
  const cells = new Map<string, number[]>();
  for (let i = 0; i < count; i++) {
    const key = `${cellOf(positions[3 * i])} ${cellOf(positions[3 * i + 1])} ${cellOf(positions[3 * i + 2])}`;
    const list = cells.get(key);
    if (list) list.push(i);
    else cells.set(key, [i]);
  }
  return (from, o) => {
    const [x, y, z] = [cellOf(from[o]), cellOf(from[o + 1]), cellOf(from[o + 2])];
    let found: number[] = [];
    for (let ring = 0; ring <= MAX_RING && found.length < CANDIDATES; ring++)
      for (let a = -ring; a <= ring; a++)
        for (let b = -ring; b <= ring; b++)
          for (let c = -ring; c <= ring; c++) {
            if (Math.max(Math.abs(a), Math.abs(b), Math.abs(c)) !== ring) continue;
            const list = cells.get(`${x + a} ${y + b} ${z + c}`);
            if (list) found = found.concat(list);
          }
    found.sort((a, b) => squareBetween(positions, 3 * a, from, o) - squareBetween(positions, 3 * b, from, o));
    return found.slice(0, CANDIDATES);
  };
}
