// SPDX-License-Identifier: MIT
// A skin in few numbers: rest positions on a grid, weights in steps, and bones that are fitted to both. The three alternate: each fit makes up for part of the rounding of the
// others, so most of it does not reach the surface.

import { callBoneProducts } from '../../core/kernels/bones/bone-products.ts';
import type { TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import { type Adjacency, makeAdjacency } from '../../core/mesh/topology/adjacency.ts';
import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import { correctRest } from '../../fit/rest/index.ts';
import {
  makeSkinnedModel,
  type NormalizedClip,
  normalizeBones,
  normalizeClip,
  SkinFit,
  type SkinFitOptions,
} from '../../fit/skin/index.ts';
import { roundLargest } from './round-largest.ts';
import { roundWeights } from './round-weights.ts';

/** Rounds of rest, weights and bones. */
const ROUNDS = 6;
const SWEEPS = 6;
/** Part of a largest error that weights may use; the rest is for rounded positions and motion. */
const BOUND = 0.85;

export interface RoundedSteps {
  /** Side of the grid of rest positions, file units. */
  positionStep: number;
  /** Steps in a weight of one. */
  weightSteps: number;
}

/** A clip and a model of it, ready to be rounded in several ways. */
export class RoundedFit {
  readonly #compute: Compute;
  readonly #clip: Clip;
  readonly #model: SkinnedModel;
  readonly #normalized: NormalizedClip;
  readonly #neighbours: Adjacency;
  readonly #options: SkinFitOptions;
  readonly #goal: ErrorGoal;
  readonly #keepsBones: boolean;

  /**
   * @param isFree bones and rest positions are fitted again. Not for joints, whose bones belong together. Bones are also kept where the goal is the largest
   * error, since a fit of bones lowers the mean and may raise it
   */
  constructor(
    compute: Compute,
    clip: Clip,
    model: SkinnedModel,
    goal: ErrorGoal,
    { transforms = 'rigid', isFree = true }: { transforms?: TransformKind; isFree?: boolean } = {},
  ) {
    this.#keepsBones = !isFree || goal.kind === 'max';
    this.#goal = goal;
    this.#compute = compute;
    this.#clip = clip;
    this.#model = model;
    this.#normalized = normalizeClip(compute, clip);
    const { pointOfVertex, pointCount } = this.#normalized.weld;
    this.#neighbours = makeAdjacency(
      pointCount,
      clip.mesh.triangles.map((v) => pointOfVertex[v]),
    );
    const influences = maxInfluencesOf(model.skin);
    this.#options = { influences, transforms, ridge: 1e-9, sweeps: SWEEPS, support: 'exchange' };
  }

  /** The model with rounded positions and weights. */
  async round({ positionStep, weightSteps }: RoundedSteps): Promise<SkinnedModel> {
    const normalized = this.#normalized;
    const { trajectories } = normalized;
    return this.#compute.scope(async (memory) => {
      const boneCount = this.#model.skeleton.names.length;
      const fit = new SkinFit(memory, trajectories, boneCount, this.#options);
      this.#fill(fit);
      const rounds = this.#keepsBones ? 0 : ROUNDS;
      if (rounds === 0) this.#roundRest(positionStep);
      for (let n = 0; n < rounds; n++) {
        await this.#compute.runAll([callBoneProducts(fit.bones, boneCount, fit.products)]);
        if (n > 0) correctRest(fit);
        this.#roundRest(positionStep);
        roundWeights(fit, weightSteps, this.#neighbours);
        await fit.solveBones();
      }
      await this.#compute.runAll([callBoneProducts(fit.bones, boneCount, fit.products)]);
      roundWeights(fit, weightSteps, this.#neighbours);
      const bound = (BOUND * this.#goal.limit) / normalized.size;
      if (this.#goal.kind === 'max') roundLargest(fit, weightSteps, bound, this.#neighbours);
      const model = makeSkinnedModel(this.#clip, normalized, fit, true);
      return this.#keepsBones ? { ...this.#model, mesh: model.mesh, skin: model.skin } : this.#splitMotions(model);
    });
  }

  /** One motion per motion of the model, as before it was joined. */
  #splitMotions(model: SkinnedModel): SkinnedModel {
    const [{ matrices }] = model.motions;
    let at = 0;
    const motions = this.#model.motions.map((motion) => {
      const part = matrices.slice(at, at + motion.matrices.length);
      at += motion.matrices.length;
      return { ...motion, matrices: part };
    });
    return { ...model, motions };
  }

  /** Puts bones, weights and rest positions of the model into a fit. */
  #fill(fit: SkinFit): void {
    const { size, restCenter, weld, trajectories } = this.#normalized;
    const { skin, mesh, motions } = this.#model;
    fit.bones.view().set(normalizeBones(this.#normalized, joinMatrices(motions), fit.boneCount));
    const [ids, weights, rest] = [fit.weights.bones.view(), fit.weights.weights.view(), trajectories.rest.view()];
    const { influences } = fit.weights;
    ids.fill(0);
    weights.fill(0);
    for (let i = 0; i < weld.pointCount; i++) {
      const v = weld.vertexOfPoint[i];
      for (let r = 0; r < 3; r++) rest[3 * i + r] = (mesh.positions[3 * v + r] - restCenter[r]) / size;
      for (let e = skin.rowStart[v], n = i * influences; e < skin.rowStart[v + 1]; e++, n++) {
        ids[n] = skin.boneIndices[e];
        weights[n] = skin.weights[e];
      }
    }
  }

  /** Puts rest positions on the grid of file units. */
  #roundRest(step: number): void {
    const { size, restCenter, trajectories } = this.#normalized;
    const rest = trajectories.rest.view();
    for (let n = 0; n < rest.length; n++) {
      const center = restCenter[n % 3];
      rest[n] = (Math.round((rest[n] * size + center) / step) * step - center) / size;
    }
  }
}

function joinMatrices(motions: SkinnedModel['motions']): Float64Array {
  const matrices = new Float64Array(motions.reduce((sum, motion) => sum + motion.matrices.length, 0));
  let at = 0;
  for (const motion of motions) {
    matrices.set(motion.matrices, at);
    at += motion.matrices.length;
  }
  return matrices;
}
