// SPDX-License-Identifier: MIT
// D. Comaniciu and P. Meer, "Mean shift: a robust approach toward feature space analysis", PAMI 24(5), 2002; in high dimensions after B. Georgescu,
// I. Shimshoni and P. Meer, ICCV 2003, whose public implementation D. L. James and C. D. Twigg used (SIGGRAPH 2005, §4.2).
//
// A place z ascends the density of the points zⱼ by moving to their weighted mean, until convergence:
//   z ← Σⱼ aⱼ zⱼ / Σⱼ aⱼ,  aⱼ = (1 − |z − zⱼ|₁/h)² within the bandwidth h, otherwise 0.
// The limit from a point is that point's mode. As in that implementation: distances are L1, modes closer than h/2 are merged, and a
// mode is significant if it has enough points; other points are outliers.
//
// Near-linear in the points: neighbours come from hashing (l1-hash.ts), and points that nearly coincide (thousands in a rigid part) are merged into one place
// at their mean with their total weight (group-near.ts). All places ascend simultaneously, on threads, and places that come near one another are merged. Rows
// start with the coordinates of the largest variation, so that distances of far pairs exceed the limit early. The tests and src/methods/decompose/sma/README.md compare with the exact
// method, every point over all points.

import { type Compute, type Resident, uploadFloat64 } from '../../../core/kernels/compute.ts';
import { l1Distance, paddedWidth } from '../../../core/kernels/errors/l1-distance.ts';
import { shiftRows } from '../../../core/kernels/matrices/shift-rows.ts';
import { NearLists } from '../../../core/kernels/patches/near-lists.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { UsageError } from '../../../core/model/errors.ts';
import { L1Hash } from '../lssp/l1-hash.ts';
import { groupNear } from '../pieces/group-near.ts';

export interface MeanShiftOptions {
  /** Minimum number of points of a significant mode. */
  support?: number;
  /** Points closer than this ratio of the bandwidth are merged; 0: only equal points. */
  merge?: number;
  /** Number of hash tables; 0: every step visits all points. */
  tables?: number;
  seed?: number;
  /** Called with the progress, 0 to 1; return true to stop: unfinished points are then outliers. */
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
  /** modeCount x width, sorted by falling number of points */
  modes: Float32Array;
  /** pointCount: the mode nearest to the limit of each point; -1 if there is no mode */
  labels: Int32Array;
  /** pointCount: the L1 distance from that limit to the mode; infinite if there is none */
  distances: Float64Array;
  /** Number of places: points after merging. */
  placeCount: number;
  /** Total number of steps. */
  steps: number;
}

/** Tolerance on the step length, relative to the bandwidth. */
const STILL = 2e-3;
/** Places that come closer than this ratio of the bandwidth are merged. */
const MEET = 1 / 8;
/** Number of hash tables for finding them: a missed pair only costs time. */
const JOIN_TABLES = 4;
/** Modes closer than this ratio of the bandwidth are merged. */
const SAME_MODE = 1 / 2;
const MAX_STEPS = 100;
/** Estimated ratio of the work that remains after a step, for progress. */
const FEWER = 0.8;
/** Estimated ratio of the time for merging points, for progress. */
const MERGING = 0.15;

/**
 * Clusters points by the modes of their density. Same points, options and seed give the same modes for any number of threads.
 * @param points pointCount x width
 * @param bandwidth L1 radius of the kernel
 */
export async function meanShift(
  compute: Compute,
  points: Float32Array,
  width: number,
  bandwidth: number,
  options: MeanShiftOptions = {},
): Promise<MeanShiftResult> {
  const { support, merge, tables, seed, onStep } = { ...MEAN_SHIFT_DEFAULTS, ...options };
  if (!(bandwidth > 0)) throw new UsageError('meanShift', `the bandwidth must be positive, got ${bandwidth}`);
  return compute.scope(async (memory) => {
    const pointCount = width === 0 ? 0 : points.length / width;
    const stride = paddedWidth(width);
    const labels = new Int32Array(pointCount).fill(-1);
    const distances = new Float64Array(pointCount).fill(Number.POSITIVE_INFINITY);
    const near = Math.max(merge * bandwidth, Number.MIN_VALUE);
    const onBlock = onStep && ((part: number) => onStep(MERGING * part));
    const places = await mergePoints(memory, points, width, { near, tables: Math.max(1, tables), seed, onBlock });
    if (!places) return { modeCount: 0, modes: new Float32Array(0), labels, distances, placeCount: 0, steps: 0 };
    const climb = {
      bandwidth,
      tables,
      seed,
      onStep: onStep && ((part: number) => onStep(MERGING + (1 - MERGING) * part)),
    };
    const { ends, endOf, steps } = await climbAll(memory, places, stride, climb);
    const weights = new Float64Array(ends.length);
    for (let n = 0; n < places.count; n++) if (endOf[n] >= 0) weights[endOf[n]] += places.weights[n];
    const joined = joinEnds(ends, weights, stride, bandwidth, support);
    const nearest = ends.map((end) => findNearest(end, joined, stride));
    for (let i = 0; i < pointCount; i++) {
      const end = endOf[places.placeOf[i]];
      if (end < 0) continue;
      labels[i] = nearest[end].mode;
      distances[i] = nearest[end].distance;
    }
    const modes = new Float32Array(joined.length * width);
    for (const [m, mode] of joined.entries())
      for (let c = 0; c < width; c++) modes[m * width + c] = mode[places.columns[c]];
    return { modeCount: joined.length, modes, labels, distances, placeCount: places.count, steps };
  });
}

