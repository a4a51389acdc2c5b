// SPDX-License-Identifier: MIT
// A virtual scanner: the outer surface of a body as one mesh that knows nothing of the body's own vertices, parts and inner surfaces. Parts that touch, or come closer than a cell, are fused.
//
// With d(x) the distance of a point from the body's surface, h the spacing of a lattice and r = h/2:
//
//   outside = the lattice points that a path along lattice edges reaches from the border of the lattice through points with d ≥ r
//
// Neighbouring points of such a path have d(p) + d(q) ≥ h = |p − q|, so no edge of it crosses the surface. Self-intersections, inner surfaces, cavities and openings narrower than h do not matter.
// The zero surface of d − r around the outside is traced (trace-lattice.ts): the boundary of the body dilated by r, where gaps narrower than h are closed, and thin parts are kept. Its vertices v are spread
// along it, and are at distance r from their nearest point c of the body: v ← c + r (v − c)/|v − c|. Eroding by r then gives the morphological closing of the body by a ball of radius r:
//
//   v − r n,   n: the normal of the dilated surface at v
//
// This is c wherever the surface is visible. In a groove, where two parts touch, the ball around v touches both, and v − r n is a point of the arc between them: a bridge, which is no place of the body.

import { makeRandom, type Random } from '../../core/math/random.ts';
import { makeTriangleBvh } from '../../core/mesh/geometry/triangle-bvh.ts';
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { InputError } from '../../core/model/errors.ts';
import { dropSmallParts } from './drop-small-parts.ts';
import { isVisibleFromCameras } from './is-visible-from-cameras.ts';
import { makeNearestSearch } from './make-nearest-search.ts';
import { measureLatticeDistances } from './measure-lattice-distances.ts';
import { isClosedManifold, splitQuads } from './split-quads.ts';
import { type Lattice, traceLattice } from './trace-lattice.ts';

export interface ScanOptions {
  /** Spacing of the lattice, file units. The mean edge of the scan is about as long, and gaps below it are closed. */
  spacing: number;
  /** Standard deviation of noise along the normal, file units. Default: 0. */
  noise?: number;
  /** Number of cameras around the body. Surface that none of them sees is missing. Default: 0, which shows all of the surface. */
  cameras?: number;
  /** Random seed of lattice, noise and cameras. Default: 0. */
  seed?: number;
}

/** A scan, and where its vertices come from. */
export interface ScannedSurface {
  /** vertexCount x 3, file units */
  positions: Float32Array;
  /** triangleCount x 3, counter-clockwise from outside */
  triangles: Uint32Array;
  /** vertexCount x 3: vertices of the body that each vertex blends */
  corners: Uint32Array;
  /** vertexCount x 3: weights of the blend, sum 1. Of a bridge: those of the nearest point */
  blends: Float64Array;
  /** vertexCount, 0 or 1: whether the vertex is a point of the body, and not of a bridge between parts */
  isKnown: Uint8Array;
}

/** Attempts with another lattice, if an edge of the surface would have four triangles (rare). */
const TRIES = 8;
/** Iterations that spread vertices along the surface, and the step towards the mean of the neighbours in each. Chosen by looking at scans of the rigs. */
const ROUNDS = 5;
const STRIDE = 0.6;
/** Minimum cosine between the normal and the way from the body at a vertex that is no bridge: 37 degrees. */
const MIN_COSINE = 0.8;
/** Distance from the body below which a vertex of a bridge belongs to the body, relative to the spacing. */
const NEAR = 0.1;
/** Area of parts that are dropped as specks, relative to the area of the scan. */
const SPECK = 0.003;

/**
 * Scans a body.
 * @param positions vertexCount x 3: the body, posed; its parts may intersect, and may have small openings
 * @param triangles triangleCount x 3
 */
