// SPDX-License-Identifier: MIT
// L. Kavan, P.-P. Sloan, C. O'Sullivan, "Fast and efficient skinning of animated meshes", Computer Graphics Forum 29(2), 2010; SIGGRAPH course 2014, §1. A clip becomes
// affine bones, their motion, at most K convex weights per vertex, and a rest pose that fits them:
//   min over W, T, U of Σᵢₖ |Σⱼ wᵢⱼ Tⱼₖ ũᵢ − vᵢₖ|²,  w ≥ 0, Σⱼ wᵢⱼ = 1, at most K of them, T any 3x4.
// Each of the three blocks alone is linear least squares (weights: with constraints), so the alternation never rises.
//
// symbol  here                          shape
// A, V    NormalizedClip.trajectories    points x 3 frames
// Q       FsdReduced.basis               rank x 3 frames
// W       SkinFit.weights                points x K
// T       SkinFit.bones                  3 frames x 4 bones; rank x 4 bones while fitting
// U       Trajectories.rest              points x 3
//
// 1. Clusters by region growing, and by error (fsd-starts.ts). 2. Dimension reduction (fsd-reduce.ts). 3. Alternating least squares (fsd-fit.ts),
// supports by exact gains and exchange (kernels/convex-weights.ts; the paper tries all subsets of a few nearby bones). 4. The rest pose as the third block.
// What differs (docs/fsd.md has the measured effects): over-relaxation, bones that relocate, and structure sought on a random sample of the points, as in ssdr.ts.

import { RigidPatches } from '../cluster/rigid-patches.ts';
import { correctRest } from '../fit/correct-rest.ts';
import { makeSkinnedModel } from '../fit/make-skinned-model.ts';
import { type NormalizedClip, normalizeClip, selectTrajectories } from '../fit/normalize-clip.ts';
import { type Patches, relocateBones } from '../fit/relocate-bones.ts';
import type { FitState, SkinFitOptions } from '../fit/skin-fit.ts';
import { Watch, type WatchOptions } from '../fit/watch.ts';
import type { TransformKind } from '../kernels/bone-sweep.ts';
import type { Compute } from '../kernels/compute.ts';
import { freeTrajectories, type Trajectories } from '../kernels/trajectories.ts';
import { makeRandom, type Random } from '../math/random.ts';
import { pointTriangles } from '../mesh/weld.ts';
import { type Clip, frameCountOf } from '../model/clip.ts';
import { dropUndefined } from '../model/drop-undefined.ts';
import type { Decomposition } from './decomposition.ts';
import { FsdFit } from './fsd-fit.ts';
import { expandBonesInto, type FsdReduced, fsdReduce, projectBoneInto } from './fsd-reduce.ts';
import { fsdStarts } from './fsd-starts.ts';
import { drawSample } from './ssdr.ts';

export interface FsdOptions extends WatchOptions {
  /** Bones to find. */
  bones?: number;
  /** Most weights per vertex. */
  influences?: number;
  /** Bones are affine. */
  transforms?: TransformKind;
  /** Most alternations over all vertices at the end. */
  iterations?: number;
  /** Alternations end when one lowers the error by less than this ratio. */
  tolerance?: number;
  /** Leaves the rest pose as it is; else it is fitted along with weights and bones in the last alternations, and only its vertices move. */
  keepRest?: boolean;
  /** Relative ridge in the weight solve: 1e-9 only guards against singular systems, 0.01 makes weights more local. */
  ridge?: number;
  seed?: number;
}

export const FSD_DEFAULTS: Required<Omit<FsdOptions, 'onProgress' | 'signal'>> = {
  bones: 20,
  influences: 4,
  transforms: 'affine',
  iterations: 100,
  tolerance: 3e-4,
  keepRest: false,
  ridge: 1e-9,
  seed: 0,
  time: 0,
};

export interface FsdResult extends Decomposition {
  /** Error with the rest pose as given; equal to eRms where it was kept. */
  eRmsBeforeRest: number;
  /** Alternations over all vertices. */
  iterations: number;
  /** Bones that moved to a better place. */
  relocations: number;
  /** Numbers per vertex that were fitted, of 3 per frame. */
  rank: number;
}

