// SPDX-License-Identifier: MIT
// The mirror symmetry of a body in any pose: for every point, its mirror image on the surface, although limbs are bent differently and positions have noise. Meshes are usually not symmetric vertex by vertex, so images are points on triangles.
//
// 1. The surface is coarsened to the means of cells, which also lowers the noise. Their images are enough to pose bones.
// 2. Rough maps: ends of limbs are paired by their distances along the surface (pair-extremities.ts), and every point gets the image whose distances from the paired ends are most similar. For bodies without limbs, such as a
//    snake, reflections in three planes are further candidates.
// 3. Each map is refined by reflections of patches (refine-mirror.ts). A reflection turns the surface over, so rotational symmetries do not pass.
// 4. A map is a symmetry if it is its own inverse and lengths are kept: the image of the image of a point is the point itself, within TWICE mean edges; the patches fit within the noise; and this holds for at least
//    MIN_PART of the points (judge-mirror.ts). Points for which it does not hold have no image: a body may be symmetric only in part.
import type { Compute } from '../../../core/kernels/compute.ts';
import { vertexNormalsInto } from '../../../core/mesh/geometry/vertex-normals.ts';
import { labelParts } from '../../../core/mesh/topology/label-parts.ts';
import { RingPatch } from '../../../core/mesh/topology/ring-patch.ts';
import { orderPoints } from '../../../fit/clusters/index.ts';
import { principalAxesInto } from '../../../fit/skin/index.ts';
import { growCells, listCellTriangles } from '../search/coarsen-points.ts';
import { type Judged, judgeMirror, makeDistanceCheck } from './judge-mirror.ts';
import { NearestSurface, type SurfacePoints } from './nearest-surface.ts';
import { type PairedEnds, pairExtremities } from './pair-extremities.ts';
import { type MirrorMap, type MirrorSurface, placePoints, refineMirror } from './refine-mirror.ts';
import { SurfaceGraph } from './surface-graph.ts';

/** Number of coarse points. */
const COARSE_POINTS = 1200;
/** Maximum points after that: each of many parts keeps some. */
const MAX_COARSE = 4 * COARSE_POINTS;
/** Maximum number of pairings of ends that are refined. */
const PAIRINGS = 6;
/** Points of a patch in the iterations on the coarse surface, relative to its points; at least MIN_PATCH. */
const PATCHES = [1 / 10, 1 / 10, 1 / 16, 1 / 16, 1 / 25, 1 / 25, 1 / 40, 1 / 40, 1 / 40, 1 / 40];
const MIN_PATCH = 12;
/** Iterations of every candidate. Those that keep at least the part CLEAR_KEPT of their images are finished at once, and MAX_FINISHED others if none of these is a symmetry: with noise, two of four generated creatures had 0.97 and more,
 * and what kept less than 0.9 was none. */
const FIRST = 2;
const CLEAR_KEPT = 0.95;
const MAX_FINISHED = 4;
/** Between iterations: the maximum distance between a point and the image of its image, in mean edges, and the maximum stretch of edges. */
const TRUSTED = 2.5;
const STRETCH = 1.6;
/** Minimum part of the points that are symmetric. */
const MIN_PART = 0.88;
/** …and the part from which no other candidate is tried. */
const CLEAR_PART = 0.92;
/** Further refinements of the best map if no map is clear and its symmetric part is at least MIN_START. */
const GROWTHS = 3;
const MIN_START = 0.6;
/** The mirror images of the cells of a surface. */
export interface BodyMirror extends SurfacePoints {
  /** pointCount: the cell of each point */
  cells: Int32Array;
  /** cellCount x 3: corners of the triangle of the image of each cell, which are cells, and their weights: an image is a blend of the centers of three cells. Weights are zero for a cell without an image */
  corners: Uint32Array;
  shares: Float64Array;
  /** Part of the cells that are symmetric. */
  part: number;
}

/**
 * Finds the mirror symmetry of a body; undefined if there is none.
 * @param positions pointCount x 3
 * @param triangles triangleCount x 3
 * @param noise standard deviation of the noise per coordinate
 */
