// SPDX-License-Identifier: MIT
// Pairs of points of the template and of a frame: the nearest compatible point of the frame for points of the template, and the reverse, so that no limb of the frame stays without a match.
//
// A pair has a robust weight (S. Geman, D. McClure, "Statistical methods for tomographic image reconstruction", 1987): w = (σ² / (σ² + d²))², which lets a match at distances far above σ
// go. Matches on the rim of a hole are not used: the part that belongs there was not scanned.
import { NO_TRIANGLE } from '../../../core/kernels/search/nearest-points.ts';
import { vertexNormalsInto } from '../../../core/mesh/geometry/vertex-normals.ts';
import { addColorMatches } from './add-color-matches.ts';
import type { ScanSurface } from './make-scan-surface.ts';
import type { NearestFound, PointSearch } from './surface-search.ts';

/** A surface at some positions, ready for searches. */
export interface PlacedSurface {
  surface: ScanSurface;
  /** pointCount x 3 */
  positions: Float64Array;
  /** pointCount x 3 */
  normals: Float32Array;
  search: PointSearch;
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
  /** pointCount of the template, 0 or 1: points that the frame may not show (find-hidden.ts). They are matched with near points of the frame only. */
  isHidden?: Uint8Array;
}

/** Matches are searched up to this multiple of sigma. */
const MAX_SIGMAS = 3;
/** Minimum cosine between the normals of a match: 60 degrees. */
const MIN_COSINE = 0.5;
/** A corner below this weight does not count for whether a match is on a rim. */
const ON_EDGE = 1e-6;

/** Maximum distance of the match of a point that another part hides, relative to the box diagonal: a nearer surface with the same normal is the point itself, which the frame shows. */
const MAX_HIDDEN = 0.005;

/** Matches by colour beside a match by distance. */
const CHANNELS = 3;

/** Finds matches in both directions. */
export async function findMatches(
  template: PlacedSurface,
  frame: PlacedSurface,
  { sigma, samples, isHidden }: MatchOptions,
): Promise<Matches> {
  const limits = { minCosine: MIN_COSINE, maxDistance: MAX_SIGMAS * sigma };
  const [own, others] = samples ?? [listAll(template), listAll(frame)];
  const hasColors = template.surface.colors && frame.surface.colors;
  const matches = makeMatches((own.length + others.length) * (hasColors ? 1 + CHANNELS : 1));
  const [forward, backward] = await frame.search.searchBoth(
    pointsOf(template, own),
    template.search,
    pointsOf(frame, others),
    limits,
  );
  addMatches(matches, template, frame, { isForward: true, samples: own, found: forward, isHidden }, sigma);
  addMatches(matches, template, frame, { isForward: false, samples: others, found: backward }, sigma);
  return matches;
}

/** Updates normals and the search after positions have changed. */
export function refreshSurface({ surface, positions, normals, search }: PlacedSurface): void {
  vertexNormalsInto(positions, surface.triangles, normals);
  search.fit(positions);
}

/** Points of one surface, and their nearest points on the other. */
interface Direction {
  /** From the template to the frame. */
  isForward: boolean;
  samples: Uint32Array;
  found: NearestFound;
  isHidden?: Uint8Array;
}

function addMatches(
  matches: Matches,
  template: PlacedSurface,
  frame: PlacedSurface,
  { isForward, samples, found, isHidden }: Direction,
  sigma: number,
): void {
  const { corners, blends, targets, normals } = matches;
  const [own, other] = isForward ? [template.surface, frame.surface] : [frame.surface, template.surface];
  const { triangles, isRim } = other;
  const { areas } = own;
  const { places } = found;
  const mean = meanArea(own);
  const hasColors = template.surface.colors && frame.surface.colors;
  for (let n = 0; n < samples.length; n++) {
    const f = 3 * found.triangles[n];
    if (found.triangles[n] === NO_TRIANGLE) continue;
    const v = places[3 * n];
    const w = places[3 * n + 1];
    const u = 1 - v - w;
    const a = triangles[f];
    const b = triangles[f + 1];
    const c = triangles[f + 2];
    if (
      (u <= ON_EDGE || v <= ON_EDGE || w <= ON_EDGE) &&
      (u <= ON_EDGE || isRim[a] === 1) &&
      (v <= ON_EDGE || isRim[b] === 1) &&
      (w <= ON_EDGE || isRim[c] === 1)
    )
      continue;
    const i = samples[n];
    if (isHidden?.[i] === 1 && places[3 * n + 2] > MAX_HIDDEN * MAX_HIDDEN) continue;
    const at = matches.count++;
    const o = 3 * at;
    corners[o] = isForward ? i : a;
    corners[o + 1] = isForward ? i : b;
    corners[o + 2] = isForward ? i : c;
    blends[o] = isForward ? 1 : u;
    blends[o + 1] = isForward ? 0 : v;
    blends[o + 2] = isForward ? 0 : w;
    if (isForward) putPoint(matches, o, frame, f, places, 3 * n);
    else
      for (let axis = 0; axis < 3; axis++) {
        targets[o + axis] = frame.positions[3 * i + axis];
        normals[o + axis] = frame.normals[3 * i + axis];
      }
    aimAtEdges(matches, o, template.positions);
    matches.weights[at] = robustWeight(places[3 * n + 2], sigma) * Math.min(MAX_AREA, areas[i] / mean);
    if (!hasColors) continue;
    const place = isForward ? { corners: [a, b, c], blends: [u, v, w] } : { corners: [i, i, i], blends: [1, 0, 0] };
    addColorMatches(matches, at, template, frame, place, sigma);
  }
}

