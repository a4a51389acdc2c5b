// SPDX-License-Identifier: MIT
// The number of bones of a motion: starting with too many, the bone with the smallest removal cost is removed while the cost is small. The cost is measured: bones
// are ranked by the rise of the error when their vertices are solved without them (core/kernels/weights/convex-weights.ts); for the first few, the bone is removed on trial, the others
// are fitted again, and the remaining error decides.
//
// In the course, smoothness lets the weights of redundant bones fade, and bones with little weight are removed (Eq. 30, soft-passes.ts). From converged bones few fade
// (docs/benchmarks/skeleton.md has the counts), and the weight of a bone depends on the local density of the mesh. The removal cost rises sharply
// at the joints of the motion, so it is the default.
//
// The constants for nearly exact fits (UNSEEN, KNEE, TRIALS_UNSEEN) were chosen on generated creatures, the others by hand.

import { type FitState, listByCost, SkinFit } from '../../../fit/skin/index.ts';
import { FREE_BONE, measureNoise } from '../search/noise-floor.ts';
import { EXACT } from '../search/start-clusters.ts';
import { dropBones } from './drop-bones.ts';

/** Number of bones that are tried, and their number in a nearly exact fit, where the best of them is removed. */
const TRIALS = 3;
const TRIALS_UNSEEN = 5;
/** Iterations after a removal, in stages, each twice as long as the one before. A trial continues while its error is below REACH times the limit and falls below FALL times the previous error, and if falling AHEAD times as far as in
 * this stage would reach the limit. */
const STAGES = [4, 8, 16];
const REACH = 9;
const FALL = 0.95;
const AHEAD = 2;
/** A bone is removed if the squared error rises by at most this ratio… */
const CHEAP = 0.15;
/** …and, in a fit that is almost exact (start-clusters.ts), while the squared error stays below this multiple of the lowest error so far: free bones make up for missing ones, connected bones do not. What is left over is
 * removed with connected joints (contract-bone.ts). Chosen on the bird and the fox: with 1.4, joints within 1 % of the size are 10 instead of 15 of 25 for the bird, and 24 of 30 for the fox with both. */
const MAX_RISE = 1.2;
/** …or if the RMSE stays below this ratio of the size, which is invisible: in a nearly exact fit every relative rise is large… */
export const UNSEEN = 8e-5;
/** …and the squared error stays below this multiple of the lowest error so far: the removal of a bone that exact data needs costs more. */
const KNEE = 4;

/** In a clip with noise, a bone is kept if it lowers the squared error by more than this multiple of what noise alone explains. Bones that the motion of the spider does not need have 0.9 to 1.5, the others at least 2; weak joints of
 * the fox and the bird have little more than 1.4. */
const EVIDENCE = 1.45;
/** …and by more than this ratio of the squared error above the noise. */
const NOISY_CHEAP = 0.02;

/** A trial was close if the rise of the squared error was at most this multiple of the limit. With 1, the bird has 22 instead of 23 joints within 3 %, and with noise the snake has 31 bones instead of 18. */
const CLOSE = 2;
/** Several bones are removed at once while there are more than are expected (the option overestimate): this ratio of them, the cheapest that hardly have a vertex in common, so that their costs do not depend on one another. */
const TOGETHER = 1 / 8;
/** Maximum of the sum of products of the weights of two such bones, relative to the smaller sum of squares. */
const MAX_COMMON = 0.05;

interface RemovalLimit {
  /** Squared error up to which a removal is accepted at once. */
  cheap: number;
  /** Maximum squared error of a removal. */
  limit: number;
  /** Whether the present error is invisible. */
  isUnseen: boolean;
  /** Rise of the squared error by each of several bones that are removed at once; 0: all together may have that of one. */
  rise: number;
}

/** The limits of the error for the next removal; lowest: the lowest error of this fit and of the fits with more bones before it. */
function measureLimit(fit: SkinFit, size: number, noise: number, lowest = fit.error): RemovalLimit {
  if (noise > 0) {
    const { bone, excess } = measureNoise(fit, noise, FREE_BONE);
    const rise = EVIDENCE * bone + NOISY_CHEAP * excess;
    const limit = fit.error + rise;
    return { cheap: limit, limit, isUnseen: false, rise };
  }
  const { vertexCount, frameCount } = fit.trajectories;
  const unseen = vertexCount * frameCount * (UNSEEN * size) ** 2;
  const isExact = fit.error < vertexCount * frameCount * (EXACT * size) ** 2;
  const cheap = Math.min((1 + CHEAP) * fit.error, isExact ? MAX_RISE * lowest : Number.POSITIVE_INFINITY);
  return { cheap, limit: Math.max(cheap, Math.min(unseen, KNEE * lowest)), isUnseen: fit.error < unseen, rise: 0 };
}