export function scanSurface(
  positions: ArrayLike<number>,
  triangles: Uint32Array,
  options: ScanOptions,
): ScannedSurface {
  const { spacing, noise = 0, cameras = 0, seed = 0 } = options;
  if (!(spacing > 0)) throw new InputError('scan', `the spacing must be larger than 0, got ${spacing}`);
  const random = makeRandom(seed);
  for (let n = 0; n < TRIES; n++) {
    // the lattice has its own frame, so that frames of a sequence have other vertices
    const axes = makeRotation(random);
    const turned = rotate(positions, axes);
    const scan = traceClosing(turned, triangles, spacing, random);
    if (!scan) continue;
    const place = (c: number): number => {
      const row = c - (c % 3);
      if (!scan.isKnown[row / 3])
        return [0, 1, 2].reduce((sum, a) => sum + scan.places[row + a] * axes[3 * a + (c % 3)], 0);
      return [0, 1, 2].reduce(
        (sum, a) => sum + scan.blends[row + a] * positions[3 * scan.corners[row + a] + (c % 3)],
        0,
      );
    };
    let scanned: ScannedSurface = {
      positions: Float32Array.from(scan.places, (_, c) => place(c)),
      ...{ triangles: scan.triangles, corners: scan.corners, blends: scan.blends, isKnown: scan.isKnown },
    };
    scanned = dropSmallParts(scanned, SPECK);
    if (cameras > 0) {
      const isSeen = isVisibleFromCameras(scanned.positions, scanned.triangles, { cameras, random });
      scanned = dropSmallParts(keepTriangles(scanned, isSeen), SPECK);
    }
    if (noise > 0) addNoise(scanned, noise, random);
    return scanned;
  }
  throw new InputError('scan', `no lattice with the spacing ${spacing} gives a closed surface; use another spacing`);
}

interface TracedScan extends Omit<ScannedSurface, 'positions'> {
  /** vertexCount x 3, in the frame of the lattice */
  places: Float64Array;
}

/** The closing of the body, or undefined if an edge would have more than two triangles. */
function traceClosing(
  body: Float32Array,
  triangles: Uint32Array,
  spacing: number,
  random: Random,
): TracedScan | undefined {
  const radius = spacing / 2;
  const lattice = makeLattice(body, triangles, spacing, random);
  const values = measureLatticeDistances(body, triangles, lattice, radius + spacing);
  markOutside(values, lattice, radius);
  const { positions: places, quads } = traceLattice(values, lattice);
  if (quads.length === 0) return undefined;
  const search = makeNearestSearch(makeTriangleBvh(body, triangles));
  spreadVertices(places, quads, (o, away) => projectInPlace(places, o, away, { body, triangles, search, radius }));
  const closed = splitQuads(places, quads);
  if (!isClosedManifold(closed)) return undefined;
  const normals = new Float32Array(places.length);
  vertexNormalsInto(places, closed, normals);
  const corners = new Uint32Array(places.length);
  const blends = new Float64Array(places.length);
  const isKnown = new Uint8Array(places.length / 3);
  for (let o = 0; o < places.length; o += 3) {
    let found = search(places[o], places[o + 1], places[o + 2]);
    let cosine = 0;
    for (let a = 0; a < 3; a++) {
      const point = pointAt(body, triangles, found, a);
      cosine += (normals[o + a] * (places[o + a] - point)) / radius;
      places[o + a] -= radius * normals[o + a];
    }
    if (cosine < MIN_COSINE) {
      found = search(places[o], places[o + 1], places[o + 2]);
      isKnown[o / 3] = found.square < (NEAR * spacing) ** 2 ? 1 : 0;
    } else isKnown[o / 3] = 1;
    for (let c = 0; c < 3; c++) corners[o + c] = triangles[3 * found.triangle + c];
    blends.set([1 - found.second - found.third, found.second, found.third], o);
  }
  return { places, triangles: closed, corners, blends, isKnown };
}

/** A lattice around the body, with a random origin. */
function makeLattice(body: Float32Array, triangles: Uint32Array, spacing: number, random: Random): Lattice {
  const low = [0, 0, 0].fill(Number.POSITIVE_INFINITY);
  const high = [0, 0, 0].fill(Number.NEGATIVE_INFINITY);
  for (const i of triangles)
    for (let a = 0; a < 3; a++) {
      low[a] = Math.min(low[a], body[3 * i + a]);
      high[a] = Math.max(high[a], body[3 * i + a]);
    }
  // points at the sides are farther than the radius from the body
  const origin = low.map((x) => x - spacing * (1.75 + random.next()));
  const counts = high.map((x, a) => Math.ceil((x - origin[a]) / spacing) + 3);
  return { counts, origin, spacing };
}

/** Replaces distances by d − r, and by a value below zero where the outside is not reached. */
function markOutside(values: Float32Array, { counts, spacing }: Lattice, radius: number): void {
  const [nx, ny, nz] = counts;
  const isOutside = new Uint8Array(values.length);
  // the first point is a corner of the lattice, and all sides are connected with it
  const open = [0];
  isOutside[0] = 1;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [x, y, z] = [at % nx, Math.floor(at / nx) % ny, Math.floor(at / (nx * ny))];
    const visit = (next: number): void => {
      if (isOutside[next] || values[next] < radius) return;
      isOutside[next] = 1;
      open.push(next);
    };
    if (x > 0) visit(at - 1);
    if (x + 1 < nx) visit(at + 1);
    if (y > 0) visit(at - nx);
    if (y + 1 < ny) visit(at + nx);
    if (z > 0) visit(at - nx * ny);
    if (z + 1 < nz) visit(at + nx * ny);
  }
  for (let at = 0; at < values.length; at++)
    values[at] = isOutside[at] || values[at] < radius ? values[at] - radius : -spacing;
}

