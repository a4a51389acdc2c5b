// SPDX-License-Identifier: MIT
// D. Comaniciu and P. Meer, "Mean shift: a robust approach toward feature space analysis", PAMI 24(5), 2002; in high dimensions after B. Georgescu,
// I. Shimshoni and P. Meer, ICCV 2003, whose public implementation D. L. James and C. D. Twigg used (SIGGRAPH 2005, §4.2).
//
// A place z climbs the density of the points zⱼ by moving to their weighted mean, until it stands still:
//   z ← Σⱼ aⱼ zⱼ / Σⱼ aⱼ,  aⱼ = (1 − |z − zⱼ|₁/h)² within the bandwidth h, else 0.
// Where the climb from a point ends is that point's mode. As in that implementation: distances are L1, modes within h/2 of one another are one, and a
// mode is significant with enough points; the others are outliers.
//
// Near-linear in the points: neighbours come from hashing (l1-hash.ts), and points that nearly coincide (rigid parts are thousands of them) are seen as
// one of their joint weight: a point within a part of h of an earlier one joins it, and they stand at their mean. All climb side by side, and climbs that come
// near one another go on as one. The tests and docs/sma.md compare with the climb of every point over all points.
import { makeRandom } from '../math/random.ts';
import { L1Hash, measureL1 } from './l1-hash.ts';

export interface MeanShiftOptions {
  /** Points that make a mode significant. */
  support?: number;
  /** Points nearer than this part of the bandwidth are seen as one; 0: only equal points. */
  merge?: number;
  /** Tables of the hash; 0: every climb looks at all points. */
  tables?: number;
  seed?: number;
  /** Called now and then with the part that is done; return true to stop: points not climbed yet are outliers then. */
  onStep?: (part: number) => boolean | Promise<boolean>;
}

export const MEAN_SHIFT_DEFAULTS: Required<Omit<MeanShiftOptions, 'onStep'>> = {
  support: 40,
  merge: 1 / 4,
  tables: 8,
  seed: 0,
};

export interface MeanShiftResult {
  modeCount: number;
  /** modeCount x width, the modes with most points first */
  modes: Float32Array;
  /** pointCount: the nearest mode to where the climb of each point ended; -1 where there is no mode */
  labels: Int32Array;
  /** pointCount: the L1 distance from that end to that mode; infinite where there is none */
  distances: Float64Array;
  /** Places that climbed: points after merging. */
  placeCount: number;
  /** Steps of all climbs. */
  steps: number;
}

/** Of the bandwidth: a step shorter than this ends a climb. */
const STILL = 2e-3;
/** Of the bandwidth: climbs that come this near to one another go on as one. */
const MEET = 1 / 8;
/** Tables of the hash by which they are found: one that is missed only costs its own climb. */
const JOIN_TABLES = 4;
/** Of the bandwidth: modes nearer than this are one. */
const SAME_MODE = 1 / 2;
const MOST_STEPS = 100;
/** Part of the work that is left after a step, as a guess for progress. */
const FEWER = 0.8;
/** Climbs between reports. */
const REPORT_EVERY = 16;

/**
 * Clusters points by the modes of their density.
 * @param points pointCount x width
 * @param bandwidth L1 radius of the kernel
 */
export async function meanShift(
  points: Float32Array,
  width: number,
  bandwidth: number,
  options: MeanShiftOptions = {},
): Promise<MeanShiftResult> {
  const { support, merge, tables, seed, onStep } = { ...MEAN_SHIFT_DEFAULTS, ...options };
  if (!(bandwidth > 0)) throw new Error(`meanShift: the bandwidth must be positive, got ${bandwidth}`);
  const places = mergePoints(points, width, bandwidth, merge, tables, seed);
  const { ends, endOf, steps } = await climbAll(places, width, bandwidth, tables, seed, onStep);
  const { count } = places;
  const weights = new Float64Array(ends.length);
  for (let n = 0; n < count; n++) if (endOf[n] >= 0) weights[endOf[n]] += places.weights[n];
  const { modes, modeCount } = joinEnds(ends, weights, width, bandwidth, support);
  const nearest = ends.map((end) => findNearest(end, modes, modeCount, width));
  const labels = new Int32Array(places.placeOf.length);
  const distances = new Float64Array(labels.length);
  for (let i = 0; i < labels.length; i++) {
    const end = endOf[places.placeOf[i]];
    labels[i] = end < 0 ? -1 : nearest[end].mode;
    distances[i] = end < 0 ? Number.POSITIVE_INFINITY : nearest[end].distance;
  }
  return { modeCount, modes, labels, distances, placeCount: count, steps };
}