export interface RemoveBonesOptions {
  /** Box diagonal of the rest pose, solver units. */
  size: number;
  /** Variance of the noise per coordinate, solver units; 0: none. */
  noise?: number;
  /** Number of bones down to which several may be removed at once. Default: that of the fit. */
  expected?: number;
  /** Called after every removal; return true to stop. */
  onRemoved?: (fit: SkinFit) => boolean | Promise<boolean>;
  /** Called after every iteration; return true to stop at once: the present trial is then dropped. */
  onIteration?: () => boolean | Promise<boolean>;
}

/** Removes bones from a fit whose weights are solved; returns the smaller fit, in the scope of the given one. */
export async function removeBones(given: SkinFit, options: RemoveBonesOptions): Promise<SkinFit> {
  let fit = given;
  let lowest = fit.error;
  let isStopped = false;
  const onIteration = async (): Promise<boolean> => {
    isStopped ||= (await options.onIteration?.()) ?? false;
    return isStopped;
  };
  let ratio = TOGETHER;
  /** Bones whose removal failed. With fewer bones around them they are needed all the more, so the trial is not repeated unless it was close. */
  let needed = new Set<number>();
  while (fit.boneCount > 1 && !isStopped) {
    const { cheap, limit, isUnseen, rise } = measureLimit(fit, options.size, options.noise ?? 0, lowest);
    const order = await listByCost(fit);
    const spare = fit.boneCount - (options.expected ?? fit.boneCount);
    const together = listApart(fit, order, Math.min(spare, Math.floor(ratio * fit.boneCount)));
    let smaller: FitState | undefined;
    let removed: readonly number[] = together;
    if (removed.length > 1) {
      const all = Math.max(cheap, fit.error + removed.length * rise);
      const trial = await tryWithout(fit, together, { cheap: all, limit: all }, onIteration);
      if (!isStopped && trial.error <= all) smaller = trial;
      else ratio /= 2;
    }
    if (!smaller && !isStopped) {
      // a cheap removal is accepted at once; otherwise the best one within the limit
      for (const bone of order.slice(0, isUnseen ? TRIALS_UNSEEN : TRIALS)) {
        if (needed.has(bone)) continue;
        const trial = await tryWithout(fit, [bone], { cheap, limit }, onIteration);
        if (!isStopped && trial.error <= limit && trial.error < (smaller?.error ?? Number.POSITIVE_INFINITY))
          [smaller, removed] = [trial, [bone]];
        if (trial.error > limit && trial.error - fit.error > CLOSE * (limit - fit.error)) needed.add(bone);
        if (isStopped || (smaller && smaller.error <= cheap)) break;
      }
    }
    if (!smaller) break;
    needed = renumberBones(needed, removed);
    fit = new SkinFit(fit.compute, fit.trajectories, fit.boneCount - removed.length, fit.options, fit.locked);
    fit.restore(smaller);
    lowest = Math.min(lowest, fit.error);
    if (await options.onRemoved?.(fit)) break;
  }
  return fit;
}

/** Indices of bones after the removal of others; those that are removed are left out. */
export function renumberBones(bones: ReadonlySet<number>, removed: readonly number[]): Set<number> {
  const left = [...bones].filter((bone) => !removed.includes(bone));
  return new Set(left.map((bone) => bone - removed.filter((other) => other < bone).length));
}

/** The state of a fit after the removal of bones and the iterations that follow. */
function tryWithout(
  fit: SkinFit,
  bones: readonly number[],
  { cheap, limit }: Pick<RemovalLimit, 'cheap' | 'limit'>,
  onIteration: () => Promise<boolean>,
): Promise<FitState> {
  return fit.compute.scope(async (memory) => {
    const trial = dropBones(fit, (j) => bones.includes(j), memory);
    await trial.solveWeights('both');
    for (const iterations of STAGES) {
      const before = trial.error;
      await trial.alternate(iterations, onIteration);
      if (trial.error <= cheap || trial.error > REACH * limit || trial.error > FALL * before) break;
      if (trial.error - limit > AHEAD * (before - trial.error)) break;
    }
    return trial.save();
  });
}

/** The cheapest bones that have hardly a vertex in common. */
function listApart(fit: SkinFit, order: readonly number[], count: number): number[] {
  const [ids, weights, influences] = [fit.weights.bones.view(), fit.weights.weights.view(), fit.weights.influences];
  /** boneCount x boneCount: sums of products of weights */
  const common = new Float64Array(fit.boneCount ** 2);
  for (let o = 0; o < ids.length; o += influences) {
    for (let a = o; a < o + influences; a++)
      for (let b = o; b < o + influences; b++) common[ids[a] * fit.boneCount + ids[b]] += weights[a] * weights[b];
  }
  const at = (a: number, b: number): number => common[a * fit.boneCount + b];
  const isApart = (a: number, b: number): boolean => at(a, b) <= MAX_COMMON * Math.min(at(a, a), at(b, b));
  const apart: number[] = [];
  for (const j of order) {
    if (apart.length >= count) break;
    if (apart.every((l) => isApart(j, l))) apart.push(j);
  }
  return apart;
}
