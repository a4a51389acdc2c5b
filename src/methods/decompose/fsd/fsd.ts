// SPDX-License-Identifier: MIT
// L. Kavan, P.-P. Sloan, C. O'Sullivan, "Fast and efficient skinning of animated meshes", Computer Graphics Forum 29(2), 2010; SIGGRAPH course 2014, §1. A clip becomes
// affine bones, their motion, at most K convex weights per vertex, and a fitted rest pose:
//   min over W, T, U of Σᵢₖ |Σⱼ wᵢⱼ Tⱼₖ ũᵢ − vᵢₖ|²,  w ≥ 0, Σⱼ wᵢⱼ = 1, at most K of them, T any 3x4.
// Each of the three blocks alone is linear least squares (weights: with constraints), so the error never rises.
//
// symbol  here                          shape
// A, V    NormalizedClip.trajectories    points x 3 frames
// Q       FsdReduced.basis               rank x 3 frames
// W       SkinFit.weights                points x K
// T       SkinFit.bones                  3 frames x 4 bones; rank x 4 bones while fitting
// U       Trajectories.rest              points x 3
//
// 1. Clusters by region growing, and by error (fsd-starts.ts). 2. Dimension reduction (fsd-reduce.ts). 3. Alternating least squares (fsd-fit.ts),
// supports by exact gains and exchange (core/kernels/weights/convex-weights.ts; the paper tries all subsets of a few nearby bones). 4. The rest pose as the third block.
// Differences (src/methods/decompose/fsd/README.md has the measured effects): rigid pieces first (pieces-first.ts), over-relaxation, surplus clusters, relocation of bones, all on some of the points (fsd-search.ts).

