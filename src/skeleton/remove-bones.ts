// SPDX-License-Identifier: MIT
// How many bones a motion needs: from too many, the bone that costs least to lose goes, while that is cheap. What losing a bone costs is measured, not guessed: bones
// are ranked by what their vertices would miss when solved again without them (kernels/convex-weights.ts), the cheapest few are taken out on trial, the others
// alternate, and the error that is left decides.
//
// The course lets smoothness fade redundant bones away and drops those with little weight (Eq. 30, soft-passes.ts). From bones that have converged nothing fades
// (docs/skeleton.md has the counts), and how much weight a bone has says more about how dense the mesh is there than about the bone. The cost of
// losing it has a knee where the motion's own joints begin: so this is the default.
import { listByCost } from '../fit/relocate-bones.ts';
import { type FitState, SkinFit } from '../fit/skin-fit.ts';
import { dropBones } from './drop-bones.ts';

/** Bones tried before it is said that none is cheap; and where the fit is nearly exact, where the best of them goes. */
const TRIALS = 3;
const TRIALS_UNSEEN = 5;
/** Alternations after a bone was taken out; a trial goes on while its error is within reach of the limit and still falls. */
const STAGES = [4, 8, 16];
const REACH = 9;
const FALL = 0.95;
/** A bone goes while that raises the squared error by at most this part of it… */
const CHEAP = 0.15;
/** …or while the RMSE stays below this part of the size, which nobody sees: where the fit is nearly exact everything is dear beside it… */
export const UNSEEN = 8e-5;
/** …and the squared error below so many times the lowest that was reached: a bone that exact data needs costs more, however thick the flesh around it. */
export const KNEE = 4;

export interface RemovalLimit {
  /** An error that is cheap for one bone less, sums of squares. */
  cheap: number;
  /** The most that it may become. */
  limit: number;
  /** Whether the error is one that nobody sees. */
  isUnseen: boolean;
}

/** What an error may become for one bone less; lowest: the lowest error of this fit, or of those before it that had more bones. */
export function measureLimit(fit: SkinFit, size: number, lowest = fit.error): RemovalLimit {
  const { vertexCount, frameCount } = fit.trajectories;
  const unseen = vertexCount * frameCount * (UNSEEN * size) ** 2;
  const cheap = (1 + CHEAP) * fit.error;
  return { cheap, limit: Math.max(cheap, Math.min(unseen, KNEE * lowest)), isUnseen: fit.error < unseen };
}

export interface RemoveBonesOptions {
  /** Box diagonal of the rest pose, solver units. */
  size: number;
  /** Called after every removal; return true to stop. */
  onRemoved?: (fit: SkinFit) => boolean | Promise<boolean>;
  /** Called after every alternation; return true to stop at once: the trial under way is then dropped. */
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
  while (fit.boneCount > 1 && !isStopped) {
    const { cheap, limit, isUnseen } = measureLimit(fit, options.size, lowest);
    let smaller: FitState | undefined;
    // one that is cheap goes at once; else the best of those within the limit
    for (const bone of (await listByCost(fit)).slice(0, isUnseen ? TRIALS_UNSEEN : TRIALS)) {
      const trial = await tryWithout(fit, bone, { cheap, limit }, onIteration);
      if (!isStopped && (smaller ? trial.error < smaller.error : trial.error <= limit)) smaller = trial;
      if (isStopped || (smaller && smaller.error <= cheap)) break;
    }
    if (!smaller) break;
    fit = new SkinFit(fit.compute, fit.trajectories, fit.boneCount - 1, fit.options, fit.locked);
    fit.restore(smaller);
    lowest = Math.min(lowest, fit.error);
    if (await options.onRemoved?.(fit)) break;
  }
  return fit;
}

/** The state of a fit after one of its bones was taken out and the others have settled. */
function tryWithout(
  fit: SkinFit,
  bone: number,
  { cheap, limit }: Pick<RemovalLimit, 'cheap' | 'limit'>,
  onIteration: () => Promise<boolean>,
): Promise<FitState> {
  return fit.compute.scope(async (memory) => {
    const trial = dropBones(fit, (j) => j === bone, memory);
    await trial.solveWeights('both');
    for (const iterations of STAGES) {
      const before = trial.error;
      await trial.alternate(iterations, onIteration);
      if (trial.error <= cheap || trial.error > REACH * limit || trial.error > FALL * before) break;
    }
    return trial.save();
  });
}
