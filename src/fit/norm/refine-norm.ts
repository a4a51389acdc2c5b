// SPDX-License-Identifier: MIT
// Lowers another norm of the distances than the mean square: Σᵢₖ rᵢₖᵖ, or the largest distance. It starts from a fit whose mean square has settled, and reweights
// iteratively: with importance ω = (r/R)^(p−2), the minimum of Σ ω r² lowers Σ rᵖ if the step is short enough (Lawson 1961; steps of about 2/p are).
// - bones: sweeps with an importance per vertex and frame (core/kernels/bones/weighted-sweep.ts); a frame whose objective rises is undone, and its next step is shorter;
// - weights and rest position of a vertex, from its own frames (core/kernels/errors/norm-vertices.ts); a vertex whose objective rises is undone;
// - for the largest distance p rises from iteration to iteration, and the vertices of the largest distances also exchange their bones (exchange-norm-bones.ts).
// The result is the state with the lowest norm whose mean square has not grown by more than the given ratio.

import { callWeightedSweep } from '../../core/kernels/bones/weighted-sweep.ts';
import type { Compute, Resident } from '../../core/kernels/compute.ts';
import { callNormSquares, callNormVertices, NormFrames } from '../../core/kernels/errors/norm-vertices.ts';
import type { NormRule } from '../../core/kernels/errors/norm-vertices-reference.ts';
import { UsageError } from '../../core/model/errors.ts';
import { projectRotations, type SkinFit } from '../skin/index.ts';
import { exchangeNormBones } from './exchange-norm-bones.ts';

/** The largest p; larger ones are close to 'max'. */
const MAX_NORM = 8;

/** A norm of distances: p, or the largest distance. */
export type DistanceNorm = number | 'max';

/** Throws unless a norm is at least 1, or 'max'. */
export function checkNorm(who: string, norm: DistanceNorm): void {
  if (norm !== 'max' && !(norm >= 1 && norm <= MAX_NORM))
    throw new UsageError(who, `norm must be from 1 to ${MAX_NORM}, or max, got ${norm}`);
}

export interface RefineNormOptions {
  norm: DistanceNorm;
  iterations?: number;
  /** Keeps the rest positions. */
  keepRest?: boolean;
  /** Keeps the bones. */
  keepBones?: boolean;
  /** Maximum growth of E_RMS, relative to that of the start. Default: 15 % for the largest distance, no limit for other norms. */
  maxGrowth?: number;
  /** Ends when the largest distance is at most this, or will not be, solver units. Default: 0. */
  enough?: number;
  /** Called after every iteration with the largest distance; return true to stop. */
  onIteration?: (farthest: number) => boolean | Promise<boolean>;
}

export interface RefinedNorm {
  /** Largest distance of a vertex in a frame, solver units, before and after. */
  farthestBefore: number;
  farthest: number;
  iterations: number;
}

// The constants were chosen on horse-gallop with 20 bones, cat-poses with 15 and flag with 40.
export const NORM_ITERATIONS = 16;
const MAX_GROWTH = 0.15;
/** Exponents p of the largest distance: the first, the growth per iteration, and the last. */
const FIRST_P = 4;
const P_GROWTH = 1.2;
const LAST_P = 40;
/** Importance of small distances relative to the largest one: keeps the mean square from growing. */
const FLOOR = 2e-3;
/** Growth of that importance after a step that raised the mean square too much, and was undone. */
const FLOOR_GROWTH = 8;
/** Vertices with all distances below this ratio of the largest keep their weights and rest positions. */
const ACTIVE_RATIO = 0.45;
/** Vertices with a distance above this ratio of the largest exchange their bones, at most MAX_EXCHANGED every EXCHANGE_EVERY iterations. */
const EXCHANGE_RATIO = 0.7;
const EXCHANGE_EVERY = 3;
const MAX_EXCHANGED = 128;
/** Iterations over which the fall of the largest distance is measured, to end a refinement that will not reach its limit. */
const PATIENCE = 4;

/** Refines a fit in place. Weights of locked vertices and their rest positions are kept. */
export async function refineNorm(fit: SkinFit, options: RefineNormOptions): Promise<RefinedNorm> {
  return fit.compute.scope((memory) => new Refinement(memory, fit, options).run());
}

type Step = ReturnType<typeof callNormSquares>;