import type { Compute } from '../../../core/kernels/compute.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { pointTriangles } from '../../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf } from '../../../core/model/clip/clip.ts';
import { InputError } from '../../../core/model/errors.ts';
import { fillDefaults } from '../../../core/options/fill-defaults.ts';
import { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { refineNorm } from '../../../fit/norm/index.ts';
import { correctRest } from '../../../fit/rest/index.ts';
import {
  makeSkinnedModel,
  type NormalizedClip,
  normalizeClip,
  type SkinFitOptions,
  selectTrajectories,
} from '../../../fit/skin/index.ts';
import type { Decomposition } from '../decomposition.ts';
import { piecesFirst } from '../pieces/pieces-first.ts';
import { FsdFit } from './fsd-fit.ts';
import { expandBonesInto, type FsdReduced, fsdReduce } from './fsd-reduce.ts';
import { drawFirstPoints, drawSpread, eRmsOf, type FsdProblem, fsdSearch } from './fsd-search.ts';
import { fsdStarts } from './fsd-starts.ts';
import { checkFsdOptions, FSD_OPTIONS, type FsdOptions, type FsdSettings } from './options.ts';

/** Result of fsd. */
export interface FsdResult extends Decomposition {
  /** Error with the given rest pose; equal to eRms if it was kept. */
  eRmsBeforeRest: number;
  /** Iterations over all vertices. */
  iterations: number;
  /** Number of relocated bones. */
  relocations: number;
  /** Number of fitted coordinates per vertex, of 3 per frame. */
  rank: number;
}

/** Maximum sum of squares outside the basis, relative to the clusters' squared error; final errors are about a hundred times below the clusters'. */
const TAIL_RATIO = 1e-4;
/** The same for the longest basis, if no basis reaches TAIL_RATIO; the last iteration uses the frames themselves. Both chosen on pdance and samba (src/methods/decompose/fsd/README.md). */
const ACCEPTABLE_RATIO = 4e-3;
/** Number of points from which the basis is computed; the tail is measured on all. */
const BASIS_POINTS = 700;
/**
 * Iterations over all vertices before the rest pose is first fitted, and between its fits: a rest pose that fits the present bones keeps them in place
 * (pdance, 24 bones, mean of four seeds: 0.258 if first fitted after 4 iterations, 0.245 after 16). Chosen on pdance and samba.
 */
const BEFORE_REST = 8;
const PER_REST = 2;
/** Sweeps over bones per iteration (pdance, 24 bones, mean of four seeds: 0.244 by one, 0.240 by two). */
const SWEEPS = 2;

/** Decomposes a clip. Same clip, options and seed give the same bytes for any number of threads. */
export async function fsd(compute: Compute, clip: Clip, options: FsdOptions = {}): Promise<FsdResult> {
  const { signal, onProgress, ...own } = options;
  const settled = fillDefaults(FSD_OPTIONS, own);
  checkFsdOptions(settled);
  return solveFsd(compute, clip, { ...settled, signal, onProgress });
}

/** The same with all options. */
export async function solveFsd(compute: Compute, clip: Clip, o: FsdSettings): Promise<FsdResult> {
  if (frameCountOf(clip) < 1) throw new InputError('fsd', 'the clip has no frames');
  return piecesFirst(clip, o, {
    bones: o.bones,
    exact: () => ({ eRmsBeforeRest: 0, iterations: 0, relocations: 0, rank: 3 * frameCountOf(clip) }),
    solve: (part, own) => solve(compute, part, own),
  });
}

async function solve(compute: Compute, clip: Clip, o: FsdSettings): Promise<FsdResult> {
  const monitor = new SolveMonitor(o);
  const random = makeRandom(o.seed);
  return compute.scope(async (memory) => {
    const normalized = normalizeClip(memory, clip);
    const all = normalized.trajectories;
    const boneCount = Math.min(o.bones, all.vertexCount);
    monitor.enter('cluster', 0, 0.1);
    const triangles = pointTriangles(clip.mesh.triangles, normalized.weld);
    const { ids, clusterCount } = drawFirstPoints(all.vertexCount, boneCount, random);
    const starts = await fsdStarts(memory, all, { triangles, ids }, clusterCount, monitor, random);
    const { error } = starts;
    const basisOf = selectTrajectories(memory, all, drawSpread(all.vertexCount, BASIS_POINTS, random));
    const reduced = await fsdReduce(memory, all, basisOf, TAIL_RATIO * error, ACCEPTABLE_RATIO * error, random);
    const problem: FsdProblem = { compute: memory, all, reduced, boneCount, fitOptions: fitOptionsOf(o), monitor };
    const sought = await fsdSearch(problem, starts.labels, ids, random);
    const result = await finish(problem, clip, normalized, o, sought.bones);
    return {
      ...result,
      relocations: sought.relocations,
      rank: reduced?.rank ?? 3 * all.frameCount,
      status: monitor.isStopped ? 'stopped' : result.status,
    };
  });
}

function fitOptionsOf({ influences, ridge }: FsdSettings): SkinFitOptions {
  return { influences, ridge, transforms: 'affine', sweeps: SWEEPS, support: 'exchange' };
}

/** All vertices: weights, bones and rest pose alternately in coordinates, then bones and weights once over the frames themselves. */
async function finish(
  { compute, all, reduced, boneCount, fitOptions, monitor }: FsdProblem,
  clip: Clip,
  normalized: NormalizedClip,
  settings: FsdSettings,
  bones: Float64Array,
): Promise<Omit<FsdResult, 'relocations' | 'rank'>> {
  const fit = new FsdFit(compute, reduced?.trajectories ?? all, boneCount, fitOptions);
  const eRms = () => eRmsOf(all, fit.error + (reduced?.tail ?? 0));
  fit.bones.view().set(bones);
  monitor.enter('finish', 0.65, 0.95);
  await fit.solveWeights('cold');
  let iterations = 0;
  let before = eRms();
  let slow = 0;
  const step = async (): Promise<boolean> => {
    iterations++;
    // over-relaxed steps are uneven: two consecutive small ones end the loop
    slow = eRms() > before * (1 - settings.tolerance) ? slow + 1 : 0;
    before = eRms();
    return (await monitor.tick(iterations / settings.iterations, before)) || slow >= 2;
  };
  await fit.alternate(settings.keepRest ? settings.iterations : Math.min(BEFORE_REST, settings.iterations), step);
  const eRmsBeforeRest = eRms();
  if (!settings.keepRest) {
    slow = 0;
    correctRest(fit);
    while (iterations < settings.iterations && slow < 2 && !monitor.isStopped) {
      await fit.alternate(Math.min(PER_REST, settings.iterations - iterations), step);
      correctRest(fit);
    }
    await fit.solveWeights('warm');
  }
  const status: FsdResult['status'] = slow >= 2 ? 'converged' : 'max-iterations';
  const whole = reduced ? await expandFit(compute, all, fit, reduced, fitOptions) : fit;
  monitor.enter('rest', 0.95, 1);
  await monitor.tick(1, whole.eRms);
  if (settings.norm !== 2) {
    const { norm, keepRest } = settings;
    await refineNorm(whole, { norm, keepRest, onIteration: () => monitor.tick(1, whole.eRms) });
  }
  const result = {
    model: makeSkinnedModel(clip, normalized, whole, !settings.keepRest),
    eRms: whole.eRms,
    eRmsBeforeRest: settings.keepRest ? whole.eRms : eRmsBeforeRest,
    iterations,
    status,
  };
  return result;
}

/** The fit over the frames themselves: bones of all frames, fitted again without the reduction. */
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
