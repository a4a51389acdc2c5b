// SPDX-License-Identifier: MIT
// From free helpers to helpers that are moved by their controllers. Not in the paper, where controllers are regressed once on the M poses of every joint, and weights
// are those of the free helpers. Here:
// - controllers are fitted to all sampled rotations of their joints (M poses are too few for more than a quadric in three angles),
// - weights are solved for the output of the controllers, helpers for these weights, and controllers for these helpers, repeatedly; the best state is kept.
// Only points that are bound to a helper are used. If there are too many points and poses, helpers and controllers are fitted to every n-th point, and the weights of the others
// are solved afterwards, in batches. docs/benchmarks/convert.md has the effect of each step.

import type { Compute } from '../../../core/kernels/compute.ts';
import type { RigSource } from '../../../core/model/skin/rig-source.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { type NormalizedClip, normalizeBones, normalizeClip } from '../../../fit/skin/index.ts';
import type { GivenController } from '../controllers/given-controller.ts';
import {
  type LearnedHelpers,
  learnControllers,
  narrowLearned,
  predictInto,
  widenLearned,
} from '../controllers/learn-controllers.ts';
import { listFollows } from '../controllers/list-follows.ts';
import type { FitSettings } from '../helper-input.ts';
import type { TrainingSet } from '../sample/shape-set.ts';
import { carryBones } from './carry-bones.ts';
import { HelperFit, weighTrajectories } from './helper-fit.ts';
import { listFollowed, type NarrowProblem, narrowProblem } from './narrow-problem.ts';

/** Maximum number of iterations over weights, helpers and controllers. */
const ITERATIONS = 8;
/** Sweeps over helpers per iteration. */
const SWEEPS = 4;
/** Stops when an iteration lowers the error by less than this ratio. */
const MIN_GAIN = 0.005;
/** Maximum number of points times poses in one fit. */
const MAX_ENTRIES = 8e6;

export interface RefineProblem {
  /** Weights of all points, for the output of the first controllers; solved again in place. */
  fit: HelperFit;
  normalized: NormalizedClip;
  source: Pick<RigSource, 'skeleton' | 'mesh'>;
  set: TrainingSet;
  /** Returns the training poses with more rotations of some joints. */
  enlarge?: (joints: readonly number[]) => Promise<TrainingSet>;
  /** By helper, what is fixed. Default: nothing. */
  given?: readonly GivenController[];
}

/**
 * Fits controllers to helpers, and solves the weights of the fit for them. If stopped, it returns the first controllers, or those of the last
 * iteration with all of their terms.
 * @param first controllers to start from
 */
export async function refineHelpers(
  { fit, normalized, source, set, enlarge, given }: RefineProblem,
  first: LearnedHelpers,
  o: FitSettings,
  monitor: SolveMonitor,
): Promise<LearnedHelpers> {
  const fixed = given?.flatMap(({ joints = [] }) => joints) ?? [];
  const read = [...new Set([...first.controllers.flatMap(({ joints }) => [...joints]), ...fixed])].sort(
    (a, b) => a - b,
  );
  const wide = enlarge && read.length > 0 ? await enlarge(read) : set;
  if (monitor.isStopped) return first;
  const region = listRegion(fit);
  // rotations of inputs are relative to their parents
  const above = (given ? read : []).map((j) => source.skeleton.parents[j]).filter((j) => j >= 0);
  const named = [...read, ...above, ...first.facts.map(({ parent }) => parent)];
  const followed = listFollowed(fit, source.skeleton, region, set.inputs);
  const joints = [...new Set([...followed, ...named])].sort((a, b) => a - b);
  const parts = Math.ceil((region.length * wide.frameCount) / MAX_ENTRIES);
  /** Solves a part of the region in its own scope, and copies its weights to the whole. */
  const inPart = <T>(place: number, fn: (one: OpenPart) => Promise<T>): Promise<T> =>
    fit.compute.scope(async (memory) => {
      const points = region.filter((_, n) => n % parts === place);
      const one = openPart(memory, fit, narrowProblem(source, normalized, wide, points, joints));
      const result = await fn(one);
      copyBack(one.part, fit, one.problem, one.own);
      return result;
    });
  const narrow = narrowLearned(first, joints);
  const learned = await inPart(0, async (main) => {
    const { part } = main;
    for (const [h, bind] of narrow.binds.entries())
      for (let c = 0; c < 3; c++)
        for (let r = 0; r < 3; r++) part.axes.view()[9 * (joints.length + h) + 3 * c + r] = bind[4 * c + r];
    const own = given?.map((one) => ({
      ...one,
      parent: joints.indexOf(one.parent),
      joints: one.joints?.map((joint) => joints.indexOf(joint)),
    }));
    return settlePart(main, narrow, o, monitor, own);
  });
  for (let place = 1; place < parts; place++) {
    await inPart(place, async ({ problem, own, part }) => {
      predictInto(part, own, problem.skeleton, problem.set, learned);
      await part.solveWeights('both');
    });
  }
  return widenLearned(learned, joints, fit.jointCount);
}

