// SPDX-License-Identifier: MIT
// Which ends of a body are mirror images of each other: hands, feet, ears, and a tail that is its own. Ends are the places with the largest mean distance from all others along the surface, compared with the places around them. A mirror symmetry
// keeps distances along the surface, so it pairs the ends so that d(a, b) = d(πa, πb). All such pairings with a small distortion are found by backtracking, the best first. Distances do not depend on the pose.
import { RingPatch } from '../../../core/mesh/topology/ring-patch.ts';
import type { SurfaceGraph } from './surface-graph.ts';

/** Number of evenly spread points for the mean distance. */
const SAMPLES = 40;
/** An end has the largest mean distance among this part of the points around it. Chosen by hand. */
const AROUND = 1 / 50;
/** Maximum number of ends. */
const MAX_ENDS = 16;
/** Minimum distance of two ends, and the tolerance of distances in a pairing, relative to the largest distance. Paths along edges differ by some percent between two sides of a mesh that is not symmetric. Chosen on generated creatures. */
const MIN_APART = 0.05;
const TOLERANCE = 0.08;
/** Cost of an end that is its own image, and of an end without an image, as a relative distortion: the identity has no distortion. */
const OWN = 0.01;
const ALONE = 0.03;
/** Maximum number of ends without an image, relative to all ends. */
const MAX_ALONE = 0.25;
/** Maximum number of partial pairings that are visited. */
const MAX_VISITS = 100_000;

export interface EndPairing {
  /** The image of every end; -1: none. */
  images: Int32Array;
  /** Mean distortion of distances, relative to the largest one, plus the costs of ends without another end as image. */
  cost: number;
}

export interface PairedEnds {
  /** Points. */
  ends: number[];
  /** By end: its distances from all points. */
  distances: Float64Array[];
  /** The largest distance between ends. */
  span: number;
  /** Possible pairings, the one with the smallest cost first. */
  pairings: EndPairing[];
}

/** Finds the ends of a surface and their possible pairings, at most count. */
export function pairExtremities(graph: SurfaceGraph, count: number): PairedEnds {
  const { ends, distances } = listEnds(graph);
  const between = distances.map((row) => ends.map((i) => row[i]));
  const span = Math.max(0, ...between.flat().filter(Number.isFinite));
  return { ends, distances, span, pairings: listPairings(between, span).slice(0, count) };
}

/** Ends, and the distances from each of them. */
function listEnds(graph: SurfaceGraph): Pick<PairedEnds, 'ends' | 'distances'> {
  const pointCount = graph.adjacency.rowStart.length - 1;
  const means = new Float64Array(pointCount);
  const nearest = new Float64Array(pointCount).fill(Number.POSITIVE_INFINITY);
  let next = indexOfMax(graph.measureFrom(0));
  for (let n = 0; n < SAMPLES; n++) {
    const row = graph.measureFrom(next);
    for (let i = 0; i < pointCount; i++) {
      if (!(row[i] < Number.POSITIVE_INFINITY)) continue;
      means[i] += row[i] / SAMPLES;
      nearest[i] = Math.min(nearest[i], row[i]);
    }
    next = indexOfMax(nearest);
  }
  const around = Math.max(12, Math.round(AROUND * pointCount));
  const { patches, sizes } = new RingPatch(graph.adjacency).listAll(around);
  const isPeak = (i: number): boolean => {
    for (let n = i * around; n < i * around + sizes[i]; n++) if (!(means[patches[n]] <= means[i])) return false;
    return true;
  };
  const peaks: number[] = [];
  for (let i = 0; i < pointCount; i++) if (isPeak(i)) peaks.push(i);
  peaks.sort((a, b) => means[b] - means[a] || a - b);
  const chosen: number[] = [];
  const rows: Float64Array[] = [];
  let span = 0;
  for (const i of peaks) {
    if (chosen.length >= MAX_ENDS) break;
    if (rows.some((row) => row[i] < MIN_APART * span)) continue;
    chosen.push(i);
    rows.push(graph.measureFrom(i));
    span = Math.max(span, ...rows.map((row) => (row[i] < Number.POSITIVE_INFINITY ? row[i] : 0)));
  }
  return { ends: chosen, distances: rows };
}

function listPairings(between: number[][], span: number): EndPairing[] {
  const count = between.length;
  const images = new Int32Array(count).fill(-2);
  const found: EndPairing[] = [];
  let visits = 0;
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= TOLERANCE * span;
  const fits = (a: number, b: number): boolean => {
    for (let c = 0; c < count; c++) {
      if (images[c] < 0) continue;
      if (!isNear(between[a][c], between[b][images[c]]) || !isNear(between[b][c], between[a][images[c]])) return false;
    }
    return true;
  };
  const visit = (a: number, alone: number): void => {
    if (visits++ > MAX_VISITS) return;
    while (a < count && images[a] !== -2) a++;
    if (a === count) {
      if (images.some((b, c) => b >= 0 && b !== c))
        found.push({ images: images.slice(), cost: measureCost(between, images, span) });
      return;
    }
    for (let b = a; b < count; b++) {
      if (images[b] !== -2 || !fits(a, b)) continue;
      images[a] = b;
      images[b] = a;
      visit(a + 1, alone);
      images[a] = images[b] = -2;
    }
    if (alone + 1 <= MAX_ALONE * count) {
      images[a] = -1;
      visit(a + 1, alone + 1);
      images[a] = -2;
    }
  };
  visit(0, 0);
  return found.sort((a, b) => a.cost - b.cost);
}

function measureCost(between: number[][], images: Int32Array, span: number): number {
  let [sum, pairs, cost] = [0, 0, 0];
  for (let a = 0; a < images.length; a++) {
    if (images[a] < 0) cost += ALONE;
    if (images[a] === a) cost += OWN;
    for (let b = a + 1; b < images.length; b++) {
      if (images[a] < 0 || images[b] < 0) continue;
      sum += Math.abs(between[a][b] - between[images[a]][images[b]]);
      pairs++;
    }
  }
  return sum / (span * Math.max(1, pairs)) + cost;
}

function indexOfMax(values: Float64Array): number {
  let best = -1;
  for (let i = 0; i < values.length; i++)
    if (values[i] < Number.POSITIVE_INFINITY && (best < 0 || values[i] > values[best])) best = i;
  return Math.max(0, best);
}