export async function findMirror(
  compute: Compute,
  positions: Float64Array,
  triangles: Uint32Array,
  noise: number,
): Promise<BodyMirror | undefined> {
  if (positions.length < 3 * 40 || triangles.length === 0) return undefined;
  return compute.scope((memory) => find(memory, positions, triangles, noise));
}

async function find(
  memory: Compute,
  positions: Float64Array,
  triangles: Uint32Array,
  noise: number,
): Promise<BodyMirror | undefined> {
  const { shape, cells } = coarsenShape(positions, triangles);
  if (shape.positions.length > 3 * MAX_COARSE) return undefined;
  const graph = new SurfaceGraph(shape.positions, shape.triangles);
  const ends = pairExtremities(graph, PAIRINGS);
  // made when they are needed: the first one is usually clear
  const starts = [
    ...ends.pairings.map(
      ({ images }) =>
        () =>
          matchDistances(shape.positions, ends, images),
    ),
    ...[2, 1, 0].map((axis) => () => reflectInAxis(shape.positions, axis)),
  ];
  const best = await new MirrorSearch(memory, shape, graph, ends, noise).run(starts);
  if (!best || best.part < MIN_PART) return undefined;
  const { map, part, isSymmetric } = best;
  const shares = map.shares.map((share, e) => (isSymmetric[Math.floor(e / 3)] ? share : 0));
  return { cells, corners: map.corners, shares, part };
}

/** Refines maps of a coarse surface, and keeps the best. */
class MirrorSearch {
  readonly #graph: SurfaceGraph;
  readonly #noise: number;
  readonly #coarse: MirrorSurface;
  readonly #patches: ReturnType<RingPatch['listAll']>;
  readonly #isKept: ReturnType<typeof makeDistanceCheck>;
  #best: Candidate | undefined;

  constructor(memory: Compute, { positions, triangles }: Shape, graph: SurfaceGraph, ends: PairedEnds, noise: number) {
    const normals = new Float32Array(positions.length);
    vertexNormalsInto(positions, triangles, normals);
    const nearest = new NearestSurface(memory, positions, triangles);
    this.#graph = graph;
    this.#noise = noise;
    this.#coarse = { positions, normals, nearest, reach: 8 * graph.edgeLength };
    // a smaller patch is the beginning of a larger one
    this.#patches = new RingPatch(graph.adjacency).listAll(this.#sizeOf(PATCHES[0]));
    this.#isKept = makeDistanceCheck(graph, ends);
  }

