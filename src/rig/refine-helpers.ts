// SPDX-License-Identifier: MIT
// From free helpers to helpers that follow their controllers. Not in the paper, where controllers are regressed once on the M poses of every joint, and weights
// stay those of the free helpers:
// - controllers learn from all rotations of the first pass for the joints that they read (M poses are too few for more than a quadric in three angles),
// - weights are solved for the bones that controllers make, helpers for these weights, controllers for these helpers, and again; the best state is kept.
// Only points that follow a helper take part. Where these are many in many poses, every n-th of them moves helpers and controllers; the others then get the
// weights that go with those, as many points at a time. docs/helper-bones.md has what each of it brings.
import { type NormalizedClip, normalizeBones, normalizeClip } from '../fit/normalize-clip.ts';
import type { SolveMonitor } from '../fit/solve-monitor.ts';
import type { Compute } from '../kernels/compute.ts';
import type { RigSource } from '../model/rig-source.ts';
import type { SettledConvertOptions } from './convert-options.ts';
import { HelperFit, weighTrajectories } from './helper-fit.ts';
import {
  type LearnedHelpers,
  learnControllers,
  narrowLearned,
  predictInto,
  widenLearned,
} from './learn-controllers.ts';
import { listFollowed, type NarrowProblem, narrowProblem } from './narrow-problem.ts';
import type { TrainingSet } from './sample-poses.ts';

/** Times that weights, helpers and controllers are fitted to one another. */
const ITERATIONS = 8;
/** Sweeps over helpers in each. */
const SWEEPS = 4;
/** A round must lower the error by this part for another to follow. */
const MIN_GAIN = 0.005;
/** Most points times poses that are fitted at once. */
const MAX_ENTRIES = 8e6;

/**
 * Fits controllers to helpers, and leaves in a fit the weights that go with them. Stopped, it returns what it has: the first controllers, or those of the last
 * round with all of their terms.
 * @param fit weights of all points, for the bones that the first controllers make
 * @param first controllers to start from
 * @param enlarge the training poses with more rotations of some joints
 */
export async function refineHelpers(
  fit: HelperFit,
  normalized: NormalizedClip,
  source: Pick<RigSource, 'skeleton' | 'mesh'>,
  set: TrainingSet,
  first: LearnedHelpers,
  o: SettledConvertOptions,
  monitor: SolveMonitor,
  enlarge?: (joints: readonly number[]) => Promise<TrainingSet>,
): Promise<LearnedHelpers> {
  const read = [...new Set(first.controllers.flatMap(({ joints }) => [...joints]))].sort((a, b) => a - b);
  const wide = enlarge && read.length > 0 ? await enlarge(read) : set;
  if (monitor.isStopped) return first;
  const region = listRegion(fit);
  const named = [...read, ...first.facts.map(({ parent }) => parent)];
  const joints = [...new Set([...listFollowed(fit, source.skeleton, region), ...named])].sort((a, b) => a - b);
  const parts = Math.ceil((region.length * wide.frameCount) / MAX_ENTRIES);
  /** Opens a part of the region in a scope of its own, and copies its weights back to the whole. */
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
    return settlePart(main, narrow, o, monitor);
  });
  for (let place = 1; place < parts; place++) {
    await inPart(place, async ({ problem, own, part }) => {
      predictInto(part, own, problem.skeleton, problem.set, learned);
      await part.solveWeights('both');
    });
  }
  return widenLearned(learned, joints, fit.jointCount);
}

/** Weights, helpers and controllers of a part, each fitted to the others in turn, from given controllers; the weights are left in the part. */
async function settlePart(
  { problem, own, part }: OpenPart,
  narrow: LearnedHelpers,
  o: SettledConvertOptions,
  monitor: SolveMonitor,
): Promise<LearnedHelpers> {
  const { skeleton, set } = problem;
  predictInto(part, own, skeleton, set, narrow);
  const dense = { order: o.order, beta: o.beta, joints: o.joints, isSparse: false };
  let best: { learned: LearnedHelpers; state: ReturnType<HelperFit['save']> } | undefined;
  const settle = async (isSparse: boolean): Promise<void> => {
    await part.solveBones(SWEEPS);
    const parents = isSparse ? best?.learned.facts.map(({ parent }) => parent) : undefined;
    const learned = learnControllers(part, own, skeleton, set, { ...dense, isSparse }, parents);
    await part.solveWeights('both');
    const before = best?.state.error ?? Number.POSITIVE_INFINITY;
    if (isSparse || part.error < before) best = { learned, state: part.save() };
    else part.restore(best!.state);
  };
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const before = best?.state.error ?? Number.POSITIVE_INFINITY;
    await settle(false);
    const stopped = await monitor.tick((iteration + 1) / (ITERATIONS + 1), part.eRms);
    if (stopped || part.error > (1 - MIN_GAIN) * before) break;
  }
  if (!monitor.isStopped) await settle(true);
  return best!.learned;
}

/** Some points of a fit as a fit of their own. */
interface OpenPart {
  problem: NarrowProblem;
  own: NormalizedClip;
  part: HelperFit;
}

/** Starts from the weights of the whole; helpers stand still. */
function openPart(compute: Compute, fit: HelperFit, problem: NarrowProblem): OpenPart {
  const own = normalizeClip(compute, problem.clip);
  const roots = weighTrajectories(own.trajectories, problem.set.weights);
  const posed = normalizeBones(own, problem.set.bones, problem.joints.length);
  const part = new HelperFit(compute, own.trajectories, roots, posed, fit.helperCount, fit.options);
  copyWeights(fit, part, problem, own);
  return { problem, own, part };
}

/** Points that follow a helper, rising. */
function listRegion(fit: HelperFit): Uint32Array {
  const [ids, weights] = [fit.weights.bones.view(), fit.weights.weights.view()];
  const influences = fit.weights.influences;
  const region: number[] = [];
  for (let i = 0; i < fit.trajectories.vertexCount; i++) {
    let follows = false;
    for (let e = i * influences; e < (i + 1) * influences; e++) follows ||= ids[e] >= fit.jointCount && weights[e] > 0;
    if (follows) region.push(i);
  }
  // a helper that nothing follows is still a helper
  return Uint32Array.from(region.length > 0 ? region : [0]);
}

/** Weights of the points of a narrow problem from those of the whole; bones that it does not have lose theirs. */
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
