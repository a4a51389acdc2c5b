// SPDX-License-Identifier: MIT
// The default objective: the expectation over single-joint poses with the true transform, by a quadrature (continuous-quadrature.ts), minimized alternately
// in the weights and in the multi-weights of each virtual bone. Between iterations the bones with the smallest effect are relocated. The best model is kept.
//
// Reason for this objective: on a person (ninja), the linear and the true transform differ by three times the error of compression, so a
// lower value of Eq. 11a comes with a larger true error.

import type { Compute } from '../../../core/kernels/compute.ts';
import { makeExampleDots } from '../../../core/kernels/weights/example-dots.ts';
import { powerOf } from '../../../core/math/sine.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import type { DistanceNorm } from '../../../fit/norm/index.ts';
import { fillCross, listMembers, makeBoneMoments } from '../compress-moments.ts';
import type { CompressPoints } from '../compress-points.ts';
import type { CompressProblem } from '../compress-problem.ts';
import type { BoneResponse, Responses } from '../compress-responses.ts';
import type { QuadratureSpace } from '../examples/continuous-quadrature.ts';
import { copyBone, type VirtualBone } from '../virtual-bones/virtual-bones.ts';
import { BoneUpdater } from '../virtual-bones/virtual-update.ts';
import { chooseMoves, releaseBones } from './compress-relocate.ts';
import { insertNearest, type NearestBones, type StartResult } from './compress-start.ts';
import {
  copyPointWeights,
  makePointWeights,
  maxCandidates,
  type PointWeights,
  updateWeights,
} from './update-weights.ts';

export interface AlternateOptions {
  influences: number;
  iterations: number;
  /** Number of candidate bones per point. */
  candidates: number;
  /** Fraction of the bones that are relocated per iteration. */
  relocate: number;
  /** The norm over points: points are weighted by a power of their error, updated in each iteration. For 'max' the power rises. */
  norm: DistanceNorm;
  /** Sweeps over bones per iteration; 0 keeps the initial multi-weights. */
  sweeps: number;
}

export interface AlternateResult {
  bones: VirtualBone[];
  fit: PointWeights;
  /** The sum of squares of the result. */
  total: number;
  /** Sums of squares after each update of the weights. */
  history: number[];
  iterations: number;
  status: 'converged' | 'max-iterations' | 'stopped';
}

/** Influences that change the mean squared error by less than this ratio are dropped at the end: an eighth fewer bytes for ninja with 200 virtual bones, at the same error. */
const MIN_WORTH = 0.03;
/** Iterations without relocation at the end. Chosen by hand. */
const SETTLE = 4;
/** Iterations after a relocation before it is judged. Chosen by hand. */
const PATIENCE = 2;
/** Exponents p of the largest error: the first, the growth per iteration, and the last, as in fit/norm/refine-norm.ts. */
const MAX_P = { first: 4, growth: 1.2, last: 40 };
/** Minimum and maximum weight of a point, relative to one with the mean error; for the largest error. */
const WEIGHTS = [0.1, 100] as const;
const MAX_WEIGHTS = [0.01, 1e4] as const;
/** Iterations of another norm than 2, without relocation. Chosen by hand. */
const NORM_ITERATIONS = 12;
/** The last iterations stop when the error falls by less than this ratio. */
const MIN_FALL = 1e-3;

/** Example poses with the true transform, and the compute for products of points with them. */
export interface NonlinearExamples {
  space: QuadratureSpace;
  responses: Responses;
  compute?: Compute;
}

/** Alternates weights and bones. Another norm than 2 starts from the result of norm 2, so that it does not end with a larger value of its own norm. */
export async function alternateNonlinear(
  problem: CompressProblem,
  examples: NonlinearExamples,
  start: StartResult,
  options: AlternateOptions,
  monitor: SolveMonitor,
): Promise<AlternateResult> {
  const first = await alternate(problem, examples, start, { ...options, norm: 2 }, monitor);
  if (options.norm === 2 || first.status === 'stopped') return first;
  const { linear, points } = problem;
  const scratch = linear.allocateScratch();
  first.bones.forEach((bone, k) => {
    linear.respond(bone, scratch);
    for (let i = 0; i < points.pointCount; i++) insertNearest(start.nearest, i, k, linear.distance(i, scratch));
  });
  const own = { ...options, relocate: 0, iterations: Math.min(NORM_ITERATIONS, options.iterations) };
  const second = await alternate(problem, examples, { ...start, bones: first.bones }, own, monitor);
  const history = [...first.history, ...second.history];
  return { ...second, history, iterations: first.iterations + second.iterations };
}