interface Places {
  count: number;
  /** count x stride, padded */
  rows: Resident<Float32Array>;
  /** count: number of points at each */
  weights: Float64Array;
  /** pointCount: the place of each point */
  placeOf: Uint32Array;
  /** width: position of each coordinate in the rows */
  columns: Uint32Array;
}

/** Merges points that nearly coincide into places at their means, in order of their first points. Undefined if stopped. */
async function mergePoints(
  compute: Compute,
  points: Float32Array,
  width: number,
  options: {
    near: number;
    tables: number;
    seed: number;
    onBlock: ((part: number) => boolean | Promise<boolean>) | undefined;
  },
): Promise<Places | undefined> {
  const pointCount = width === 0 ? 0 : points.length / width;
  const stride = paddedWidth(width);
  const columns = orderColumns(points, width);
  const placeOf = Uint32Array.from({ length: pointCount }, (_, i) => i);
  const leaders = await compute.scope((memory) => {
    const padded = memory.float32(pointCount * stride);
    const view = padded.view();
    for (let i = 0; i < pointCount; i++)
      for (let c = 0; c < width; c++) view[i * stride + columns[c]] = points[i * width + c];
    return groupNear(memory, padded, stride, placeOf.slice(), {
      ...options,
      columns,
      radius: options.near,
      onJoin: (i, leader) => {
        placeOf[i] = leader;
      },
    });
  });
  if (!leaders) return undefined;
  const count = leaders.length;
  const placeOfLeader = new Uint32Array(pointCount);
  for (const [n, leader] of leaders.entries()) placeOfLeader[leader] = n;
  const weights = new Float64Array(count);
  for (let i = 0; i < pointCount; i++) {
    placeOf[i] = placeOfLeader[placeOf[i]];
    weights[placeOf[i]]++;
  }
  const rows = compute.float32(count * stride);
  meanRowsInto(points, columns, placeOf, weights, rows.view(), stride);
  return { count, rows, weights, placeOf, columns };
}

/** The mean of the points of each place; place by place, so that sums need the memory of one. */
function meanRowsInto(
  points: Float32Array,
  columns: Uint32Array,
  placeOf: Uint32Array,
  weights: Float64Array,
  rows: Float32Array,
  stride: number,
): void {
  const width = columns.length;
  const byPlace = Uint32Array.from(placeOf.keys()).sort((p, q) => placeOf[p] - placeOf[q] || p - q);
  const sum = new Float64Array(width);
  for (let n = 0, e = 0; n < weights.length; n++) {
    sum.fill(0);
    for (const end = e + weights[n]; e < end; e++)
      for (let c = 0; c < width; c++) sum[c] += points[byPlace[e] * width + c];
    for (let c = 0; c < width; c++) rows[n * stride + columns[c]] = sum[c] / weights[n];
  }
}

/** Position of each coordinate in the rows: by falling mean deviation. */
function orderColumns(points: Float32Array, width: number): Uint32Array {
  const count = points.length / width;
  const mean = new Float64Array(width);
  const deviation = new Float64Array(width);
  for (let e = 0; e < points.length; e++) mean[e % width] += points[e] / count;
  for (let e = 0; e < points.length; e++) deviation[e % width] += Math.abs(points[e] - mean[e % width]);
  const order = Array.from(deviation.keys()).sort((p, q) => deviation[q] - deviation[p] || p - q);
  const columns = new Uint32Array(width);
  for (const [at, c] of order.entries()) columns[c] = at;
  return columns;
}

interface ClimbOptions {
  bandwidth: number;
  tables: number;
  seed: number;
  onStep: MeanShiftOptions['onStep'];
}