/** Points on which structure is sought: the error is per vertex, so they are drawn uniformly. */
const SAMPLE_POINTS = 2000;
const SAMPLE_PER_BONE = 20;
/** The part of the clusters' error (squares) that reduction may leave outside its basis; fits end some hundred times below the clusters. */
const TAIL_PART = 1e-4;
/** Where no basis holds that, the longest that is looked for will do if it leaves less than this part; the last alternation sees the frames themselves. */
const ACCEPTABLE_PART = 2.5e-3;
/** Points from which the basis is found; what it leaves outside is measured on all. */
const BASIS_POINTS = 700;
/** Alternations of each start before the best is chosen. */
const FIRST_ITERATIONS = 6;
/** Alternations on the sample before and after bones are moved. */
const START_ITERATIONS = 12;
const SETTLE_ITERATIONS = 10;
/** Most trials of moving a bone, and failures in a row that end them: so many per bone, within limits. */
const RELOCATE = { perBone: 2, most: 60, failuresPerBone: 0.35, leastFailures: 4, mostFailures: 12 };

/** Alternations over all vertices before the rest pose is first fitted, and between its fits. */
const BEFORE_REST = 4;
const PER_REST = 4;

type Settings = typeof FSD_DEFAULTS;

/** Decomposes a clip. Same clip, options and seed give the same bytes, whatever the number of threads. */
export async function fsd(compute: Compute, clip: Clip, options: FsdOptions = {}): Promise<FsdResult> {
  const o = { ...FSD_DEFAULTS, ...dropUndefined(options) };
  checkOptions(clip, o);
  const watch = new Watch(o);
  const random = makeRandom(o.seed);
  const normalized = normalizeClip(compute, clip);
  const all = normalized.trajectories;
  const boneCount = Math.min(o.bones, all.vertexCount);
  watch.enter('cluster', 0, 0.1);
  const triangles = pointTriangles(clip.mesh.triangles, normalized.weld);
  const ids = drawSample(all.vertexCount, Math.max(SAMPLE_POINTS, SAMPLE_PER_BONE * boneCount), random);
  const starts = await fsdStarts(compute, all, triangles, boneCount, ids, watch, random);
  const { error } = starts;
  const basisOf = selectTrajectories(compute, all, drawSample(all.vertexCount, BASIS_POINTS, random));
  const reduced = await fsdReduce(compute, all, basisOf, TAIL_PART * error, ACCEPTABLE_PART * error, random);
  freeTrajectories(basisOf);
  const problem: Problem = { compute, normalized, reduced, boneCount, settings: o, watch };
  const first = await startBones(problem, starts.labels, ids);
  const hard = await drawHardPoints(problem, first, ids.length, random);
  const sought = await moveBones(problem, first, hard, random);
  const result = await finish(problem, clip, sought.bones);
  if (reduced) freeTrajectories(reduced.trajectories);
  freeTrajectories(all);
  return {
    ...result,
    relocations: sought.relocations,
    rank: reduced?.rank ?? 3 * all.frameCount,
    status: watch.isStopped ? 'stopped' : result.status,
  };
}

interface Problem {
  compute: Compute;
  normalized: NormalizedClip;
  reduced: FsdReduced | undefined;
  boneCount: number;
  settings: Settings;
  watch: Watch;
}

function fitOptionsOf({ influences, ridge }: Settings): SkinFitOptions {
  return { influences, ridge, transforms: 'affine', sweeps: 1, support: 'exchange' };
}

/** E_RMS of a sum of squares over all points and frames, or over a part of the points. */
function eRmsOf({ vertexCount, frameCount }: Trajectories, error: number, points = vertexCount): number {
  return 1000 * Math.sqrt(error / (3 * points * frameCount));
}

/** First bones: from the clusters that come closest after a few alternations on a sample of the points. */
async function startBones(
  { compute, normalized, reduced, boneCount, settings, watch }: Problem,
  starts: readonly Uint32Array[],
  ids: Uint32Array,
): Promise<Float64Array> {
  const part = selectTrajectories(compute, reduced?.trajectories ?? normalized.trajectories, ids);
  const fit = new FsdFit(compute, part, boneCount, fitOptionsOf(settings));
  const tail = ((reduced?.tail ?? 0) * ids.length) / normalized.trajectories.vertexCount;
  const eRms = () => eRmsOf(normalized.trajectories, fit.error + tail, ids.length);
  watch.enter('alternate', 0.1, 0.25);
  let best: FitState | undefined;
  for (const labels of starts) {
    await startFrom(fit, labels);
    await fit.alternate(FIRST_ITERATIONS, () => watch.isStopped);
    if (!best || fit.error < best.error) best = fit.save();
    if (await watch.tick(0, eRms())) break;
  }
  if (best) fit.restore(best);
  let count = 0;
  await fit.alternate(START_ITERATIONS, () => watch.tick(++count / START_ITERATIONS, eRms()));
  const bones = fit.bones.view().slice();
  fit.free();
  freeTrajectories(part);
  return bones;
}

