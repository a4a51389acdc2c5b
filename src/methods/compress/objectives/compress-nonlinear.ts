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
  examples: NonlinearExamples,
  start: StartResult,
  options: AlternateOptions,
  monitor: SolveMonitor,
): Promise<AlternateResult> {
  return new Alternation(problem, examples, start, options, monitor).run();
}

class Alternation {
  readonly #problem: CompressProblem;
  readonly #options: AlternateOptions;
  readonly #monitor: SolveMonitor;
  readonly #state: State;
  readonly #updater: BoneUpdater;
  /** Products of points with the examples by a kernel. */
  readonly #dots: ReturnType<typeof makeExampleDots> | undefined;
  readonly #linearScratch: BoneResponse;
  /** Squared errors of which the total is a sum. */
  readonly #scale: number;
  readonly #history: number[] = [];
  #best: Best | undefined;
  #bestIteration = 0;
  /** Number of bones that are relocated. */
  #moving: number;
  #iteration = 0;
  #hasMoved = false;
  /** The norm after the iteration before. */
  #last = 0;

  constructor(
    problem: CompressProblem,
    { space, responses, compute }: NonlinearExamples,
    { bones: first, nearest }: StartResult,
    options: AlternateOptions,
    monitor: SolveMonitor,
  ) {
    const { points, joints, linear } = problem;
    const bones = first.map(copyBone);
    const boneResponses = bones.map((bone) => responses.respond(bone, responses.allocateScratch()));
    const fit = makePointWeights(points.pointCount, options.influences);
    const removal = new Float64Array(bones.length);
    this.#problem = problem;
    this.#options = options;
    this.#monitor = monitor;
    this.#state = { points, responses, linear, nearest, bones, boneResponses, fit, removal };
    this.#updater = new BoneUpdater(joints, space);
    this.#moving = Math.round(options.relocate * bones.length);
    this.#scale = points.pointCount * joints.movingCount * space.divisor;
    this.#linearScratch = linear.allocateScratch();
    const width = maxCandidates(options.candidates, nearest, options.influences);
    this.#dots = compute && makeExampleDots(compute, responses.points, space.rows, space.groupCount, width);
  }

  async run(): Promise<AlternateResult> {
    const { iterations, norm, sweeps } = this.#options;
    const { fit } = this.#state;
    let isStopped = false;
    for (; ; this.#iteration++) {
      const total = await this.#updateWeights();
      const value = measureNorm(fit.errors, total, norm);
      const best = this.#keepBest(value, total);
      const factors = weighPoints(fit.errors, total, norm, this.#iteration);
      const part = (this.#iteration + 1) / (iterations + 1);
      isStopped = await this.#monitor.tick(part, Math.sqrt(total / this.#scale));
      const hasSettled = !this.#hasMoved && this.#iteration > 0 && this.#last - value < MIN_FALL * this.#last;
      this.#last = value;
      if (isStopped || this.#iteration >= iterations || (hasSettled && this.#iteration > iterations - SETTLE))
        return this.#finish(best, isStopped);
      // relocation first, so that both updates follow before it is judged
      await this.#relocate(best, value, factors);
      sweepBones(this.#state, this.#updater, sweeps, factors);
    }
  }

  /** Returns the sum of squared errors. */
  async #updateWeights(): Promise<number> {
    const { responses, boneResponses, nearest, fit, removal } = this.#state;
    const { candidates, iterations } = this.#options;
    const total = await updateWeights(responses, boneResponses, nearest, fit, {
      ...{ candidates, dots: this.#dots, removal },
      onChunk: async (part) => {
        await this.#monitor.tick((this.#iteration + part) / (iterations + 1));
      },
    });
    this.#history.push(total);
    return total;
  }

  #keepBest(value: number, total: number): Best {
    if (this.#best && !(value < this.#best.value)) return this.#best;
    const { bones, fit, removal } = this.#state;
    this.#best = { value, total, bones: bones.map(copyBone), fit: copyPointWeights(fit), removal: removal.slice() };
    this.#bestIteration = this.#iteration;
    return this.#best;
  }

  async #relocate(best: Best, value: number, factors: Float64Array | undefined): Promise<void> {
    this.#hasMoved = false;
    const isSettling = this.#iteration >= this.#options.iterations - SETTLE;
    const isJudged = this.#iteration - this.#bestIteration >= PATIENCE || isSettling;
    if (this.#moving > 0 && value > best.value && isJudged) {
      // the relocation did not lower the error: restore the best model, and relocate fewer bones
      restore(best, this.#state);
      this.#moving = isSettling ? 0 : Math.floor(this.#moving / 2);
      this.#bestIteration = this.#iteration;
    }
    if (this.#iteration > 0 && !isSettling && this.#moving > 0) await this.#moveBones(factors);
  }

  /** Moves the bones of the smallest effect, and solves the points whose candidates they are. */
  async #moveBones(factors: Float64Array | undefined): Promise<void> {
    const { points, responses, linear, nearest, bones, boneResponses, fit, removal } = this.#state;
    const { candidates } = this.#options;
    const isMoved = new Uint8Array(bones.length);
    for (const { bone, point } of chooseMoves(points, fit, removal, this.#moving, factors)) {
      this.#hasMoved = true;
      isMoved[bone] = 1;
      bones[bone] = this.#problem.maker.make([point]);
      responses.respond(bones[bone], boneResponses[bone]);
      linear.respond(bones[bone], this.#linearScratch);
      for (let i = 0; i < points.pointCount; i++)
        insertNearest(nearest, i, bone, linear.distance(i, this.#linearScratch));
    }
    const only = releaseBones(fit, isMoved);
    markCandidates(nearest, candidates, isMoved, only);
    await updateWeights(responses, boneResponses, nearest, fit, { candidates, dots: this.#dots, only });
  }

  /** Drops small influences; responses are computed again, since the best model may not be the last. */
  async #finish({ bones, fit, total: whole }: Best, isStopped: boolean): Promise<AlternateResult> {
    const { points, responses, boneResponses, nearest } = this.#state;
    const { candidates, iterations } = this.#options;
    bones.forEach((bone, k) => {
      responses.respond(bone, boneResponses[k]);
    });
    const floor = (MIN_WORTH * whole) / points.pointCount;
    const total = await updateWeights(responses, boneResponses, nearest, fit, { candidates, dots: this.#dots, floor });
    const status = isStopped ? 'stopped' : this.#iteration >= iterations ? 'max-iterations' : 'converged';
    return { bones, fit, total, history: this.#history, iterations: this.#iteration, status };
  }
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