interface Places {
  count: number;
  /** count x width */
  rows: Float32Array;
  /** count: points at each */
  weights: Float64Array;
  /** pointCount: the place of each point */
  placeOf: Uint32Array;
}

/** Points that nearly coincide, as one place each at their mean; in order of their first points. */
function mergePoints(
  points: Float32Array,
  width: number,
  bandwidth: number,
  merge: number,
  tables: number,
  seed: number,
): Places {
  const pointCount = width === 0 ? 0 : points.length / width;
  const near = Math.max(merge * bandwidth, Number.MIN_VALUE);
  const hash = new L1Hash(points, width, near, makeRandom(seed), { tables: Math.max(1, tables) });
  const placeOf = new Uint32Array(pointCount);
  const leaders: number[] = [];
  const placeOfLeader = new Map<number, number>();
  for (let i = 0; i < pointCount; i++) {
    let best = -1;
    let least = near;
    for (const n of hash.listNear(points, i * width)) {
      const distance = measureL1(points, i * width, points, n * width, width, least);
      if (distance < least || (distance === least && best >= 0 && n < best)) {
        least = distance;
        best = n;
      }
    }
    const known = best < 0 ? undefined : placeOfLeader.get(best);
    if (known !== undefined) {
      placeOf[i] = known;
      continue;
    }
    placeOf[i] = leaders.length;
    placeOfLeader.set(i, leaders.length);
    leaders.push(i);
    hash.add(i);
  }
  const count = leaders.length;
  const sums = new Float64Array(count * width);
  const weights = new Float64Array(count);
  for (let i = 0; i < pointCount; i++) {
    const n = placeOf[i];
    weights[n]++;
    for (let c = 0; c < width; c++) sums[n * width + c] += points[i * width + c];
  }
  const rows = new Float32Array(count * width);
  for (let n = 0; n < count; n++)
    for (let c = 0; c < width; c++) rows[n * width + c] = sums[n * width + c] / weights[n];
  return { count, rows, weights, placeOf };
}

/** Where the climbs from all places end. They go up side by side, step by step, and those that come near one another go on as one. */
async function climbAll(
  places: Places,
  width: number,
  bandwidth: number,
  tables: number,
  seed: number,
  onStep: MeanShiftOptions['onStep'],
): Promise<{ ends: Float32Array[]; endOf: Int32Array; steps: number }> {
  const { count, rows } = places;
  const hash = tables > 0 ? new L1Hash(rows, width, bandwidth, makeRandom(seed + 1), { tables }) : undefined;
  for (let n = 0; n < count && hash; n++) hash.add(n);
  const all = hash ? [] : Array.from({ length: count }, (_, n) => n);
  const here = rows.slice();
  /** By place: the place it goes on with. */
  const leaderOf = Uint32Array.from({ length: count }, (_, n) => n);
  const ends: Float32Array[] = [];
  const endOfLeader = new Int32Array(count).fill(-1);
  // the heaviest first: the others join them
  let active = Array.from(all.length > 0 ? all : leaderOf).sort(
    (p, q) => places.weights[q] - places.weights[p] || p - q,
  );
  const mean = new Float64Array(width);
  let steps = 0;
  let isStopped = false;
  for (let step = 0; step < MOST_STEPS && active.length > 0 && !isStopped; step++) {
    const moving: number[] = [];
    for (const [done, n] of active.entries()) {
      const place = here.subarray(n * width, (n + 1) * width);
      const moved = stepInto(places, width, bandwidth, hash?.listNear(place) ?? all, place, mean);
      steps++;
      if (moved >= STILL * bandwidth && step + 1 < MOST_STEPS) moving.push(n);
      else endOfLeader[n] = ends.push(place.slice()) - 1;
      // most of the work is in the first steps: each has fewer places to move than the one before
      const part = 1 - FEWER ** step * (1 - (1 - FEWER) * (done / active.length));
      if (onStep && done % REPORT_EVERY === 0 && (await onStep(part))) {
        isStopped = true;
        break;
      }
    }
    if (tables > 0 && !isStopped) active = joinPlaces(here, width, MEET * bandwidth, moving, leaderOf, seed + 2 + step);
    else active = moving;
  }
  const endOf = new Int32Array(count);
  for (let n = 0; n < count; n++) {
    let leader = n;
    while (leaderOf[leader] !== leader) leader = leaderOf[leader];
    endOf[n] = endOfLeader[leader];
  }
  return { ends, endOf, steps };
}

