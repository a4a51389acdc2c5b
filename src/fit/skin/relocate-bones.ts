// SPDX-License-Identifier: MIT
// Bones with the lowest removal cost are moved to the place of the largest gain, while the error falls. Not in the course; the largest single improvement of
// all that we measured (horse-gallop, 20 bones: 2.45 after 150 plain iterations, 2.29 with relocation, in half of the time).
//
// The removal cost of a bone is the error increase of its vertices, re-solved without it (core/kernels/weights/convex-weights.ts). A proposal is a rigid patch at a vertex
// drawn with probability proportional to its error; the best of several by closed-form gain (core/kernels/weights/insertion-gains.ts) is tried for a few iterations. The
// move is kept if the error has fallen by more than MIN_GAIN, otherwise undone.
//
// The constants were chosen on horse-gallop with 20 bones (seeds 0 to 9) and cat-poses with 15; FSD has its own (methods/decompose/fsd/fsd-search.ts).

import type { Compute, Resident } from '../../core/kernels/compute.ts';
import { PatchBones } from '../../core/kernels/patches/patch-bones.ts';
import { InsertionGains } from '../../core/kernels/weights/insertion-gains.ts';
import type { Random } from '../../core/math/random.ts';
import { drawByValue, placeBone, type RigidPatches } from '../clusters/index.ts';
import { principalAxesInto } from './principal-axes.ts';
import type { SkinFit } from './skin-fit.ts';

const PROPOSALS = 8;
/** Patch sizes cycle through these ratios of an average cluster. */
const PATCH_PARTS = [0.1, 0.2, 0.4, 0.8];
const MIN_PATCH = 6;
/** The number of cheapest bones that are tried in turn. */
const CHEAPEST = 12;
const MIN_GAIN = 1e-3;
/** A trial continues while its error is below maxRise times the error before. */
const STAGES: readonly TrialStage[] = [
  { iterations: 3, maxRise: 1.1 },
  { iterations: 3, maxRise: 1.03 },
  { iterations: 4, maxRise: 1 },
];

/** Lists patches of points, and fits bones to them. */
export type Patches = Pick<RigidPatches, 'listNearest' | 'fitInto'>;

/** Iterations of a trial, and the maximum of the error after them, relative to the error before the trial. */
export interface TrialStage {
  iterations: number;
  maxRise: number;
}

export interface RelocateOptions {
  /** Source of proposals. Default: rigid patches of the trajectories. */
  patches?: Patches;
  tries: number;
  /** Maximum number of consecutive failures. */
  failures: number;
  /** Maximum number of iterations of consecutive failed trials. Default: no limit. */
  idle?: number;
  /** Additional iterations for every reduction of the squared error by a factor of e: more trials after successful moves. */
  patience?: number;
  /** The stages of a trial. */
  stages?: readonly TrialStage[];
  /** Minimum relative reduction of the squared error by a move. */
  minGain?: number;
  /** The number of cheapest bones that are tried in turn. */
  cheapest?: number;
  /** Proposals per trial; even. */
  proposals?: number;
  /** Whether to reuse the removal costs after a failed trial. */
  keepCosts?: boolean;
  /** Called after every trial; return true to stop. */
  onTrial?: () => boolean | Promise<boolean>;
}

/** Relocates bones in place; returns the number of kept moves. */
export async function relocateBones(fit: SkinFit, random: Random, options: RelocateOptions): Promise<number> {
  return fit.compute.scope((memory) => relocate(memory, fit, random, options));
}

async function relocate(memory: Compute, fit: SkinFit, random: Random, options: RelocateOptions): Promise<number> {
  const { trajectories, boneCount } = fit;
  const { idle = Number.POSITIVE_INFINITY, stages = STAGES, minGain = MIN_GAIN, cheapest = CHEAPEST } = options;
  const proposer = new Proposer(memory, fit, options.proposals ?? PROPOSALS, options.patches);
  let kept = 0;
  let failed = 0;
  let idled = 0;
  const first = fit.error;
  const limit = () => idle + (options.patience ?? 0) * Math.log(Math.max(1, first / fit.error));
  let order: number[] = [];
  for (let n = 0; n < options.tries && failed < options.failures && idled < limit(); n++) {
    if (failed === 0 || !options.keepCosts) order = await listByCost(fit);
    const bone = order[failed % Math.min(cheapest, boneCount)];
    const before = fit.save();
    const best = await proposer.propose(before.errors, random);
    placeBone(proposer.fresh.view(), best, proposer.count, fit.bones.view(), bone, boneCount);
    if (fit.options.transforms === 'similarity')
      principalAxesInto(trajectories.rest.view(), proposer.listOf(best), fit.axes.view(), 9 * bone);
    withdrawBone(fit, bone);
    fit.dropHistory();
    await fit.solveWeights('warm');
    let spent = 1;
    for (const { iterations, maxRise } of stages) {
      await fit.alternate(iterations);
      spent += iterations;
      if (fit.error > before.error * maxRise) break;
    }
    if (fit.error < before.error * (1 - minGain)) {
      kept++;
      failed = 0;
      idled = 0;
    } else {
      fit.restore(before);
      failed++;
      idled += spent;
    }
    if (await options.onTrial?.()) break;
  }
  return kept;
}

