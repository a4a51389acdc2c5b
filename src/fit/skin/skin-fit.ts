// SPDX-License-Identifier: MIT
// The alternating solve of every decomposition (Course 2014, Algorithm 3): weights for given bones, bones for given weights; with
// over-relaxation, which the course does not have. The state is in resident arrays.
//
// Over-relaxation: after a sweep gives bones B, the next weights are solved for B + β(B − B_before), rotations projected back. If the error
// rises, the step is undone (weights and plain bones are restored) and β is halved; otherwise β grows by 15 %. So the error of accepted states never rises.
// On horse-gallop with 20 bones, on which the constants were chosen, 40 relaxed iterations reach a lower error than 240 plain ones.
import { type BoneProducts, callBoneProducts, reserveBoneProducts } from '../../core/kernels/bones/bone-products.ts';
import { callBoneSweep, type TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import { callExtrapolateBones } from '../../core/kernels/bones/extrapolate-bones.ts';
import { callSkinMoments, reserveSkinMoments, type SkinMoments } from '../../core/kernels/bones/skin-moments.ts';
import type { Compute, KernelCall, Resident } from '../../core/kernels/compute.ts';
import type { ReducedRows, Trajectories } from '../../core/kernels/matrices/trajectories.ts';
import type { CandidateLists } from '../../core/kernels/weights/candidate-lists.ts';
import {
  callConvexWeights,
  type FitWeights,
  reserveFitWeights,
  reserveLists,
} from '../../core/kernels/weights/convex-weights.ts';
import { effectWeights } from './effect-weights.ts';

/** Every COLD_EVERY-th weight solve also searches supports from scratch. */
const COLD_EVERY = 5;
/** Minimum number of bones for candidate lists (core/kernels/weights/candidate-lists.ts): the lists of fewer bones would contain most of them. */
const LISTED_BONES = 64;
const BETA_START = 0.5;
const BETA_GROWTH = 1.15;
const MIN_BETA = 0.3;
const MAX_BETA = 2;

export interface SkinFitOptions {
  influences: number;
  transforms: TransformKind;
  /** Relative regularization of the weight solve. */
  ridge: number;
  /** Sweeps over bones per iteration. */
  sweeps: number;
  /** How supports are found: by exact gains and exchange, or by the course's largest effects. */
  support: SupportRule;
}

export const SUPPORT_RULES = ['exchange', 'effect'] as const;
export type SupportRule = (typeof SUPPORT_RULES)[number];

/** A copy of the bones, weights and error of a fit, for restore. */
export interface FitState extends WeightState {
  bones: Float64Array;
  axes: Float64Array;
}

interface WeightState {
  boneIndices: Uint32Array;
  weights: Float64Array;
  errors: Float64Array;
  error: number;
}

type WeightStart = 'warm' | 'both' | 'cold';

/** Calls of the kernels, with their scratch memory. */
interface Plan {
  memory: Compute;
  /** The reduction in time that the calls use. */
  reduced: ReducedRows | undefined;
  moments: KernelCall[];
  bones: KernelCall[];
  weights: Partial<Record<WeightStart | 'listed', KernelCall[]>>;
  /** threads x 9 */
  scratch: Resident<Float64Array>;
}

export class SkinFit {
  readonly compute: Compute;
  readonly trajectories: Trajectories;
  readonly boneCount: number;
  readonly options: SkinFitOptions;
  /** 3 frameCount x 4 boneCount */
  readonly bones: Resident<Float64Array>;
  /** boneCount x 9: the axes of similarities */
  readonly axes: Resident<Float64Array>;
  readonly products: BoneProducts;
  readonly weights: FitWeights;
  readonly moments: SkinMoments;
  readonly locked?: Resident<Uint32Array>;
  /** Sum of squared errors over vertices and frames, as of the last weight solve. */
  error = Number.POSITIVE_INFINITY;
  #beta = BETA_START;
  /** 3 frameCount x 4 boneCount each: the bones of the last sweep and of the one before it. */
  readonly #plain: [Resident<Float64Array>, Resident<Float64Array>];
  #hasBefore = false;
  /** Candidate bones of the weight solve, if there are many bones. */
  readonly #lists?: CandidateLists;
  /** Whether the lists are those of the present structure. */
  #hasLists = false;
  #solves = 0;
  #plan?: Plan;
  /** The weights before a step; its arrays are reused. */
  #state?: WeightState;

  /** Memory is allocated from the given compute: the fit lives as long as its scope. */
  constructor(
    compute: Compute,
    trajectories: Trajectories,
    boneCount: number,
    options: SkinFitOptions,
    locked?: Resident<Uint32Array>,
  ) {
    this.compute = compute;
    this.trajectories = trajectories;
    this.boneCount = boneCount;
    this.options = options;
    this.locked = locked;
    this.bones = compute.float64(12 * trajectories.frameCount * boneCount);
    this.axes = compute.float64(9 * boneCount);
    const axes = this.axes.view();
    for (let o = 0; o < axes.length; o += 9) axes[o] = axes[o + 4] = axes[o + 8] = 1;
    this.products = reserveBoneProducts(compute, boneCount);
    this.weights = reserveFitWeights(compute, trajectories.vertexCount, Math.min(options.influences, boneCount));
    this.moments = reserveSkinMoments(compute, boneCount, trajectories.frameCount);
    this.#plain = [compute.float64(this.bones.length), compute.float64(this.bones.length)];
    if (boneCount >= LISTED_BONES && options.support === 'exchange')
      this.#lists = reserveLists(compute, trajectories.vertexCount);
  }

  /** 1000 √(E / 3nS): E_RMS when the trajectories are those of all welded points, scaled to a unit ball. */
  get eRms(): number {
    const { vertexCount, frameCount } = this.trajectories;
    return 1000 * Math.sqrt(this.error / (3 * vertexCount * frameCount));
  }

  /** Solves all weights for the present bones; fills removal if given. */
  async solveWeights(start: WeightStart, removal?: Resident<Float64Array>): Promise<void> {
    const { compute } = this;
    if (removal) await compute.scope((memory) => compute.runAll(this.#callWeights(memory, start, removal)));
    else await compute.runAll(this.#planWeights(start));
    this.#endWeights(removal === undefined);
  }

  #callWeights(memory: Compute, start: WeightStart | 'listed', removal?: Resident<Float64Array>): KernelCall[] {
    const { trajectories, bones, boneCount, products, weights, locked } = this;
    const { ridge, support } = this.options;
    const prepare = callBoneProducts(bones, boneCount, products);
    if (support === 'effect' && !removal) return [prepare];
    const isListed = start === 'listed';
    const lists = removal ? undefined : this.#lists;
    const options = { start: isListed ? 'warm' : start, ridge, locked, removal, lists, isListed } as const;
    return [prepare, ...callConvexWeights(memory, trajectories, bones, products, weights, options)];
  }

  #endWeights(canUseEffect: boolean): void {
    if (this.options.support === 'effect' && canUseEffect) effectWeights(this);
    const errors = this.weights.errors.view();
    let sum = 0;
    for (let i = 0; i < errors.length; i++) sum += errors[i];
    this.error = sum;
    this.#solves++;
  }

  /** Fits all bones to the present weights. */
  async solveBones(sweeps = this.options.sweeps): Promise<void> {
    const { compute } = this;
    if (sweeps === this.options.sweeps) await compute.runAll(this.#getPlan().bones);
    else await compute.scope((memory) => compute.runAll([...this.momentCalls, this.#callSweep(memory, sweeps)]));
  }

  /** Computes the moments for the present weights. */
  async measureMoments(): Promise<void> {
    await this.compute.runAll(this.momentCalls);
  }

  /** The same as calls for runAll. */
  get momentCalls(): readonly KernelCall[] {
    return this.#getPlan().moments;
  }

  #callMoments(memory: Compute): KernelCall[] {
    const { trajectories, boneCount, moments, weights } = this;
    return callSkinMoments(memory, trajectories, weights.bones, weights.weights, boneCount, moments);
  }

  #callSweep(memory: Compute, sweeps: number): KernelCall {
    const options = { sweeps, kind: this.options.transforms, axes: this.axes };
    return callBoneSweep(memory, this.bones, this.boneCount, this.moments, options);
  }

  /** The calls of a step, with their scratch memory. Made once, and again if the reduction in time of the trajectories changes. */
  #getPlan(): Plan {
    const { reduced } = this.trajectories;
    if (this.#plan && this.#plan.reduced === reduced) return this.#plan;
    this.#plan?.memory.dispose();
    const memory = this.compute.child();
    const scratch = memory.float64(9 * memory.threads);
    const moments = this.#callMoments(memory);
    const bones = [...moments, this.#callSweep(memory, this.options.sweeps)];
    this.#plan = { memory, reduced, moments, bones, weights: {}, scratch };
    return this.#plan;
  }

  /** The calls of a weight solve. With many bones, a warm start uses the candidates of the last solve over all bones. */
  #planWeights(given: WeightStart): KernelCall[] {
    const start = given === 'warm' && this.#hasLists ? 'listed' : given;
    const { memory, weights } = this.#getPlan();
    weights[start] ??= this.#callWeights(memory, start);
    this.#hasLists = this.#lists !== undefined;
    return weights[start];
  }

  /**
   * Alternates: bones, then weights, at most iterations times.
   * @param onIteration called after every weight solve; return true to stop
   */
  async alternate(iterations: number, onIteration?: () => boolean | Promise<boolean>): Promise<void> {
    if (!(this.error < Number.POSITIVE_INFINITY)) await this.solveWeights('cold');
    for (let n = 0; n < iterations; n++) {
      await this.#step();
      if (await onIteration?.()) break;
    }
  }

  /** Bones, then the given extrapolation, then weights, as one job. A subclass that overrides solveBones or solveWeights overrides this too. */
  protected async runStep(extrapolate: KernelCall, start: WeightStart): Promise<void> {
    await this.compute.runAll([...this.#getPlan().bones, extrapolate, ...this.#planWeights(start)]);
    this.#endWeights(true);
  }

  async #step(): Promise<void> {
    const { transforms } = this.options;
    const state = this.#keepWeights();
    const { scratch } = this.#getPlan();
    const [before, plain] = this.#plain;
    // scales along fixed axes do not extrapolate
    const beta = this.#hasBefore && transforms !== 'similarity' ? this.#beta : 0;
    const isRigid = this.#hasBefore && transforms === 'rigid';
    const extrapolate = callExtrapolateBones(
      { bones: this.bones, before, plain, scratch },
      { boneCount: this.boneCount, width: 4, beta, isRigid },
    );
    await this.runStep(extrapolate, this.#solves % COLD_EVERY === COLD_EVERY - 1 ? 'both' : 'warm');
    if (this.#hasBefore) {
      if (this.error > state.error) {
        this.bones.view().set(plain.view());
        this.#restoreWeights(state);
        this.#beta = Math.max(MIN_BETA, this.#beta * 0.5);
        await this.solveWeights('warm');
      } else this.#beta = Math.min(MAX_BETA, this.#beta * BETA_GROWTH);
    }
    this.#hasBefore = true;
    this.#plain.reverse();
  }

  /** Resets the over-relaxation and the candidates of the weight solve; required after every change of structure. */
  dropHistory(): void {
    this.#hasBefore = false;
    this.#hasLists = false;
    this.#beta = BETA_START;
  }

  /** Copies the state; into: a state of this fit whose arrays are overwritten. */
  save(into?: FitState): FitState {
    if (!into) return { ...this.#saveWeights(), bones: this.bones.view().slice(), axes: this.axes.view().slice() };
    into.bones.set(this.bones.view());
    into.axes.set(this.axes.view());
    this.#saveWeightsInto(into);
    return into;
  }

  /** Copies the weights into arrays that the next call overwrites. */
  #keepWeights(): WeightState {
    if (this.#state) this.#saveWeightsInto(this.#state);
    else this.#state = this.#saveWeights();
    return this.#state;
  }

  #saveWeightsInto(state: WeightState): void {
    state.boneIndices.set(this.weights.bones.view());
    state.weights.set(this.weights.weights.view());
    state.errors.set(this.weights.errors.view());
    state.error = this.error;
  }

  #saveWeights(): WeightState {
    return {
      boneIndices: this.weights.bones.view().slice(),
      weights: this.weights.weights.view().slice(),
      errors: this.weights.errors.view().slice(),
      error: this.error,
    };
  }

  restore(state: FitState): void {
    this.bones.view().set(state.bones);
    this.axes.view().set(state.axes);
    this.#restoreWeights(state);
    this.dropHistory();
  }

  #restoreWeights(state: WeightState): void {
    this.weights.bones.view().set(state.boneIndices);
    this.weights.weights.view().set(state.weights);
    this.weights.errors.view().set(state.errors);
    this.error = state.error;
  }
}