async function alternate(
  problem: CompressProblem,
  { space, responses, compute }: NonlinearExamples,
  start: StartResult,
  options: AlternateOptions,
  monitor: SolveMonitor,
): Promise<AlternateResult> {
  const { points, joints, linear, maker } = problem;
  const { nearest } = start;
  const bones = start.bones.map(copyBone);
  const boneCount = bones.length;
  const boneResponses = bones.map((bone) => responses.respond(bone, responses.allocateScratch()));
  const fit = makePointWeights(points.pointCount, options.influences);
  const updater = new BoneUpdater(joints, space);
  const history: number[] = [];
  const removal = new Float64Array(boneCount);
  const state: State = { points, responses, linear, nearest, bones, boneResponses, fit, removal };
  let best: Best | undefined;
  let bestIteration = 0;
  let moving = Math.round(options.relocate * boneCount);
  let iteration = 0;
  let isStopped = false;
  let hasMoved = false;
  /** The norm after the iteration before. */
  let last = 0;
  const scale = points.pointCount * joints.movingCount * space.divisor;
  const linearScratch: BoneResponse = linear.allocateScratch();
  const width = maxCandidates(options.candidates, nearest, options.influences);
  const dots = compute && makeExampleDots(compute, responses.points, space.rows, space.groupCount, width);
  for (; ; iteration++) {
    const total = await updateWeights(responses, boneResponses, nearest, fit, {
      candidates: options.candidates,
      dots,
      removal,
      onChunk: async (part) => {
        await monitor.tick((iteration + part) / (options.iterations + 1));
      },
    });
    history.push(total);
    const value = measureNorm(fit.errors, total, options.norm);
    if (!best || value < best.value) {
      best = { value, total, bones: bones.map(copyBone), fit: copyPointWeights(fit), removal: removal.slice() };
      bestIteration = iteration;
    }
    const factors = weighPoints(fit.errors, total, options.norm, iteration);
    isStopped = await monitor.tick((iteration + 1) / (options.iterations + 1), Math.sqrt(total / scale));
    const hasSettled = !hasMoved && iteration > 0 && last - value < MIN_FALL * last;
    last = value;
    if (isStopped || iteration >= options.iterations || (hasSettled && iteration > options.iterations - SETTLE)) break;

    // relocation first, so that both updates follow before it is judged
    hasMoved = false;
    const isSettling = iteration >= options.iterations - SETTLE;
    if (moving > 0 && value > best.value && (iteration - bestIteration >= PATIENCE || isSettling)) {
      // the relocation did not lower the error: restore the best model, and relocate fewer bones
      restore(best, state);
      moving = isSettling ? 0 : Math.floor(moving / 2);
      bestIteration = iteration;
    }
    if (iteration > 0 && !isSettling && moving > 0) {
      const isMoved = new Uint8Array(boneCount);
      for (const { bone, point } of chooseMoves(points, fit, removal, moving, factors)) {
        hasMoved = true;
        isMoved[bone] = 1;
        bones[bone] = maker.make([point]);
        responses.respond(bones[bone], boneResponses[bone]);
        linear.respond(bones[bone], linearScratch);
        for (let i = 0; i < points.pointCount; i++) insertNearest(nearest, i, bone, linear.distance(i, linearScratch));
      }
      const only = releaseBones(fit, isMoved);
      markCandidates(nearest, options.candidates, isMoved, only);
      await updateWeights(responses, boneResponses, nearest, fit, { candidates: options.candidates, dots, only });
    }
    sweepBones(state, updater, options.sweeps, factors);
  }
  // drop small influences; responses are computed again, since the best model may not be the last
  best.bones.forEach((bone, k) => {
    responses.respond(bone, boneResponses[k]);
  });
  const floor = (MIN_WORTH * best.total) / points.pointCount;
  const total = await updateWeights(responses, boneResponses, nearest, best.fit, {
    candidates: options.candidates,
    dots,
    floor,
  });
  return {
    bones: best.bones,
    fit: best.fit,
    total,
    history,
    iterations: iteration,
    status: isStopped ? 'stopped' : iteration >= options.iterations ? 'max-iterations' : 'converged',
  };
}