/** Fits bones to patches at vertices of large errors, and selects the one of the largest gain. */
class Proposer {
  readonly count: number;
  /** rows x 4 x count */
  readonly fresh: Resident<Float64Array>;
  readonly #fit: SkinFit;
  readonly #given?: Patches;
  readonly #patches?: PatchBones;
  readonly #gains: InsertionGains;
  #found: Uint32Array[] = [];

  constructor(memory: Compute, fit: SkinFit, count: number, given?: Patches) {
    const { trajectories, bones, weights } = fit;
    this.#fit = fit;
    this.count = count;
    this.#given = given;
    this.fresh = memory.float64(12 * trajectories.frameCount * count);
    if (!given) this.#patches = new PatchBones(memory, trajectories, count);
    this.#gains = new InsertionGains(memory, trajectories, bones, weights, this.fresh, count);
  }

  async propose(errors: Float64Array, random: Random): Promise<number> {
    const { count, fresh } = this;
    const { compute, trajectories, boneCount } = this.#fit;
    const average = trajectories.vertexCount / boneCount;
    const minSize = Math.max(1, Math.min(MIN_PATCH, Math.floor(average)));
    const vertices: number[] = [];
    const sizes: number[] = [];
    for (let p = 0; p < count; p++) {
      sizes.push(Math.max(minSize, Math.round(PATCH_PARTS[p % PATCH_PARTS.length] * average)));
      vertices.push(drawByValue(errors, random.next()));
    }
    const calls = [this.#gains.call];
    if (this.#given) this.#fitGiven(this.#given, vertices, sizes);
    else if (this.#patches)
      calls.unshift(this.#patches.call(vertices, sizes, fresh, { row: 4 * count, number: count, bone: 1 }));
    await compute.runAll(calls);
    const gains = this.#gains.sum();
    let best = 0;
    for (let p = 1; p < count; p++) if (gains[p] > gains[best]) best = p;
    return best;
  }

  #fitGiven(patches: Patches, vertices: readonly number[], sizes: readonly number[]): void {
    this.#found = vertices.map((vertex, p) => patches.listNearest(vertex, sizes[p]));
    const fresh = new Float64Array(this.fresh.length);
    for (const [p, patch] of this.#found.entries()) patches.fitInto(patch, fresh, p, this.count);
    this.fresh.view().set(fresh);
  }

  /** The points of a proposed patch. */
  listOf(p: number): Uint32Array {
    return this.#patches?.listOf(p) ?? this.#found[p];
  }
}

/** Solves weights, and lists bones by removal cost, lowest first; ties by index. */
export function listByCost(fit: SkinFit): Promise<number[]> {
  return fit.compute.scope(async (memory) => {
    const removal = memory.float64(fit.weights.weights.length);
    await fit.solveWeights('warm', removal);
    return orderByCost(fit, removal.view());
  });
}

function orderByCost(fit: SkinFit, removal: Float64Array): number[] {
  const ids = fit.weights.bones.view();
  const weights = fit.weights.weights.view();
  const cost = new Float64Array(fit.boneCount);
  for (let e = 0; e < removal.length; e++) if (weights[e] > 0) cost[ids[e]] += removal[e];
  return Array.from(cost.keys()).sort((a, b) => cost[a] - cost[b] || a - b);
}

/** Removes a bone from all supports; the remaining weights of a row are scaled to sum to one. */
function withdrawBone(fit: SkinFit, bone: number): void {
  const ids = fit.weights.bones.view();
  const weights = fit.weights.weights.view();
  const influences = fit.weights.influences;
  for (let o = 0; o < weights.length; o += influences) {
    let sum = 0;
    for (let e = o; e < o + influences; e++) {
      if (ids[e] === bone) weights[e] = 0;
      sum += weights[e];
    }
    if (sum > 0) for (let e = o; e < o + influences; e++) weights[e] /= sum;
  }
}