  async run(starts: readonly (() => Float64Array)[]): Promise<Candidate | undefined> {
    const begun: Advanced[] = [];
    for (const start of starts) {
      const one = await this.#begin(start());
      if (one.kept >= CLEAR_KEPT) await this.#finish(one);
      else begun.push(one);
      if (this.#isClear()) break;
    }
    begun.sort((a, b) => b.kept - a.kept);
    for (const one of begun.slice(0, MAX_FINISHED)) if (!this.#isClear()) await this.#finish(one);
    // the symmetric region of the best map grows
    for (let n = 0; n < GROWTHS && this.#best && !this.#isClear() && this.#best.part >= MIN_START; n++) {
      const { map, isSymmetric, part } = this.#best;
      const start = map.images.map((y, c) => (isSymmetric[Math.floor(c / 3)] ? y : Number.NaN));
      await this.#finish(await this.#begin(start));
      if (this.#best.part === part) break;
    }
    return this.#best;
  }

  #isClear(): boolean {
    return this.#best !== undefined && this.#best.part >= CLEAR_PART;
  }

  /** Points of a patch. */
  #sizeOf(part: number): number {
    return Math.max(MIN_PATCH, Math.round(part * (this.#coarse.positions.length / 3)));
  }

  #begin(start: Float64Array): Promise<Advanced> {
    return this.#advance(start, PATCHES.slice(0, FIRST));
  }

  async #finish({ images }: Advanced): Promise<void> {
    const { map } = await this.#advance(images, PATCHES.slice(FIRST));
    const isKept = (i: number) => this.#isKept(i, map);
    const judged = judgeMirror(map, this.#coarse.positions, this.#graph.edgeLength, this.#noise, isKept);
    const best = this.#best;
    if (!best || judged.part > best.part || (judged.part === best.part && judged.misfit < best.misfit))
      this.#best = { ...judged, map };
  }

  async #advance(start: Float64Array, [first, ...others]: readonly number[]): Promise<Advanced> {
    const refine = (images: Float64Array, part: number) =>
      refineMirror(this.#coarse, images, this.#patches, this.#sizeOf(part));
    let map = await refine(start, first);
    let images = dropInconsistent(map, this.#coarse.positions, this.#graph);
    for (const part of others) {
      map = await refine(images, part);
      images = dropInconsistent(map, this.#coarse.positions, this.#graph);
    }
    let lost = 0;
    for (let c = 0; c < images.length; c++) if (Number.isNaN(images[c])) lost++;
    return { map, images, kept: 1 - lost / images.length };
  }
}

type Candidate = Judged & { map: MirrorMap };

/** A map after some iterations. */
interface Advanced {
  map: MirrorMap;
  /** Images without those that were dropped. */
  images: Float64Array;
  /** Part of the points whose images were not dropped. */
  kept: number;
}

interface Shape {
  positions: Float64Array;
  triangles: Uint32Array;
}

/** Means of cells, and the cell of every point. */
function coarsenShape(positions: Float64Array, triangles: Uint32Array): { shape: Shape; cells: Int32Array } {
  const pointCount = positions.length / 3;
  if (pointCount <= COARSE_POINTS)
    return { shape: { positions, triangles }, cells: Int32Array.from({ length: pointCount }, (_, i) => i) };
  const order = orderPoints(positions);
  const place = new Uint32Array(pointCount);
  const rest = new Float64Array(positions.length);
  for (let n = 0; n < pointCount; n++) {
    place[order[n]] = n;
    for (let r = 0; r < 3; r++) rest[3 * n + r] = positions[3 * order[n] + r];
  }
  const placed = triangles.map((i) => place[i]);
  const parts = labelParts(pointCount, placed);
  const isOne = parts.every((part) => part === 0);
  const { kept, cells } = growCells(
    { vertexCount: pointCount, rest, parts: isOne ? undefined : parts },
    placed,
    COARSE_POINTS,
  );
  const cellOfPoint = new Int32Array(pointCount);
  for (let i = 0; i < pointCount; i++) cellOfPoint[i] = cells[place[i]];
  return {
    shape: { positions: averageCells(rest, cells, kept.length), triangles: listCellTriangles(placed, cells) },
    cells: cellOfPoint,
  };
}

/** cellCount x 3: centers of cells. */
export function averageCells(positions: ArrayLike<number>, cells: Int32Array, cellCount: number): Float64Array {
  const sums = new Float64Array(3 * cellCount);
  const sizes = new Uint32Array(cellCount);
  for (let i = 0; i < cells.length; i++) {
    sizes[cells[i]]++;
    for (let r = 0; r < 3; r++) sums[3 * cells[i] + r] += positions[3 * i + r];
  }
  return sums.map((sum, c) => sum / sizes[Math.floor(c / 3)]);
}

/** Rough images: for every third point (patches have enough of them), the point whose distances from the images of the ends are most similar to its own from the ends. Near ends count more: paths along edges have errors in proportion to their length. */
function matchDistances(positions: Float64Array, { distances, span }: PairedEnds, images: Int32Array): Float64Array {
  const count = positions.length / 3;
  const used = Array.from(images.keys()).filter((a) => images[a] >= 0);
  const width = used.length;
  /** count x width: from the ends, and from their images */
  const own = new Float64Array(count * width);
  const others = new Float64Array(count * width);
  used.forEach((a, n) => {
    for (let i = 0; i < count; i++) {
      own[i * width + n] = distances[a][i];
      others[i * width + n] = distances[images[a]][i];
    }
  });
  const out = new Float64Array(positions.length).fill(Number.NaN);
  const weights = new Float64Array(width);
  let best = -1;
  for (let i = 0; i < count; i += 3) {
    for (let n = 0; n < width; n++) weights[n] = 1 / (0.2 * span + own[i * width + n]) ** 2;
    best = findSimilar(own, i * width, others, weights, best);
    if (best >= 0) for (let r = 0; r < 3; r++) out[3 * i + r] = positions[3 * best + r];
  }
  return out;
}

/**
 * The row with the smallest weighted sum of squared differences from another row, the first of equal ones; -1 if no sum is finite.
 * @param guess the row that is tried first: with a small sum, most others end after a few numbers
 */
function findSimilar(
  own: Float64Array,
  at: number,
  others: Float64Array,
  weights: Float64Array,
  guess: number,
): number {
  const width = weights.length;
  let best = guess;
  let least = guess < 0 ? Number.POSITIVE_INFINITY : sumUpTo(own, at, others, guess * width, weights, Number.MAX_VALUE);
  if (!(least < Number.POSITIVE_INFINITY)) {
    best = -1;
    least = Number.POSITIVE_INFINITY;
  }
  for (let l = 0; l * width < others.length; l++) {
    const sum = sumUpTo(own, at, others, l * width, weights, least);
    if (!(sum < least || (sum === least && l < best))) continue;
    least = sum;
    best = l;
  }
  return best;
}

/** The weighted sum of squared differences of two rows; ends when it is above a limit. */
function sumUpTo(
  own: Float64Array,
  at: number,
  others: Float64Array,
  from: number,
  weights: Float64Array,
  limit: number,
): number {
  let sum = 0;
  for (let n = 0; n < weights.length && sum <= limit; n++) {
    const apart = own[at + n] - others[from + n];
    sum += weights[n] * (apart * apart);
  }
  return sum;
}

/** The reflection in the plane through the center that is perpendicular to a principal axis. */
function reflectInAxis(positions: Float64Array, axis: number): Float64Array {
  const count = positions.length / 3;
  const axes = new Float64Array(9);
  principalAxesInto(
    positions,
    Uint32Array.from({ length: count }, (_, i) => i),
    axes,
    0,
  );
  const n = axes.subarray(3 * axis, 3 * axis + 3);
  let offset = 0;
  for (let c = 0; c < positions.length; c++) offset += (positions[c] * n[c % 3]) / count;
  const out = new Float64Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    const along = positions[i] * n[0] + positions[i + 1] * n[1] + positions[i + 2] * n[2] - offset;
    for (let r = 0; r < 3; r++) out[i + r] = positions[i + r] - 2 * along * n[r];
  }
  return out;
}

/** The images of a map; NaN where the image of the image is far from the point, or where edges are stretched: patches around replace them. */
function dropInconsistent(
  map: MirrorMap,
  positions: Float64Array,
  { adjacency, edgeLength }: SurfaceGraph,
): Float64Array {
  const { rowStart, neighbours } = adjacency;
  const twice = placePoints(map, map.images);
  const images = map.images.slice();
  for (let i = 0; 3 * i < positions.length; i++) {
    let back = 0;
    for (let r = 3 * i; r < 3 * i + 3; r++) back += (twice[r] - positions[r]) ** 2;
    let length = 0;
    let image = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const own = distanceOf(positions, i, neighbours[e]);
      const other = distanceOf(map.images, i, neighbours[e]);
      if (Number.isNaN(other)) continue;
      length += own;
      image += other;
    }
    if (!(back <= (TRUSTED * edgeLength) ** 2 && image < STRETCH * length && length < STRETCH * image))
      images.fill(Number.NaN, 3 * i, 3 * i + 3);
  }
  return images;
}

function distanceOf(p: Float64Array, i: number, l: number): number {
  const x = p[3 * i] - p[3 * l];
  const y = p[3 * i + 1] - p[3 * l + 1];
  const z = p[3 * i + 2] - p[3 * l + 2];
  return Math.sqrt(x * x + y * y + z * z);
}
