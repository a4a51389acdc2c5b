// SPDX-License-Identifier: MIT
// The search for the bones of FSD, on some of the points and on the leading coordinates of their trajectories.
//
// 1. Starts: a third more clusters than bones; a few iterations of each start, and the surplus bones of the best are removed (fsd-prune.ts).
// 2. Relocation (fit/skin/relocate-bones.ts) on other points, half of them drawn with probability proportional to their error, to include small parts with large errors.
// 3. Bones of all coordinates from the resulting weights.
//
// The constants were chosen on pdance and samba with seeds 0 to 3, among some forty settings of nearly the same mean error (src/methods/decompose/fsd/README.md).

import type { Compute } from '../../../core/kernels/compute.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import type { Random } from '../../../core/math/random.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { RigidPatches } from '../../../fit/clusters/index.ts';
import {
  assignLabels,
  type FitState,
  type Patches,
  relocateBones,
  type SkinFitOptions,
  selectTrajectories,
} from '../../../fit/skin/index.ts';
import { FsdFit } from './fsd-fit.ts';
import { fsdPrune } from './fsd-prune.ts';
import { chooseCut, cutCoordinates, type FsdReduced, projectBoneInto } from './fsd-reduce.ts';
import { selectFrames } from './fsd-starts.ts';

/** Clusters per bone of a start. */
const SURPLUS = 1.33;
/** Numbers of points for starts, pruning and relocation: per bone, within limits. */
const FIRST_POINTS = { perBone: 40, min: 800, max: Number.POSITIVE_INFINITY };
const PRUNE_POINTS = { perBone: 62, min: 1000, max: Number.POSITIVE_INFINITY };
const HARD_POINTS = { perBone: 125, min: 1000, max: 3000 };
const MIN_PER_BONE = 20;
/** Iterations of each start before the best is chosen, after pruning, on other points before relocation, and after it. */
const START_ITERATIONS = 6;
const PRUNED_ITERATIONS = 4;
const HARD_ITERATIONS = 6;
const SETTLE_ITERATIONS = 6;
/** Iterations in all coordinates on those points. */
const LIFT_ITERATIONS = 3;
/** Frames for the distance of points. */
const NEAR_FRAMES = 12;
/** Maximum squared error outside the leading coordinates, relative to the error of the starts, and maximum number of leading coordinates relative to all: otherwise all are used. */
const CUT_TAIL = 0.12;
const CUT_RATIO = 0.75;
/** Options of relocation. A trial without prospect ends after one iteration, so many trials are possible. */
const RELOCATE = {
  tries: 60,
  failures: Number.POSITIVE_INFINITY,
  idle: 20,
  patience: 16,
  cheapest: 8,
  minGain: 0.01,
  keepCosts: true,
  proposals: 6,
  stages: [
    { iterations: 1, maxRise: 1.6 },
    { iterations: 2, maxRise: 1.25 },
    { iterations: 3, maxRise: 1.08 },
    { iterations: 4, maxRise: 1 },
  ],
};

export interface FsdProblem {
  compute: Compute;
  all: Trajectories;
  reduced: FsdReduced | undefined;
  boneCount: number;
  fitOptions: SkinFitOptions;
  monitor: SolveMonitor;
}

/** E_RMS of a sum of squares over all points and frames, or over a part of the points. */
export function eRmsOf({ vertexCount, frameCount }: Trajectories, error: number, points = vertexCount): number {
  return 1000 * Math.sqrt(error / (3 * points * frameCount));
}

/** Points for the starts, and the number of clusters. */
export function drawFirstPoints(
  vertexCount: number,
  boneCount: number,
  random: Random,
): { ids: Uint32Array; clusterCount: number } {
  const ids = drawSpread(vertexCount, countPoints(boneCount, FIRST_POINTS), random);
  return { ids, clusterCount: Math.max(boneCount, Math.min(ids.length, Math.round(SURPLUS * boneCount))) };
}

function countPoints(boneCount: number, { perBone, min, max }: typeof FIRST_POINTS): number {
  return Math.max(min, MIN_PER_BONE * boneCount, Math.min(max, perBone * boneCount));
}

/** Indices of at most wanted points, ascending: one from each of equal intervals. Points are in the order of the shape, so they are spread over it evenly. */
export function drawSpread(vertexCount: number, wanted: number, random: Random): Uint32Array {
  if (vertexCount <= wanted) return Uint32Array.from({ length: vertexCount }, (_, i) => i);
  return Uint32Array.from({ length: wanted }, (_, n) => {
    const from = Math.floor((n * vertexCount) / wanted);
    return from + random.below(Math.floor(((n + 1) * vertexCount) / wanted) - from);
  });
}