/**
 * Where the nearest point is at a fold, such as the end of a tail, the way to it is across the normal. There the distance shrinks along the way, not along the normal, which
 * would let a thin part slide out of the surface.
 */
function aimAtEdges({ corners, blends, targets, normals }: Matches, o: number, p: Float64Array): void {
  const [i, j, k] = [3 * corners[o], 3 * corners[o + 1], 3 * corners[o + 2]];
  const [u, v, w] = [blends[o], blends[o + 1], blends[o + 2]];
  const x = u * p[i] + v * p[j] + w * p[k] - targets[o];
  const y = u * p[i + 1] + v * p[j + 1] + w * p[k + 1] - targets[o + 1];
  const z = u * p[i + 2] + v * p[j + 2] + w * p[k + 2] - targets[o + 2];
  const square = x * x + y * y + z * z;
  const along = x * normals[o] + y * normals[o + 1] + z * normals[o + 2];
  if (!(along * along < FOLD_COSINE * FOLD_COSINE * square)) return;
  const length = Math.sqrt(square);
  normals[o] = x / length;
  normals[o + 1] = y / length;
  normals[o + 2] = z / length;
}

/** Cosine between a match and its normal below which it is at a fold: 60 degrees. */
const FOLD_COSINE = 0.5;

/** Maximum area of a point relative to the mean in weights. */
const MAX_AREA = 4;

function robustWeight(square: number, sigma: number): number {
  const robust = (sigma * sigma) / (sigma * sigma + square);
  return robust * robust;
}

/** The point of the frame in the triangle whose corners start at f, and its smooth normal. Its place in the triangle starts at n. */
function putPoint(
  { targets, normals }: Matches,
  o: number,
  { surface, positions: p, normals: m }: PlacedSurface,
  f: number,
  places: Float64Array,
  n: number,
): void {
  const { triangles } = surface;
  const [a, b, c] = [3 * triangles[f], 3 * triangles[f + 1], 3 * triangles[f + 2]];
  const [v, w] = [places[n], places[n + 1]];
  const u = 1 - v - w;
  let length = 0;
  for (let axis = 0; axis < 3; axis++) {
    targets[o + axis] = u * p[a + axis] + v * p[b + axis] + w * p[c + axis];
    const normal = u * m[a + axis] + v * m[b + axis] + w * m[c + axis];
    normals[o + axis] = normal;
    length += normal * normal;
  }
  const scale = 1 / (Math.sqrt(length) || 1);
  for (let axis = 0; axis < 3; axis++) normals[o + axis] *= scale;
}

/** Points with their normals, for a search. */
export function pointsOf({ positions, normals }: PlacedSurface, samples: Uint32Array): Float64Array {
  const points = new Float64Array(6 * samples.length);
  for (let n = 0, to = 0; n < samples.length; n++, to += 6) {
    const from = 3 * samples[n];
    points[to] = positions[from];
    points[to + 1] = positions[from + 1];
    points[to + 2] = positions[from + 2];
    points[to + 3] = normals[from];
    points[to + 4] = normals[from + 1];
    points[to + 5] = normals[from + 2];
  }
  return points;
}

export function makeMatches(count: number): Matches {
  return {
    count: 0,
    corners: new Uint32Array(3 * count),
    blends: new Float64Array(3 * count),
    targets: new Float64Array(3 * count),
    normals: new Float64Array(3 * count),
    weights: new Float64Array(count),
  };
}

export function listAll({ positions }: PlacedSurface): Uint32Array {
  const all = new Uint32Array(positions.length / 3);
  for (let i = 0; i < all.length; i++) all[i] = i;
  return all;
}

function meanArea({ areas }: ScanSurface): number {
  return areas.reduce((sum, area) => sum + area, 0) / Math.max(1, areas.length);
}
