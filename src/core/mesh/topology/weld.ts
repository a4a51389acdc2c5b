// SPDX-License-Identifier: MIT

import type { Clip } from '../../model/clip/clip.ts';
import { UsageError } from '../../model/errors.ts';

/** Maps between vertices and welded points. Points are numbered by their first vertex. */
export interface Weld {
  /** Number of distinct positions. */
  pointCount: number;
  /** vertexCount: the point of each vertex */
  pointOfVertex: Uint32Array;
  /** pointCount: the first vertex of each point */
  vertexOfPoint: Uint32Array;
}

/** Options of weld. */
export interface WeldOptions {
  /**
   * Maximum distance in file units from a vertex to its point (the position of the point's first vertex). 0 welds only
   * equal positions (-0 equals 0), as at UV seams.
   */
  tolerance?: number;
}

/** Defaults of WeldOptions. */
export const WELD_DEFAULTS: Required<WeldOptions> = { tolerance: 0 };

/**
 * Welds vertices whose positions coincide.
 * @param positions vertexCount x 3
 */
export function weldVertices(positions: Float32Array, options: WeldOptions = {}): Weld {
  return weldShapes([positions], options.tolerance ?? WELD_DEFAULTS.tolerance, 'weldVertices');
}

/** Shapes of which vertices are hashed at first. */
const HASHED_SHAPES = 3;

/** Exact welds by clip: every step of a solve, and the measurement after it, need the weld of the same clip. */
const exactWelds = new WeakMap<Clip, { positions: Float32Array; weld: Weld }>();

/** Welds vertices that coincide at rest and in every frame, so that lips which touch at rest stay separate. */
export function weldClip(clip: Clip, options: WeldOptions = {}): Weld {
  const isExact = (options.tolerance ?? WELD_DEFAULTS.tolerance) === 0;
  const known = isExact ? exactWelds.get(clip) : undefined;
  if (known && known.positions === clip.positions) return known.weld;
  const weld = weldFrames(clip, options);
  if (isExact) exactWelds.set(clip, { positions: clip.positions, weld });
  return weld;
}

function weldFrames(clip: Clip, options: WeldOptions): Weld {
  const stride = clip.mesh.positions.length;
  const shapes = [clip.mesh.positions];
  for (let k = 0; k < clip.times.length; k++) shapes.push(clip.positions.subarray(k * stride, (k + 1) * stride));
  return weldShapes(shapes, options.tolerance ?? WELD_DEFAULTS.tolerance, 'weldClip');
}

/**
 * Values of the points, taken from the first vertex of each: pointCount x size.
 * @param values vertexCount x size
 */
export function pointValues(values: Float32Array, size: number, weld: Weld): Float32Array {
  const out = new Float32Array(weld.pointCount * size);
  for (let p = 0; p < weld.pointCount; p++) {
    const from = weld.vertexOfPoint[p] * size;
    for (let c = 0; c < size; c++) out[p * size + c] = values[from + c];
  }
  return out;
}

/** The same triangles in point indices, one for one; a triangle whose corners were welded together stays as a degenerate triangle. */
export function pointTriangles(triangles: Uint32Array, weld: Weld): Uint32Array {
  return triangles.map((i) => weld.pointOfVertex[i]);
}

/**
 * Welds vertices that coincide in all shapes.
 * @param shapes each vertexCount x 3
 */
function weldShapes(shapes: Float32Array[], tolerance: number, caller: string): Weld {
  if (!(tolerance >= 0) || tolerance === Number.POSITIVE_INFINITY)
    throw new UsageError(caller, `tolerance must be a length of at least 0, got ${tolerance}`);
  const vertexCount = shapes[0].length / 3;
  const pointOfVertex = new Uint32Array(vertexCount);
  const first = tolerance === 0 ? firstEqual(shapes) : firstWithin(shapes, tolerance);
  let pointCount = 0;
  for (let i = 0; i < vertexCount; i++) pointOfVertex[i] = first[i] === i ? pointCount++ : pointOfVertex[first[i]];
  const vertexOfPoint = new Uint32Array(pointCount);
  for (let i = 0; i < vertexCount; i++) if (first[i] === i) vertexOfPoint[pointOfVertex[i]] = i;
  return { pointCount, pointOfVertex, vertexOfPoint };
}

/** For each vertex the first one with the same numbers in all shapes. */
function firstEqual(shapes: Float32Array[]): Uint32Array {
  const vertexCount = shapes[0].length / 3;
  const first = new Uint32Array(vertexCount);
  // few shapes distinguish the vertices of most clips
  const isFound =
    shapes.length > HASHED_SHAPES && findEqual(shapes, shapes.slice(0, HASHED_SHAPES), first, vertexCount);
  if (!isFound) findEqual(shapes, shapes, first, Number.POSITIVE_INFINITY);
  return first;
}