/** The limits of all places. All ascend simultaneously, step by step, and those that come near one another are merged. */
async function climbAll(
  compute: Compute,
  places: Places,
  stride: number,
  { bandwidth, tables, seed, onStep }: ClimbOptions,
): Promise<{ ends: Float32Array[]; endOf: Int32Array; steps: number }> {
  const { count, rows, columns } = places;
  const listNear = makeNear(places, stride, bandwidth, tables, seed + 1);
  const weights = uploadFloat64(compute, places.weights);
  const here = compute.float32(count * stride);
  here.view().set(rows.view());
  const lists = new NearLists(compute, count);
  /** By place: the place it was merged into. */
  const leaderOf = Uint32Array.from({ length: count }, (_, n) => n);
  const ends: Float32Array[] = [];
  const endOfLeader = new Int32Array(count).fill(-1);
  // the heaviest first: the others are merged into them
  let active = Array.from(leaderOf).sort((p, q) => places.weights[q] - places.weights[p] || p - q);
  let steps = 0;
  let isStopped = false;
  for (let step = 0; step < MAX_STEPS && active.length > 0 && !isStopped; step++) {
    const moving: number[] = [];
    for (let done = 0; done < active.length; done += lists.count) {
      // most of the work is in the first steps: the number of places falls with each
      const part = 1 - FEWER ** step * (1 - (1 - FEWER) * (done / active.length));
      isStopped = onStep !== undefined && (await onStep(part));
      if (isStopped) break;
      lists.clear();
      const view = here.view();
      for (let e = done; e < active.length; e++) if (!lists.add(active[e], listNear(view, active[e] * stride))) break;
      await shiftRows(lists, rows, weights, here, stride, bandwidth);
      steps += lists.count;
      const [way, after] = [lists.distances.view(), here.view()];
      for (let e = 0; e < lists.count; e++) {
        const n = active[done + e];
        if (way[e] >= STILL * bandwidth && step + 1 < MAX_STEPS) moving.push(n);
        else endOfLeader[n] = ends.push(after.slice(n * stride, (n + 1) * stride)) - 1;
      }
    }
    if (isStopped) break;
    const onJoin = (n: number, leader: number) => {
      leaderOf[n] = leader;
    };
    const join = { radius: MEET * bandwidth, tables: JOIN_TABLES, columns, seed: seed + 2 + step, onJoin };
    active = (tables > 0 ? await groupNear(compute, here, stride, moving, join) : undefined) ?? moving;
  }
  const endOf = new Int32Array(count);
  for (let n = 0; n < count; n++) {
    let leader = n;
    while (leaderOf[leader] !== leader) leader = leaderOf[leader];
    endOf[n] = endOfLeader[leader];
  }
  return { ends, endOf, steps };
}

/** Lists the places that may be near another: by hashing, or all of them without tables. */
function makeNear(
  { rows, count, columns }: Places,
  stride: number,
  bandwidth: number,
  tables: number,
  seed: number,
): (place: Float32Array, offset: number) => readonly number[] {
  const all = Array.from({ length: count }, (_, n) => n);
  if (tables === 0) return () => all;
  const view = rows.view();
  const hash = new L1Hash(view, stride, all, bandwidth, makeRandom(seed), { tables, columns });
  for (const n of all) hash.add(n, view, n * stride);
  return (place, offset) => hash.listNear(place, offset);
}

/** Modes, by falling number of points: nearby limits are merged at their mean, the heaviest first; modes with too few points are dropped. */
function joinEnds(
  ends: readonly Float32Array[],
  weights: Float64Array,
  stride: number,
  bandwidth: number,
  support: number,
): Float32Array[] {
  const order = Array.from(ends.keys()).sort((p, q) => weights[q] - weights[p] || p - q);
  const joined: { at: Float32Array; weight: number }[] = [];
  for (const e of order) {
    let best = -1;
    let closest = SAME_MODE * bandwidth;
    for (let m = 0; m < joined.length; m++) {
      const distance = l1Distance(ends[e], 0, joined[m].at, 0, stride, closest);
      if (distance < closest) {
        closest = distance;
        best = m;
      }
    }
    if (best < 0) joined.push({ at: ends[e].slice(), weight: weights[e] });
    else {
      const mode = joined[best];
      const part = weights[e] / (mode.weight + weights[e]);
      for (let c = 0; c < stride; c++) mode.at[c] += part * (ends[e][c] - mode.at[c]);
      mode.weight += weights[e];
    }
  }
  const kept = joined.filter(({ weight }) => weight >= support).sort((p, q) => q.weight - p.weight);
  return kept.map(({ at }) => at);
}

function findNearest(
  end: Float32Array,
  modes: readonly Float32Array[],
  stride: number,
): { mode: number; distance: number } {
  let mode = -1;
  let closest = Number.POSITIVE_INFINITY;
  for (let m = 0; m < modes.length; m++) {
    const distance = l1Distance(end, 0, modes[m], 0, stride, closest);
    if (distance < closest) {
      closest = distance;
      mode = m;
    }
  }
  return { mode, distance: closest };
}