/**
 * Bones in the rows of the problem (coordinates, or frames without a basis): rows x 4 boneCount.
 * @param starts by start: the cluster of each of the first points
 * @param ids the first points
 */
export async function fsdSearch(
  problem: FsdProblem,
  starts: readonly Uint32Array[],
  ids: Uint32Array,
  random: Random,
): Promise<{ bones: Float64Array; relocations: number }> {
  const inScope = <T>(fn: (own: FsdProblem) => Promise<T>): Promise<T> =>
    problem.compute.scope((memory) => fn({ ...problem, compute: memory }));
  const first = await inScope((own) => startBones(own, starts, ids));
  return inScope(async ({ compute: memory }) => {
    const isCut = problem.reduced !== undefined && first.rank < problem.reduced.rank;
    const rows = problem.reduced?.trajectories ?? problem.all;
    const seen = isCut ? cutCoordinates(memory, rows, first.rank) : rows;
    const pruned = await inScope((own) => pruneBones(own, seen, first, random));
    const hard = await inScope((own) => drawHardPoints(own, seen, pruned, random));
    return inScope((own) => moveBones(own, seen, first.rank, pruned, hard, random));
  });
}

/** The error of a fit to some of the points, as E_RMS of those. */
function makeMeter({ all, reduced }: FsdProblem, points: number): (error: number) => number {
  const tail = ((reduced?.tail ?? 0) * points) / all.vertexCount;
  return (error) => eRmsOf(all, error + tail, points);
}

interface FirstBones {
  /** rank rows (all without a basis) x 4 clusterCount */
  bones: Float64Array;
  clusterCount: number;
  /** Number of coordinates for pruning and relocation; 0 without a basis. */
  rank: number;
}

/** First bones, with surplus: from the clusters with the lowest error after a few iterations. */
async function startBones(problem: FsdProblem, starts: readonly Uint32Array[], ids: Uint32Array): Promise<FirstBones> {
  const { compute, all, reduced, boneCount, fitOptions, monitor } = problem;
  const part = selectTrajectories(compute, reduced?.trajectories ?? all, ids);
  const clusterCount = starts.reduce((max, labels) => labels.reduce((a, b) => Math.max(a, b + 1), max), boneCount);
  const fit = new FsdFit(compute, part, clusterCount, fitOptions);
  const eRms = makeMeter(problem, ids.length);
  monitor.enter('alternate', 0.1, 0.2);
  let best: FitState | undefined;
  for (let n = 0; n < starts.length; n++) {
    await startFrom(fit, starts[n]);
    await fit.alternate(START_ITERATIONS, () => monitor.isStopped);
    if (!best || fit.error < best.error) best = fit.save();
    if (await monitor.tick((n + 1) / starts.length, eRms(fit.error))) break;
  }
  if (best) fit.restore(best);
  const cut = reduced ? chooseCut(part, reduced.rank, CUT_TAIL * fit.error) : 0;
  const rank = reduced && cut > CUT_RATIO * reduced.rank ? reduced.rank : cut;
  const bones = fit.bones.view().slice(0, reduced ? 4 * rank * clusterCount : undefined);
  return { bones, clusterCount, rank };
}

/** The bones after pruning, on more of the points. */
async function pruneBones(
  problem: FsdProblem,
  seen: Trajectories,
  { bones, clusterCount }: FirstBones,
  random: Random,
): Promise<Float64Array> {
  const { compute, boneCount, fitOptions, monitor } = problem;
  const ids = drawSpread(seen.vertexCount, countPoints(boneCount, PRUNE_POINTS), random);
  const part = selectTrajectories(compute, seen, ids);
  let fit = new FsdFit(compute, part, clusterCount, fitOptions);
  setBones(fit, bones);
  await fit.solveWeights('cold');
  monitor.enter('alternate', 0.2, 0.25);
  await fit.alternate(PRUNED_ITERATIONS, () => monitor.isStopped);
  fit = await fsdPrune(fit, boneCount, () => monitor.isStopped);
  await fit.alternate(PRUNED_ITERATIONS, () => monitor.isStopped);
  await monitor.tick(1, makeMeter(problem, ids.length)(fit.error));
  const pruned = fit.bones.view().slice();
  return pruned;
}

/** Copies bones to a fit whose rows are padded to a multiple of three. */
function setBones(fit: FsdFit, bones: Float64Array): void {
  const view = fit.bones.view();
  view.fill(0);
  view.set(bones.subarray(0, Math.min(bones.length, view.length)));
}

/** The motions of clusters as first bones. */
async function startFrom(fit: FsdFit, labels: Uint32Array): Promise<void> {
  assignLabels(fit.weights, labels);
  fit.dropHistory();
  await fit.solveJointBones();
  await fit.solveWeights('cold');
}

