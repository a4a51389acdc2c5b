// SPDX-License-Identifier: MIT
// Pairs of points of the template and of a frame: the nearest compatible point of the frame for points of the template, and the reverse, so that no limb of the frame stays without a match.
//
// A pair has a robust weight (S. Geman, D. McClure, "Statistical methods for tomographic image reconstruction", 1987): w = (σ² / (σ² + d²))², which lets a match at distances far above σ
// go. Matches on the rim of a hole are not used: the part that belongs there was not scanned.
import { NO_TRIANGLE } from '../kernels/nearest-points.ts';
import { vertexNormalsInto } from '../mesh/vertex-normals.ts';
import { addColorMatches } from './add-color-matches.ts';
import type { ScanSurface } from './make-scan-surface.ts';
import type { NearestFound, SurfaceSearch } from './surface-search.ts';

/** A surface at some positions, ready for searches. */
export interface PlacedSurface {
  surface: ScanSurface;
  /** pointCount x 3 */
  positions: Float64Array;
  /** pointCount x 3 */
  normals: Float32Array;
  search: SurfaceSearch;
}

/** Pairs of points. */
export interface Matches {
  count: number;
  /** count x 3: corners of the triangle of the template */
  corners: Uint32Array;
  /** count x 3: weights of the corners */
  blends: Float64Array;
  /** count x 3: the point of the frame */
  targets: Float64Array;
  /** count x 3: the normal of the frame there */
  normals: Float64Array;
  /** count: 0 to the relative area of the point */
  weights: Float64Array;
}

export interface MatchOptions {
  /** The distance σ up to which matches have most of their weight. */
  sigma: number;
  /** Points of the template and of the frame that are matched; default: all. */
  samples?: readonly [Uint32Array, Uint32Array];
}

/** Matches are searched up to this multiple of sigma. */
const MAX_SIGMAS = 3;
/** Minimum cosine between the normals of a match: 60 degrees. */
const MIN_COSINE = 0.5;
/** A corner below this weight does not count for whether a match is on a rim. */
const ON_EDGE = 1e-6;

/** Matches by colour beside a match by distance. */
const CHANNELS = 3;

/** Finds matches in both directions. */
export async function findMatches(
  template: PlacedSurface,
  frame: PlacedSurface,
  { sigma, samples }: MatchOptions,
): Promise<Matches> {
  const limits = { minCosine: MIN_COSINE, maxDistance: MAX_SIGMAS * sigma };
  const [own, others] = samples ?? [listAll(template), listAll(frame)];
  const hasColors = template.surface.colors && frame.surface.colors;
  const matches = makeMatches((own.length + others.length) * (hasColors ? 1 + CHANNELS : 1));
  const forward = await frame.search.search(pointsOf(template, own), limits);
  addForward(matches, template, frame, own, forward, sigma);
  const backward = await template.search.search(pointsOf(frame, others), limits);
  addBackward(matches, template, frame, others, backward, sigma);
  return matches;
}

/** Updates normals and the search after positions have changed. */
export function refreshSurface({ surface, positions, normals, search }: PlacedSurface): void {
  vertexNormalsInto(positions, surface.triangles, normals);
  search.fit(positions);
}

function addForward(
  matches: Matches,
  template: PlacedSurface,
  frame: PlacedSurface,
  samples: Uint32Array,
  { triangles, places }: NearestFound,
  sigma: number,
): void {
  const mean = meanArea(template.surface);
  for (let n = 0; n < samples.length; n++) {
    const f = triangles[n];
    if (f === NO_TRIANGLE) continue;
    const [v, w] = [places[3 * n], places[3 * n + 1]];
    const [a, b, c] = cornersOf(frame.surface, f);
    if (isOnRim(frame.surface, a, b, c, v, w)) continue;
    const at = matches.count++;
    const i = samples[n];
    matches.corners.fill(i, 3 * at, 3 * at + 3);
    matches.blends[3 * at] = 1;
    putPoint(matches, at, frame, a, b, c, v, w);
    aimAtEdges(matches, at, template.positions);
    matches.weights[at] = robustWeight(places[3 * n + 2], sigma) * Math.min(MAX_AREA, template.surface.areas[i] / mean);
    addColorMatches(matches, at, template, frame, { corners: [a, b, c], blends: [1 - v - w, v, w] }, sigma);
  }
}

