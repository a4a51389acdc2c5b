// SPDX-License-Identifier: MIT
// Lowers another norm of the distances than the mean square: Σᵢₖ rᵢₖᵖ, or the largest distance. It starts from a fit whose mean square has settled, and reweights
// iteratively: with importance ω = (r/R)^(p−2), the minimum of Σ ω r² lowers Σ rᵖ if the step is short enough (Lawson 1961; steps of about 2/p are).
// - bones: sweeps with an importance per vertex and frame (core/kernels/bones/weighted-sweep.ts); a frame whose objective rises is undone, and its next step is shorter;
// - weights and rest position of a vertex, from its own frames (core/kernels/errors/norm-vertices.ts); a vertex whose objective rises is undone;
// - for the largest distance p rises from iteration to iteration, and the vertices of the largest distances also exchange their bones (exchange-norm-bones.ts).
// The result is the state with the lowest norm whose mean square has not grown by more than the given ratio.

import { callWeightedSweep } from '../../core/kernels/bones/weighted-sweep.ts';
import { callNormSquares, callNormVertices, NormFrames } from '../../core/kernels/errors/norm-vertices.ts';
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
  const { norm, iterations = NORM_ITERATIONS, keepRest = false, enough = 0 } = options;
  const isMax = norm === 'max';
  const maxGrowth = options.maxGrowth ?? (isMax ? MAX_GROWTH : Number.POSITIVE_INFINITY);
  const { compute, trajectories } = fit;
  const { vertexCount, frameCount } = trajectories;
  return compute.scope(async (memory) => {
    const importance = memory.float64(vertexCount * frameCount);
    const squares = memory.float64(vertexCount * frameCount);
    const frames = new NormFrames(memory, squares, frameCount);
    const measure = callNormSquares(memory, fit, squares);
    const sweep = callWeightedSweep(memory, trajectories, fit.bones, fit.weights, importance, {
      ...{ sweeps: 1, kind: fit.options.transforms, axes: fit.axes },
    });
    const steps = new Float64Array(frameCount).fill(1);
    await compute.runAll([measure]);
    takeErrors(fit, squares.view());
    let best = fit.save();
    let bestRest = trajectories.rest.view().slice();
    let { farthest, total } = summarize(squares.view());
    const first = { farthest, total };
    // the norm relative to the first largest distance
    const whole = isMax ? undefined : frames.call({ p: norm, scale: farthest, floor: 0 });
    if (whole) await compute.runAll([whole]);
    const readNorm = () => (isMax ? farthest : frames.sum().reduce((sum, x) => sum + x, 0));
    let lowest = readNorm();
    const reachedBy: number[] = [];
    let floor = FLOOR;
    let n = 0;
    for (let p = isMax ? FIRST_P : norm; n < iterations && lowest > (isMax ? enough : 0); ) {
      const rule = { p, scale: farthest, floor: isMax ? floor : 0 };
      const weigh = frames.call(rule, importance);
      const before = fit.bones.view().slice();
      await compute.runAll(options.keepBones ? [weigh] : [weigh, sweep]);
      if (!options.keepBones) {
        const objectives = frames.sum();
        shortenSteps(fit, before, steps, Math.min(1, 2 / p));
        const remeasure = [measure, frames.call(rule, importance)];
        await compute.runAll(remeasure);
        if (undoFrames(fit, before, steps, objectives, frames.sum())) await compute.runAll(remeasure);
      }
      if (isMax && n % EXCHANGE_EVERY === EXCHANGE_EVERY - 1) {
        const view = squares.view();
        exchangeNormBones(fit, view, rule, exchangeLimit(view, frameCount, EXCHANGE_RATIO * farthest));
      }
      const above = isMax ? ACTIVE_RATIO * farthest : 0;
      await compute.scope((own) => {
        const solve = callNormVertices(own, fit, squares, importance, rule, { keepRest, above });
        return compute.runAll(whole ? [solve, whole] : [solve]);
      });
      ({ farthest, total } = summarize(squares.view()));
      const reached = readNorm();
      const isAllowed = total <= first.total * (1 + maxGrowth) ** 2;
      if (reached < lowest && isAllowed) {
        lowest = reached;
        takeErrors(fit, squares.view());
        best = fit.save();
        bestRest = trajectories.rest.view().slice();
      } else if (!isAllowed) {
        trajectories.rest.view().set(bestRest);
        fit.restore(best);
        await compute.runAll([measure]);
        ({ farthest, total } = summarize(squares.view()));
        floor *= FLOOR_GROWTH;
      }
      n++;
      if (isMax) p = Math.min(LAST_P, p * P_GROWTH);
      reachedBy.push(lowest);
      if (enough > 0 && isHopeless(reachedBy, enough)) break;
      if (await options.onIteration?.(Math.min(farthest, first.farthest))) break;
    }
    trajectories.rest.view().set(bestRest);
    fit.restore(best);
    await compute.runAll([measure]);
    return { farthestBefore: first.farthest, farthest: summarize(squares.view()).farthest, iterations: n };
  });
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
