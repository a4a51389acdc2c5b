// SPDX-License-Identifier: MIT
// Bones that are cheapest to lose move to where they gain most, while that pays. Not in the course; the largest single gain of all we measured
// (horse-gallop, 20 bones: 2.45 after 150 plain alternations, 2.29 with moves, in half of the time).
//
// The cost of losing a bone is what its vertices would miss (re-solved without it, kernels/convex-weights.ts); a proposal is a rigid patch at a vertex
// drawn in proportion to its error, and the best of several by its closed-form gain (kernels/insertion-gains.ts) is tried: a few alternations, and the
// move is kept when the error has fallen by more than MIN_GAIN, else undone.
import { drawByValue, placeBone, RigidPatches } from '../cluster/rigid-patches.ts';
import { insertionGains } from '../kernels/insertion-gains.ts';
import type { Random } from '../math/random.ts';
import { principalAxesInto } from './principal-axes.ts';
import type { SkinFit } from './skin-fit.ts';

const PROPOSALS = 8;
/** Patch sizes cycle through these parts of an average cluster. */
const PATCH_PARTS = [0.1, 0.2, 0.4, 0.8];
const MIN_PATCH = 6;
/** Of the cheapest bones, failures go on to the next. */
const CHEAPEST = 12;
const MIN_GAIN = 1e-3;
/** A trial goes on while its error is within reach of the error before. */
const STAGES: readonly TrialStage[] = [
  { iterations: 3, maxRise: 1.1 },
  { iterations: 3, maxRise: 1.03 },
  { iterations: 4, maxRise: 1 },
];

/** Lists patches of points, and fits bones to them. */
export type Patches = Pick<RigidPatches, 'listNearest' | 'fitInto'>;

/** Alternations of a trial, and the part of the error before that must not be passed after them. */
export interface TrialStage {
  iterations: number;
  maxRise: number;
}

export interface RelocateOptions {
  /** Where proposals come from; rigid patches of the trajectories themselves unless said. */
  patches?: Patches;
  tries: number;
  /** Failures in a row after which it stops. */
  failures: number;
  /** Alternations of failed trials in a row after which it stops as well; no limit unless said. */
  idle?: number;
  /** So many more for every fall of the squared error by a factor of e: where moves have paid, more are tried. */
  patience?: number;
  /** The stages of a trial. */
  stages?: readonly TrialStage[];
  /** Part of the squared error that a move must gain. */
  minGain?: number;
  /** Of the cheapest bones, failures go on to the next of so many. */
  cheapest?: number;
  /** Patches proposed for every trial; even. */
  proposals?: number;
  /** After a failure the costs of losing bones are those found before. */
  keepCosts?: boolean;
  /** Called after every trial; return true to stop. */
  onTrial?: () => boolean | Promise<boolean>;
}

/** Relocates bones in place; returns how many moves were kept. */
export async function relocateBones(fit: SkinFit, random: Random, options: RelocateOptions): Promise<number> {
  const { compute, trajectories, boneCount } = fit;
  const patches = options.patches ?? new RigidPatches(trajectories);
  const { idle = Number.POSITIVE_INFINITY, stages = STAGES, minGain = MIN_GAIN, cheapest = CHEAPEST } = options;
  const proposals = options.proposals ?? PROPOSALS;
  const fresh = new Float64Array(12 * trajectories.frameCount * proposals);
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
    const found: Uint32Array[] = [];
    for (let p = 0; p < proposals; p++) {
      const average = trajectories.vertexCount / boneCount;
      const minSize = Math.max(1, Math.min(MIN_PATCH, Math.floor(average)));
      const size = Math.max(minSize, Math.round(PATCH_PARTS[p % PATCH_PARTS.length] * average));
      found.push(patches.listNearest(drawByValue(before.errors, random.next()), size));
      patches.fitInto(found[p], fresh, p, proposals);
    }
    const gains = await insertionGains(compute, trajectories, fit.bones, boneCount, fit.weights, fresh, proposals);
    let best = 0;
    for (let p = 1; p < proposals; p++) if (gains[p] > gains[best]) best = p;
    placeBone(fresh, best, proposals, fit.bones.view(), bone, boneCount);
    if (fit.options.transforms === 'similarity')
      principalAxesInto(trajectories.rest.view(), found[best], fit.axes.view(), 9 * bone);
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

/** Solves weights, and lists bones by what losing them costs, the cheapest first; ties by index. */
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

/** Takes a bone out of all supports; what is left of a row is scaled to sum to one. */
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