/** A fit that is refined, and the best state so far. */
class Refinement {
  readonly #fit: SkinFit;
  readonly #options: RefineNormOptions;
  readonly #isMax: boolean;
  /** Maximum sum of squares, relative to the first. */
  readonly #maxTotal: number;
  /** vertexCount x frameCount */
  readonly #importance: Resident<Float64Array>;
  readonly #squares: Resident<Float64Array>;
  readonly #frames: NormFrames;
  readonly #measure: Step;
  readonly #sweep: Step;
  /** The norm relative to the first largest distance. */
  #whole: Step | undefined;
  /** frameCount: lengths of the steps of the bones */
  readonly #steps: Float64Array;
  #first = { farthest: 0, total: 0 };
  #farthest = 0;
  #lowest = 0;
  #best: ReturnType<SkinFit['save']>;
  #bestRest: Float64Array;
  #floor = FLOOR;

  constructor(memory: Compute, fit: SkinFit, options: RefineNormOptions) {
    const { vertexCount, frameCount } = fit.trajectories;
    this.#fit = fit;
    this.#options = options;
    this.#isMax = options.norm === 'max';
    const maxGrowth = options.maxGrowth ?? (this.#isMax ? MAX_GROWTH : Number.POSITIVE_INFINITY);
    this.#maxTotal = (1 + maxGrowth) ** 2;
    this.#importance = memory.float64(vertexCount * frameCount);
    this.#squares = memory.float64(vertexCount * frameCount);
    this.#frames = new NormFrames(memory, this.#squares, frameCount);
    this.#measure = callNormSquares(memory, fit, this.#squares);
    this.#sweep = callWeightedSweep(memory, fit.trajectories, fit.bones, fit.weights, this.#importance, {
      ...{ sweeps: 1, kind: fit.options.transforms, axes: fit.axes },
    });
    this.#steps = new Float64Array(frameCount).fill(1);
    this.#best = fit.save();
    this.#bestRest = fit.trajectories.rest.view().slice();
  }

  async run(): Promise<RefinedNorm> {
    const { norm, iterations = NORM_ITERATIONS, enough = 0, onIteration } = this.#options;
    await this.#start();
    const reachedBy: number[] = [];
    let n = 0;
    for (let p = norm === 'max' ? FIRST_P : norm; n < iterations && this.#lowest > (this.#isMax ? enough : 0); ) {
      const rule = { p, scale: this.#farthest, floor: this.#isMax ? this.#floor : 0 };
      await this.#moveBones(rule);
      if (this.#isMax && n % EXCHANGE_EVERY === EXCHANGE_EVERY - 1) this.#exchange(rule);
      await this.#solveVertices(rule);
      await this.#keepOrUndo();
      n++;
      if (this.#isMax) p = Math.min(LAST_P, p * P_GROWTH);
      reachedBy.push(this.#lowest);
      if (enough > 0 && isHopeless(reachedBy, enough)) break;
      if (await onIteration?.(Math.min(this.#farthest, this.#first.farthest))) break;
    }
    await this.#restore();
    const { farthest } = summarize(this.#squares.view());
    return { farthestBefore: this.#first.farthest, farthest, iterations: n };
  }

  async #start(): Promise<void> {
    const { compute } = this.#fit;
    const { norm } = this.#options;
    await compute.runAll([this.#measure]);
    takeErrors(this.#fit, this.#squares.view());
    this.#best = this.#fit.save();
    this.#first = summarize(this.#squares.view());
    this.#farthest = this.#first.farthest;
    if (norm !== 'max') {
      this.#whole = this.#frames.call({ p: norm, scale: this.#farthest, floor: 0 });
      await compute.runAll([this.#whole]);
    }
    this.#lowest = this.#readNorm();
  }

  #readNorm(): number {
    return this.#isMax ? this.#farthest : this.#frames.sum().reduce((sum, x) => sum + x, 0);
  }

  /** Weighs the distances, and takes a step of the bones. */
  async #moveBones(rule: NormRule): Promise<void> {
    const { compute, bones } = this.#fit;
    const weigh = this.#frames.call(rule, this.#importance);
    const before = bones.view().slice();
    if (this.#options.keepBones) return compute.runAll([weigh]);
    await compute.runAll([weigh, this.#sweep]);
    const objectives = this.#frames.sum();
    shortenSteps(this.#fit, before, this.#steps, Math.min(1, 2 / rule.p));
    const remeasure = [this.#measure, this.#frames.call(rule, this.#importance)];
    await compute.runAll(remeasure);
    if (undoFrames(this.#fit, before, this.#steps, objectives, this.#frames.sum())) await compute.runAll(remeasure);
  }

  #exchange(rule: NormRule): void {
    const { frameCount } = this.#fit.trajectories;
    const view = this.#squares.view();
    exchangeNormBones(this.#fit, view, rule, exchangeLimit(view, frameCount, EXCHANGE_RATIO * this.#farthest));
  }

  async #solveVertices(rule: NormRule): Promise<void> {
    const { keepRest = false } = this.#options;
    const above = this.#isMax ? ACTIVE_RATIO * this.#farthest : 0;
    const whole = this.#whole;
    await this.#fit.compute.scope((own) => {
      const solve = callNormVertices(own, this.#fit, this.#squares, this.#importance, rule, { keepRest, above });
      return this.#fit.compute.runAll(whole ? [solve, whole] : [solve]);
    });
  }

  /** Saves a state with a lower norm, and undoes one whose mean square grew too much. */
  async #keepOrUndo(): Promise<void> {
    const { farthest, total } = summarize(this.#squares.view());
    this.#farthest = farthest;
    const reached = this.#readNorm();
    const isAllowed = total <= this.#first.total * this.#maxTotal;
    if (reached < this.#lowest && isAllowed) {
      this.#lowest = reached;
      takeErrors(this.#fit, this.#squares.view());
      this.#best = this.#fit.save();
      this.#bestRest = this.#fit.trajectories.rest.view().slice();
    } else if (!isAllowed) {
      await this.#restore();
      this.#farthest = summarize(this.#squares.view()).farthest;
      this.#floor *= FLOOR_GROWTH;
    }
  }

  async #restore(): Promise<void> {
    this.#fit.trajectories.rest.view().set(this.#bestRest);
    this.#fit.restore(this.#best);
    await this.#fit.compute.runAll([this.#measure]);
  }
}

/** Whether the fall of the last PATIENCE iterations, repeated twice, would not reach the limit. */
function isHopeless(reachedBy: readonly number[], enough: number): boolean {
  if (reachedBy.length < 2 * PATIENCE) return false;
  const last = reachedBy[reachedBy.length - 1];
  return last * (last / reachedBy[reachedBy.length - 1 - PATIENCE]) ** 2 > enough;
}

/** Copies squared distances to the errors of the fit. */
function takeErrors(fit: SkinFit, squares: Float64Array): void {
  const errors = fit.weights.errors.view();
  const { frameCount } = fit.trajectories;
  fit.error = 0;
  for (let i = 0; i < errors.length; i++) {
    errors[i] = 0;
    for (let k = 0; k < frameCount; k++) errors[i] += squares[i * frameCount + k];
    fit.error += errors[i];
  }
}

/** The distance above which vertices exchange their bones. */
function exchangeLimit(squares: Float64Array, frameCount: number, above: number): number {
  const candidates: number[] = [];
  for (let o = 0; o < squares.length; o += frameCount) {
    let largest = 0;
    for (let e = o; e < o + frameCount; e++) largest = Math.max(largest, squares[e]);
    if (largest > above * above) candidates.push(largest);
  }
  if (candidates.length <= MAX_EXCHANGED) return above;
  return Math.sqrt(candidates.sort((a, b) => b - a)[MAX_EXCHANGED]);
}

function summarize(squares: Float64Array): { farthest: number; total: number } {
  let largest = 0;
  let total = 0;
  for (const square of squares) {
    total += square;
    if (square > largest) largest = square;
  }
  return { farthest: Math.sqrt(largest), total };
}

/** Moves bones only a part of the way from before; scales along fixed axes cannot be interpolated and take the whole step. */
function shortenSteps(fit: SkinFit, before: Float64Array, steps: Float64Array, step: number): void {
  if (fit.options.transforms === 'similarity') return;
  const bones = fit.bones.view();
  const stride = 12 * fit.boneCount;
  for (let e = 0; e < bones.length; e++)
    bones[e] = before[e] + step * steps[Math.floor(e / stride)] * (bones[e] - before[e]);
  if (fit.options.transforms === 'rigid') projectRotations(bones, fit.boneCount);
}

/** Undoes the frames whose objective has risen, and shortens their next step; returns whether there are any. */
function undoFrames(
  fit: SkinFit,
  before: Float64Array,
  steps: Float64Array,
  objectives: Float64Array,
  reached: Float64Array,
): boolean {
  const bones = fit.bones.view();
  const stride = 12 * fit.boneCount;
  let isUndone = false;
  for (let k = 0; k < steps.length; k++) {
    if (reached[k] <= objectives[k]) {
      steps[k] = Math.min(2, steps[k] * 1.2);
      continue;
    }
    bones.set(before.subarray(k * stride, (k + 1) * stride), k * stride);
    steps[k] *= 0.5;
    isUndone = true;
  }
  return isUndone;
}