/** Moves a place to the weighted mean of those near it; returns how far that was. */
function stepInto(
  { rows, weights }: Places,
  width: number,
  bandwidth: number,
  near: readonly number[],
  place: Float32Array,
  mean: Float64Array,
): number {
  mean.fill(0);
  let total = 0;
  for (let e = 0; e < near.length; e++) {
    const n = near[e];
    const o = n * width;
    const distance = measureL1(place, 0, rows, o, width, bandwidth);
    if (distance >= bandwidth) continue;
    const closeness = 1 - distance / bandwidth;
    const a = weights[n] * closeness * closeness;
    total += a;
    for (let c = 0; c < width; c++) mean[c] += a * rows[o + c];
  }
  // hashing may miss all of them: then the place stays
  if (total === 0) return 0;
  let moved = 0;
  for (let c = 0; c < width; c++) {
    const next = mean[c] / total;
    moved += Math.abs(next - place[c]);
    place[c] = next;
  }
  return moved;
}

/** Places on the move, those left out that are near an earlier one and go on with it. */
function joinPlaces(
  here: Float32Array,
  width: number,
  near: number,
  moving: readonly number[],
  leaderOf: Uint32Array,
  seed: number,
): number[] {
  const hash = new L1Hash(here, width, near, makeRandom(seed), { tables: JOIN_TABLES });
  const kept: number[] = [];
  for (const n of moving) {
    let best = -1;
    let least = near;
    for (const other of hash.listNear(here, n * width)) {
      const distance = measureL1(here, n * width, here, other * width, width, least);
      if (distance >= least) continue;
      least = distance;
      best = other;
    }
    if (best >= 0) leaderOf[n] = best;
    else {
      kept.push(n);
      hash.add(n);
    }
  }
  return kept;
}

/** Ends that are near one another as one mode at their mean, the heaviest end first; those with too few points are left out. */
function joinEnds(
  ends: readonly Float32Array[],
  weights: Float64Array,
  width: number,
  bandwidth: number,
  support: number,
): { modes: Float32Array; modeCount: number } {
  const order = Array.from(ends.keys()).sort((p, q) => weights[q] - weights[p] || p - q);
  const joined: { at: Float32Array; weight: number }[] = [];
  for (const e of order) {
    let best = -1;
    let least = SAME_MODE * bandwidth;
    for (let m = 0; m < joined.length; m++) {
      const distance = measureL1(ends[e], 0, joined[m].at, 0, width, least);
      if (distance < least) {
        least = distance;
        best = m;
      }
    }
    if (best < 0) joined.push({ at: ends[e].slice(), weight: weights[e] });
    else {
      const mode = joined[best];
      const part = weights[e] / (mode.weight + weights[e]);
      for (let c = 0; c < width; c++) mode.at[c] += part * (ends[e][c] - mode.at[c]);
      mode.weight += weights[e];
    }
  }
  const kept = joined.filter(({ weight }) => weight >= support).sort((p, q) => q.weight - p.weight);
  const modes = new Float32Array(kept.length * width);
  for (const [m, { at }] of kept.entries()) modes.set(at, m * width);
  return { modes, modeCount: kept.length };
}

function findNearest(
  end: Float32Array,
  modes: Float32Array,
  modeCount: number,
  width: number,
): { mode: number; distance: number } {
  let mode = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let m = 0; m < modeCount; m++) {
    const distance = measureL1(end, 0, modes, m * width, width, least);
    if (distance < least) {
      least = distance;
      mode = m;
    }
  }
  return { mode, distance: least };
}