/** The present model, changed in place. */
interface State {
  points: CompressPoints;
  responses: Responses;
  linear: Responses;
  nearest: NearestBones;
  bones: VirtualBone[];
  /** of the bones, in the space of the examples */
  boneResponses: BoneResponse[];
  fit: PointWeights;
  /** boneCount: rise of the error without each bone */
  removal: Float64Array;
}

interface Best {
  /** The minimized norm. */
  value: number;
  /** Sum of squares. */
  total: number;
  bones: VirtualBone[];
  fit: PointWeights;
  /** boneCount: rise of the error without each bone */
  removal: Float64Array;
}

/** Restores bones, weights and lists of nearest bones of a model. */
function restore(best: Best, state: State): void {
  const { bones, boneResponses, fit, removal, responses, linear, nearest } = state;
  const scratch = linear.allocateScratch();
  for (let k = 0; k < bones.length; k++) {
    const hasMoved = bones[k].bones !== best.bones[k].bones;
    bones[k] = copyBone(best.bones[k]);
    responses.respond(bones[k], boneResponses[k]);
    if (!hasMoved) continue;
    linear.respond(bones[k], scratch);
    for (let i = 0; i < fit.errors.length; i++) insertNearest(nearest, i, k, linear.distance(i, scratch));
  }
  fit.bones.set(best.fit.bones);
  fit.weights.set(best.fit.weights);
  fit.errors.set(best.fit.errors);
  removal.set(best.removal);
}

/** Marks points whose candidates include a relocated bone; all others are solved already. */
function markCandidates(nearest: NearestBones, candidates: number, isMoved: Uint8Array, out: Uint8Array): void {
  const { width, bones } = nearest;
  for (let i = 0; i < out.length; i++) {
    for (let a = i * width; a < i * width + Math.min(width, candidates); a++)
      if (bones[a] >= 0 && isMoved[bones[a]] === 1) out[i] = 1;
  }
}

/** Σ error^(norm/2) of squared errors, or the largest. */
function measureNorm(errors: Float64Array, total: number, norm: DistanceNorm): number {
  if (norm === 2) return total;
  let [sum, largest] = [0, 0];
  for (const error of errors) {
    if (norm !== 'max') sum += powerOf(error, norm / 2);
    else if (error > largest) largest = error;
  }
  return norm === 'max' ? largest : sum;
}

/** Weights of points: the derivative of error^(norm/2) relative to that at the mean, clamped so that every point keeps some weight. */
function weighPoints(
  errors: Float64Array,
  total: number,
  norm: DistanceNorm,
  iteration: number,
): Float64Array | undefined {
  if (norm === 2) return undefined;
  const mean = total / errors.length || 1;
  const [low, high] = norm === 'max' ? MAX_WEIGHTS : WEIGHTS;
  const p = norm === 'max' ? Math.min(MAX_P.last, MAX_P.first * MAX_P.growth ** iteration) : norm;
  // no error has an infinite weight in a norm below 2
  return errors.map((error) =>
    error > 0 ? Math.min(high, Math.max(low, powerOf(error / mean, p / 2 - 1))) : p < 2 ? high : low,
  );
}

function sweepBones(state: State, updater: BoneUpdater, sweeps: number, factors?: Float64Array): void {
  if (sweeps === 0) return;
  const { points, responses, bones, boneResponses, fit } = state;
  const members = listMembers(fit, bones.length);
  const moments = bones.map(({ center }, k) =>
    makeBoneMoments(
      { points, responses, fit, factors },
      { k, center, states: boneResponses[k].states, members: members[k] },
    ),
  );
  const maxJoints = moments.reduce((sum, m) => Math.max(sum, m.joints.length), 0);
  const wholes = new Float64Array(16 * maxJoints);
  const cross = new Float64Array(4 * responses.space.rows * maxJoints);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    for (let k = 0; k < bones.length; k++) {
      if (moments[k].joints.length === 0) continue;
      fillCross(moments[k], responses, boneResponses, wholes, cross);
      if (updater.update(bones[k], moments[k], cross) > 0) responses.respond(bones[k], boneResponses[k]);
    }
  }
}