/** Points for relocation: half of them evenly spread, half with probability proportional to their error. */
async function drawHardPoints(
  { compute, all, boneCount, fitOptions }: FsdProblem,
  seen: Trajectories,
  bones: Float64Array,
  random: Random,
): Promise<Uint32Array> {
  const wanted = countPoints(boneCount, HARD_POINTS);
  if (all.vertexCount <= wanted) return drawSpread(all.vertexCount, wanted, random);
  const fit = new FsdFit(compute, seen, boneCount, fitOptions);
  setBones(fit, bones);
  await fit.solveWeights('cold');
  const errors = fit.weights.errors.view().slice();
  const chosen = new Set(drawSpread(all.vertexCount, Math.ceil(wanted / 2), random));
  for (const i of chosen) errors[i] = 0;
  const total = errors.reduce((sum, e) => sum + e, 0);
  const gap = total / Math.floor(wanted / 2);
  // at equal steps along the cumulative error: a point with a large error may be hit several times, and is chosen once
  let next = gap * random.next();
  let passed = 0;
  for (let i = 0; i < errors.length && gap > 0; i++) {
    passed += errors[i];
    if (passed > next) {
      chosen.add(i);
      next += gap * Math.ceil((passed - next) / gap);
    }
  }
  return Uint32Array.from(chosen).sort();
}

/** Relocates bones on some of the points and coordinates; then fits them in all coordinates. */
async function moveBones(
  problem: FsdProblem,
  seen: Trajectories,
  rank: number,
  bones: Float64Array,
  ids: Uint32Array,
  random: Random,
): Promise<{ bones: Float64Array; relocations: number }> {
  const { compute, all, reduced, boneCount, fitOptions, monitor } = problem;
  const frames = selectTrajectories(compute, all, ids);
  const part = selectTrajectories(compute, seen, ids);
  const few = selectFrames(compute, frames, NEAR_FRAMES);
  const fit = new FsdFit(compute, part, boneCount, fitOptions);
  setBones(fit, bones);
  await fit.solveWeights('cold');
  const eRms = makeMeter(problem, ids.length);
  monitor.enter('relocate', 0.25, 0.6);
  let count = 0;
  if (!monitor.isStopped) await fit.alternate(HARD_ITERATIONS, () => monitor.tick(0, eRms(fit.error)));
  const relocations =
    monitor.isStopped || boneCount >= part.vertexCount
      ? 0
      : await relocateBones(fit, random, {
          ...RELOCATE,
          patches: reduced ? makePatches(frames, few, { ...reduced, rank }) : undefined,
          onTrial: () => monitor.tick(++count / RELOCATE.tries, eRms(fit.error)),
        });
  monitor.enter('alternate', 0.6, 0.65);
  if (!monitor.isStopped) await fit.alternate(SETTLE_ITERATIONS, () => monitor.tick(0.5, eRms(fit.error)));
  const isCut = reduced !== undefined && rank < reduced.rank;
  const moved = isCut ? await liftBones(problem, reduced.trajectories, ids, fit) : fit.bones.view().slice();
  return { bones: moved, relocations };
}

/** Bones of all coordinates: fitted to the weights of a fit in fewer coordinates, then a few iterations. */
async function liftBones(
  problem: FsdProblem,
  rows: Trajectories,
  ids: Uint32Array,
  from: FsdFit,
): Promise<Float64Array> {
  const { compute, boneCount, fitOptions, monitor } = problem;
  const part = selectTrajectories(compute, rows, ids);
  const fit = new FsdFit(compute, part, boneCount, fitOptions);
  setBones(fit, from.bones.view());
  fit.weights.bones.view().set(from.weights.bones.view());
  fit.weights.weights.view().set(from.weights.weights.view());
  await fit.solveJointBones();
  await fit.solveWeights('warm');
  const eRms = makeMeter(problem, part.vertexCount);
  await fit.alternate(LIFT_ITERATIONS, () => monitor.tick(1, eRms(fit.error)));
  const bones = fit.bones.view().slice();
  return bones;
}

/** Rigid patches of the frames, converted to the coordinates of the fit; distances of points use some of the frames, copied to contiguous memory. */
function makePatches(sample: Trajectories, few: Trajectories, reduced: FsdReduced): Patches {
  const patches = new RigidPatches(sample);
  const near = new RigidPatches(few);
  const bone = new Float64Array(12 * sample.frameCount);
  return {
    listNearest: (vertex, size) => near.listNearest(vertex, size),
    fitInto(patch, out, column, stride) {
      patches.fitInto(patch, bone, 0, 1);
      projectBoneInto(reduced, bone, out, column, stride);
    },
  };
}