function addBackward(
  matches: Matches,
  template: PlacedSurface,
  frame: PlacedSurface,
  samples: Uint32Array,
  { triangles, places }: NearestFound,
  sigma: number,
): void {
  const mean = meanArea(frame.surface);
  for (let n = 0; n < samples.length; n++) {
    const f = triangles[n];
    if (f === NO_TRIANGLE) continue;
    const [v, w] = [places[3 * n], places[3 * n + 1]];
    const [a, b, c] = cornersOf(template.surface, f);
    if (isOnRim(template.surface, a, b, c, v, w)) continue;
    const at = matches.count++;
    const i = samples[n];
    matches.corners.set([a, b, c], 3 * at);
    matches.blends.set([1 - v - w, v, w], 3 * at);
    for (let axis = 0; axis < 3; axis++) {
      matches.targets[3 * at + axis] = frame.positions[3 * i + axis];
      matches.normals[3 * at + axis] = frame.normals[3 * i + axis];
    }
    aimAtEdges(matches, at, template.positions);
    matches.weights[at] = robustWeight(places[3 * n + 2], sigma) * Math.min(MAX_AREA, frame.surface.areas[i] / mean);
    addColorMatches(matches, at, template, frame, { corners: [i, i, i], blends: [1, 0, 0] }, sigma);
  }
}

/**
 * Where the nearest point is at a fold, such as the end of a tail, the way to it is across the normal. There the distance shrinks along the way, not along the normal, which
 * would let a thin part slide out of the surface.
 */
function aimAtEdges({ corners, blends, targets, normals }: Matches, at: number, x: Float64Array): void {
  const o = 3 * at;
  const [i, j, k] = [3 * corners[o], 3 * corners[o + 1], 3 * corners[o + 2]];
  let [square, along] = [0, 0];
  const way = [0, 0, 0];
  for (let a = 0; a < 3; a++) {
    way[a] = blends[o] * x[i + a] + blends[o + 1] * x[j + a] + blends[o + 2] * x[k + a] - targets[o + a];
    square += way[a] * way[a];
    along += way[a] * normals[o + a];
  }
  if (!(along * along < FOLD_COSINE * FOLD_COSINE * square)) return;
  const length = Math.sqrt(square);
  for (let a = 0; a < 3; a++) normals[o + a] = way[a] / length;
}

/** Cosine between a match and its normal below which it is at a fold: 60 degrees. */
const FOLD_COSINE = 0.5;

/** Maximum area of a point relative to the mean in weights. */
const MAX_AREA = 4;

function robustWeight(square: number, sigma: number): number {
  return ((sigma * sigma) / (sigma * sigma + square)) ** 2;
}

/** The point and the smooth normal of the frame. */
function putPoint(
  { targets, normals }: Matches,
  at: number,
  frame: PlacedSurface,
  a: number,
  b: number,
  c: number,
  v: number,
  w: number,
): void {
  const u = 1 - v - w;
  const { positions: p, normals: m } = frame;
  let length = 0;
  for (let axis = 0; axis < 3; axis++) {
    targets[3 * at + axis] = u * p[3 * a + axis] + v * p[3 * b + axis] + w * p[3 * c + axis];
    const normal = u * m[3 * a + axis] + v * m[3 * b + axis] + w * m[3 * c + axis];
    normals[3 * at + axis] = normal;
    length += normal * normal;
  }
  const scale = 1 / (Math.sqrt(length) || 1);
  for (let axis = 0; axis < 3; axis++) normals[3 * at + axis] *= scale;
}

function isOnRim({ isRim }: ScanSurface, a: number, b: number, c: number, v: number, w: number): boolean {
  const u = 1 - v - w;
  if (u > ON_EDGE && v > ON_EDGE && w > ON_EDGE) return false;
  return (u <= ON_EDGE || isRim[a] === 1) && (v <= ON_EDGE || isRim[b] === 1) && (w <= ON_EDGE || isRim[c] === 1);
}

function cornersOf({ triangles }: ScanSurface, f: number): [number, number, number] {
  return [triangles[3 * f], triangles[3 * f + 1], triangles[3 * f + 2]];
}

/** Points with their normals, for a search. */
export function pointsOf({ positions, normals }: PlacedSurface, samples: Uint32Array): Float64Array {
  const points = new Float64Array(6 * samples.length);
  for (let n = 0; n < samples.length; n++)
    for (let axis = 0; axis < 3; axis++) {
      points[6 * n + axis] = positions[3 * samples[n] + axis];
      points[6 * n + 3 + axis] = normals[3 * samples[n] + axis];
    }
  return points;
}

function makeMatches(count: number): Matches {
  return {
    count: 0,
    corners: new Uint32Array(3 * count),
    blends: new Float64Array(3 * count),
    targets: new Float64Array(3 * count),
    normals: new Float64Array(3 * count),
    weights: new Float64Array(count),
  };
}

function listAll({ positions }: PlacedSurface): Uint32Array {
  return Uint32Array.from({ length: positions.length / 3 }, (_, i) => i);
}

function meanArea({ areas }: ScanSurface): number {
  return areas.reduce((sum, area) => sum + area, 0) / Math.max(1, areas.length);
}