/** Fills the same, by a hash of some of the shapes. Returns false after too many pairs of different vertices with one hash. */
function findEqual(shapes: Float32Array[], hashed: Float32Array[], first: Uint32Array, maxDifferent: number): boolean {
  const vertexCount = first.length;
  const hashes = new Uint32Array(vertexCount);
  for (const shape of hashed) hashInto(shape, hashes);
  const { table, mask } = makeTable(vertexCount);
  let different = 0;
  for (let i = 0; i < vertexCount; i++) {
    let slot = hashes[i] & mask;
    while (table[slot] !== 0) {
      const other = table[slot] - 1;
      if (hashes[other] === hashes[i]) {
        if (isEqual(shapes, i, other)) break;
        if (++different > maxDifferent) return false;
      }
      slot = (slot + 1) & mask;
    }
    if (table[slot] === 0) table[slot] = i + 1;
    first[i] = table[slot] - 1;
  }
  return true;
}

/** Mixes the positions of a shape into the hashes of its vertices. */
function hashInto(shape: Float32Array, hashes: Uint32Array): void {
  // Adding zero turns -0 into 0, so that equal bits mean equal numbers.
  const scratch = new Float32Array(3);
  const bits = new Uint32Array(scratch.buffer);
  for (let i = 0; i < hashes.length; i++) {
    scratch[0] = shape[3 * i] + 0;
    scratch[1] = shape[3 * i + 1] + 0;
    scratch[2] = shape[3 * i + 2] + 0;
    hashes[i] = mix(mix(mix(hashes[i], bits[0]), bits[1]), bits[2]);
  }
}

function isEqual(shapes: Float32Array[], i: number, other: number): boolean {
  for (const shape of shapes) {
    for (let c = 0; c < 3; c++) if (shape[3 * i + c] !== shape[3 * other + c]) return false;
  }
  return true;
}

/**
 * For each vertex the first point (a vertex that joined no other) within the tolerance in all shapes, else itself.
 * Points are kept in a hashed grid of the first shape with cells of the tolerance's size: 27 cells hold all candidates.
 */
function firstWithin(shapes: Float32Array[], tolerance: number): Uint32Array {
  const rest = shapes[0];
  const vertexCount = rest.length / 3;
  const first = new Uint32Array(vertexCount);
  // Head and next of a chain per slot, indices plus one; cells that share a slot are distinguished by the distance.
  const { table: head, mask } = makeTable(vertexCount);
  const next = new Uint32Array(vertexCount);
  for (let i = 0; i < vertexCount; i++) {
    const cx = Math.floor(rest[3 * i] / tolerance);
    const cy = Math.floor(rest[3 * i + 1] / tolerance);
    const cz = Math.floor(rest[3 * i + 2] / tolerance);
    let best = i;
    for (let n = 0; n < 27; n++) {
      const slot = slotOf(cx + (n % 3) - 1, cy + (Math.floor(n / 3) % 3) - 1, cz + Math.floor(n / 9) - 1, mask);
      for (let link = head[slot]; link !== 0; link = next[link - 1]) {
        if (link - 1 < best && isWithin(shapes, i, link - 1, tolerance)) best = link - 1;
      }
    }
    first[i] = best;
    if (best === i) {
      const slot = slotOf(cx, cy, cz, mask);
      next[i] = head[slot];
      head[slot] = i + 1;
    }
  }
  return first;
}

function isWithin(shapes: Float32Array[], i: number, other: number, tolerance: number): boolean {
  for (const shape of shapes) {
    const dx = shape[3 * i] - shape[3 * other];
    const dy = shape[3 * i + 1] - shape[3 * other + 1];
    const dz = shape[3 * i + 2] - shape[3 * other + 2];
    if (!(dx * dx + dy * dy + dz * dz <= tolerance * tolerance)) return false;
  }
  return true;
}

/** A table of at least twice as many slots as entries, a power of two. */
function makeTable(count: number): { table: Uint32Array; mask: number } {
  let size = 16;
  while (size < 2 * count) size *= 2;
  return { table: new Uint32Array(size), mask: size - 1 };
}

/** Cell coordinates beyond 32 bits wrap; that only makes cells share a slot. */
function slotOf(x: number, y: number, z: number, mask: number): number {
  return mix(mix(mix(0, x | 0), y | 0), z | 0) & mask;
}

function mix(hash: number, value: number): number {
  let h = Math.imul(hash ^ value, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 0;
}