/** Moves vertices towards the mean of their neighbours, along the surface at distance r from the body. */
function spreadVertices(
  places: Float64Array,
  quads: Uint32Array,
  project: (o: number, away: Float64Array) => void,
): void {
  const sums = new Float64Array(places.length);
  const counts = new Uint32Array(places.length / 3);
  const away = new Float64Array(places.length);
  for (let o = 0; o < places.length; o += 3) project(o, away);
  for (let round = 0; round < ROUNDS; round++) {
    sums.fill(0);
    counts.fill(0);
    // every edge is in two quads, once in each direction
    for (let q = 0; q < quads.length; q++) {
      const [i, j] = [3 * quads[q], 3 * quads[q % 4 === 3 ? q - 3 : q + 1]];
      for (let a = 0; a < 3; a++) sums[i + a] += places[j + a];
      counts[i / 3]++;
    }
    for (let o = 0; o < places.length; o += 3) {
      let across = 0;
      for (let a = 0; a < 3; a++) across += away[o + a] * (sums[o + a] / counts[o / 3] - places[o + a]);
      for (let a = 0; a < 3; a++)
        places[o + a] += STRIDE * (sums[o + a] / counts[o / 3] - places[o + a] - across * away[o + a]);
      project(o, away);
    }
  }
}

/** Moves a vertex to the distance r from the body: v ← c + r (v − c)/|v − c|. Puts the unit vector away from c. */
function projectInPlace(
  places: Float64Array,
  o: number,
  away: Float64Array,
  { body, triangles, search, radius }: Dilation,
): void {
  const found = search(places[o], places[o + 1], places[o + 2]);
  const distance = Math.sqrt(found.square);
  if (distance === 0) return;
  for (let a = 0; a < 3; a++) {
    const point = pointAt(body, triangles, found, a);
    away[o + a] = (places[o + a] - point) / distance;
    places[o + a] = point + radius * away[o + a];
  }
}

interface Dilation {
  body: Float32Array;
  triangles: Uint32Array;
  search: ReturnType<typeof makeNearestSearch>;
  radius: number;
}

function pointAt(
  body: Float32Array,
  triangles: Uint32Array,
  { triangle, second, third }: ReturnType<ReturnType<typeof makeNearestSearch>>,
  a: number,
): number {
  const [i, j, k] = [triangles[3 * triangle], triangles[3 * triangle + 1], triangles[3 * triangle + 2]];
  return (1 - second - third) * body[3 * i + a] + second * body[3 * j + a] + third * body[3 * k + a];
}

/** A random rotation, 3 x 3 by rows, from a random unit quaternion. */
function makeRotation(random: Random): number[] {
  const q = [0, 0, 0, 0].map(() => random.normal());
  const length = Math.hypot(...q) || 1;
  const [x, y, z, w] = q.map((value) => value / length);
  return [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
    ...[2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
    ...[2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
  ];
}

function rotate(positions: ArrayLike<number>, axes: readonly number[]): Float32Array {
  return Float32Array.from({ length: positions.length }, (_, c) => {
    const [row, o] = [3 * (c % 3), c - (c % 3)];
    return axes[row] * positions[o] + axes[row + 1] * positions[o + 1] + axes[row + 2] * positions[o + 2];
  });
}

function keepTriangles(scan: ScannedSurface, isSeen: Uint8Array): ScannedSurface {
  const kept: number[] = [];
  for (let c = 0; c < scan.triangles.length; c += 3) {
    const face = scan.triangles.subarray(c, c + 3);
    if (face.every((i) => isSeen[i] === 1)) kept.push(...face);
  }
  return { ...scan, triangles: Uint32Array.from(kept) };
}

function addNoise({ positions, triangles }: ScannedSurface, noise: number, random: Random): void {
  const normals = new Float32Array(positions.length);
  vertexNormalsInto(positions, triangles, normals);
  for (let o = 0; o < positions.length; o += 3) {
    const shift = noise * random.normal();
    for (let a = 0; a < 3; a++) positions[o + a] += shift * normals[o + a];
  }
}