/** Points to move bones by: half of them drawn uniformly, half in proportion to their error, so that small parts which go wrong are seen. */
async function drawHardPoints(
  { compute, normalized, reduced, boneCount, settings }: Problem,
  bones: Float64Array,
  wanted: number,
  random: Random,
): Promise<Uint32Array> {
  const all = normalized.trajectories;
  if (all.vertexCount <= wanted) return drawSample(all.vertexCount, wanted, random);
  const fit = new FsdFit(compute, reduced?.trajectories ?? all, boneCount, fitOptionsOf(settings));
  fit.bones.view().set(bones);
  await fit.solveWeights('cold');
  const errors = fit.weights.errors.view().slice();
  fit.free();
  const chosen = new Set(drawSample(all.vertexCount, Math.ceil(wanted / 2), random));
  for (const i of chosen) errors[i] = 0;
  const total = errors.reduce((sum, e) => sum + e, 0);
  const gap = total / Math.floor(wanted / 2);
  // at even steps along the sum of errors: a point with much error is passed by several steps, and chosen once
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

/** Moves the bones that are cheapest to lose, while that pays on some of the points. */
async function moveBones(
  { compute, normalized, reduced, boneCount, settings, watch }: Problem,
  bones: Float64Array,
  ids: Uint32Array,
  random: Random,
): Promise<{ bones: Float64Array; relocations: number }> {
  const frames = selectTrajectories(compute, normalized.trajectories, ids);
  const part = reduced ? selectTrajectories(compute, reduced.trajectories, ids) : frames;
  const fit = new FsdFit(compute, part, boneCount, fitOptionsOf(settings));
  fit.bones.view().set(bones);
  await fit.solveWeights('cold');
  const tail = ((reduced?.tail ?? 0) * ids.length) / normalized.trajectories.vertexCount;
  const eRms = () => eRmsOf(normalized.trajectories, fit.error + tail, ids.length);
  watch.enter('relocate', 0.25, 0.6);
  let count = 0;
  const tries = Math.min(RELOCATE.most, RELOCATE.perBone * boneCount);
  const { failuresPerBone, leastFailures, mostFailures } = RELOCATE;
  const patches = reduced ? makePatches(frames, reduced) : undefined;
  const relocations =
    watch.isStopped || boneCount >= part.vertexCount
      ? 0
      : await relocateBones(fit, random, {
          tries,
          failures: Math.min(mostFailures, Math.max(leastFailures, Math.ceil(failuresPerBone * boneCount))),
          patches,
          onTrial: () => watch.tick(++count / tries, eRms()),
        });
  watch.enter('alternate', 0.6, 0.65);
  count = 0;
  if (!watch.isStopped) await fit.alternate(SETTLE_ITERATIONS, () => watch.tick(++count / SETTLE_ITERATIONS, eRms()));
  const moved = fit.bones.view().slice();
  fit.free();
  if (reduced) freeTrajectories(part);
  freeTrajectories(frames);
  return { bones: moved, relocations };
}

/** The motions of clusters, each with the points of its own, as first bones. */
async function startFrom(fit: FsdFit, labels: Uint32Array): Promise<void> {
  const bones = fit.weights.bones.view();
  const weights = fit.weights.weights.view();
  for (let n = 0; n < labels.length; n++) {
    weights.fill(0, n * fit.weights.influences, (n + 1) * fit.weights.influences);
    bones[n * fit.weights.influences] = labels[n];
    weights[n * fit.weights.influences] = 1;
  }
  fit.dropHistory();
  await fit.solveJointBones();
  await fit.solveWeights('cold');
}

/** Rigid patches of the frames themselves, brought into the coordinates of the fit. */
function makePatches(sample: Trajectories, reduced: FsdReduced): Patches {
  const patches = new RigidPatches(sample);
  const bone = new Float64Array(12 * sample.frameCount);
  return {
    listNearest: (vertex, size) => patches.listNearest(vertex, size),
    fitInto(patch, out, column, stride) {
      patches.fitInto(patch, bone, 0, 1);
      projectBoneInto(reduced, bone, out, column, stride);
    },
  };
}

/** All vertices: weights, bones and rest pose by turns in coordinates, then bones and weights once over the frames themselves. */
async function finish(
  { compute, normalized, reduced, boneCount, settings, watch }: Problem,
  clip: Clip,
  bones: Float64Array,
): Promise<Omit<FsdResult, 'relocations' | 'rank'>> {
  const all = normalized.trajectories;
  const fit = new FsdFit(compute, reduced?.trajectories ?? all, boneCount, fitOptionsOf(settings));
  const eRms = () => eRmsOf(all, fit.error + (reduced?.tail ?? 0));
  fit.bones.view().set(bones);
  watch.enter('finish', 0.65, 0.95);
  await fit.solveWeights('cold');
  let iterations = 0;
  let before = eRms();
  let slow = 0;
  const step = async (): Promise<boolean> => {
    iterations++;
    // over-relaxed steps are uneven: two small ones in a row end it
    slow = eRms() > before * (1 - settings.tolerance) ? slow + 1 : 0;
    before = eRms();
    return (await watch.tick(iterations / settings.iterations, before)) || slow >= 2;
  };
  await fit.alternate(settings.keepRest ? settings.iterations : Math.min(BEFORE_REST, settings.iterations), step);
  const eRmsBeforeRest = eRms();
  if (!settings.keepRest) {
    slow = 0;
    correctRest(fit);
    while (iterations < settings.iterations && slow < 2 && !watch.isStopped) {
      await fit.alternate(Math.min(PER_REST, settings.iterations - iterations), step);
      correctRest(fit);
    }
    await fit.solveWeights('warm');
  }
  const status: FsdResult['status'] = slow >= 2 ? 'converged' : 'max-iterations';
  const whole = reduced ? await expandFit(compute, all, fit, reduced, fitOptionsOf(settings)) : fit;
  watch.enter('rest', 0.95, 1);
  await watch.tick(1, whole.eRms);
  const result = {
    model: makeSkinnedModel(clip, normalized, whole, !settings.keepRest),
    eRms: whole.eRms,
    eRmsBeforeRest: settings.keepRest ? whole.eRms : eRmsBeforeRest,
    iterations,
    status,
  };
  if (whole !== fit) whole.free();
  fit.free();
  return result;
}

/** The fit over the frames themselves: bones of all frames, fitted once more to what the basis left outside. */
async function expandFit(
  compute: Compute,
  all: Trajectories,
  fit: FsdFit,
  reduced: FsdReduced,
  options: SkinFitOptions,
): Promise<FsdFit> {
  const whole = new FsdFit(compute, all, fit.boneCount, options);
  all.rest.view().set(reduced.trajectories.rest.view());
  expandBonesInto(reduced, fit.bones.view(), whole.bones.view(), fit.boneCount);
  whole.weights.bones.view().set(fit.weights.bones.view());
  whole.weights.weights.view().set(fit.weights.weights.view());
  await whole.solveJointBones();
  await whole.solveWeights('warm');
  return whole;
}

function checkOptions(clip: Clip, o: Settings): void {
  if (frameCountOf(clip) < 1) throw new Error('fsd: the clip has no frames');
  if (!Number.isInteger(o.bones) || o.bones < 1)
    throw new Error(`fsd: bones must be a whole number, at least 1, got ${o.bones}`);
  if (!Number.isInteger(o.influences) || o.influences < 1)
    throw new Error(`fsd: influences must be a whole number, at least 1, got ${o.influences}`);
  if (o.transforms !== 'affine') throw new Error(`fsd: transforms must be affine, got ${o.transforms}`);
  if (!(o.iterations >= 0)) throw new Error(`fsd: iterations must not be negative, got ${o.iterations}`);
  if (!(o.tolerance >= 0)) throw new Error(`fsd: tolerance must not be negative, got ${o.tolerance}`);
}