/** Fits weights, helpers and controllers of a part to each other, starting from given controllers; the weights are stored in the part. */
async function settlePart(
  { problem, own, part }: OpenPart,
  narrow: LearnedHelpers,
  o: FitSettings,
  monitor: SolveMonitor,
  given?: readonly GivenController[],
): Promise<LearnedHelpers> {
  const { skeleton, set } = problem;
  predictInto(part, own, skeleton, set, narrow);
  const follows = listFollows(o.delay, set.times);
  const dense = { order: o.order, beta: o.beta, joints: o.joints, isSparse: false, follows };
  let best: { learned: LearnedHelpers; state: ReturnType<HelperFit['save']> } | undefined;
  const settle = async (isSparse: boolean, iteration: number): Promise<void> => {
    await part.solveBones(SWEEPS);
    const chosen = best?.learned.controllers.map(({ parent, follow = null }) => ({ parent, follow }));
    const onStep = async (ratio: number) =>
      monitor.isStopped || monitor.tick((iteration + ratio) / (ITERATIONS + 1), part.eRms);
    const learned = await learnControllers(
      ...([part, own, skeleton, set, { ...dense, isSparse, onStep }] as const),
      given ?? (isSparse ? chosen : undefined),
    );
    await part.solveWeights('both');
    const before = best?.state.error ?? Number.POSITIVE_INFINITY;
    if (isSparse || part.error < before) best = { learned, state: part.save() };
    else part.restore(best!.state);
  };
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const before = best?.state.error ?? Number.POSITIVE_INFINITY;
    await settle(false, iteration);
    const stopped = await monitor.tick((iteration + 1) / (ITERATIONS + 1), part.eRms);
    if (stopped || part.error > (1 - MIN_GAIN) * before) break;
  }
  if (!monitor.isStopped) await settle(true, ITERATIONS);
  return best!.learned;
}

/** Some points of a fit as a separate fit. */
interface OpenPart {
  problem: NarrowProblem;
  own: NormalizedClip;
  part: HelperFit;
}

/** Starts from the weights of the whole, with helpers at the identity. */
function openPart(compute: Compute, fit: HelperFit, problem: NarrowProblem): OpenPart {
  const own = normalizeClip(compute, problem.clip);
  const roots = weighTrajectories(own.trajectories, problem.set.weights);
  const posed = normalizeBones(own, carryBones(problem.set, problem.skeleton), problem.joints.length);
  const part = new HelperFit(
    compute,
    own.trajectories,
    { roots, joints: posed, helperCount: fit.helperCount },
    fit.options,
  );
  copyWeights(fit, part, problem, own);
  return { problem, own, part };
}

/** Points that are bound to a helper, in ascending order. */
function listRegion(fit: HelperFit): Uint32Array {
  const [ids, weights] = [fit.weights.bones.view(), fit.weights.weights.view()];
  const influences = fit.weights.influences;
  const region: number[] = [];
  for (let i = 0; i < fit.trajectories.vertexCount; i++) {
    let follows = false;
    for (let e = i * influences; e < (i + 1) * influences; e++) follows ||= ids[e] >= fit.jointCount && weights[e] > 0;
    if (follows) region.push(i);
  }
  // a helper without points is kept
  return Uint32Array.from(region.length > 0 ? region : [0]);
}

/** Weights of the points of a narrow problem from those of the whole; weights of bones that it does not have are dropped. */
function copyWeights(
  from: HelperFit,
  to: HelperFit,
  { points, joints }: NarrowProblem,
  { weld }: NormalizedClip,
): void {
  const influences = Math.min(from.weights.influences, to.weights.influences);
  const [width, own] = [from.weights.influences, to.weights.influences];
  const [ids, weights] = [from.weights.bones.view(), from.weights.weights.view()];
  const [toIds, toWeights] = [to.weights.bones.view(), to.weights.weights.view()];
  for (let i = 0; i < to.trajectories.vertexCount; i++) {
    const p = points[weld.vertexOfPoint[i]] * width;
    let sum = 0;
    for (let a = 0; a < influences; a++) {
      const id = ids[p + a];
      const place = id < from.jointCount ? joints.indexOf(id) : to.jointCount + id - from.jointCount;
      toIds[i * own + a] = Math.max(0, place);
      toWeights[i * own + a] = place >= 0 ? weights[p + a] : 0;
      sum += toWeights[i * own + a];
    }
    if (sum > 0) for (let a = 0; a < influences; a++) toWeights[i * own + a] /= sum;
    else toWeights[i * own] = 1;
  }
}

function copyBack(from: HelperFit, to: HelperFit, { points, joints }: NarrowProblem, { weld }: NormalizedClip): void {
  const [influences, own] = [to.weights.influences, from.weights.influences];
  const [ids, weights] = [from.weights.bones.view(), from.weights.weights.view()];
  const [toIds, toWeights] = [to.weights.bones.view(), to.weights.weights.view()];
  for (let n = 0; n < points.length; n++) {
    const i = weld.pointOfVertex[n] * own;
    for (let a = 0; a < influences; a++) {
      const id = ids[i + a];
      const bone = id < from.jointCount ? joints[id] : to.jointCount + id - from.jointCount;
      toIds[points[n] * influences + a] = a < own ? bone : 0;
      toWeights[points[n] * influences + a] = a < own ? weights[i + a] : 0;
    }
  }
}
