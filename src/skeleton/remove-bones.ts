// SPDX-License-Identifier: MIT
// How many bones a motion needs: from too many, the bone that costs least to lose goes, while that is cheap. What losing a bone costs is measured, not guessed: bones
// are ranked by what their vertices would miss when solved again without them (kernels/convex-weights.ts), the cheapest few are taken out on trial, the others
// alternate, and the error that is left decides.
//
// The course lets smoothness fade redundant bones away and drops those with little weight (Eq. 30, soft-passes.ts). From bones that have converged nothing fades
// (docs/skeleton.md has the counts), and how much weight a bone has says more about how dense the mesh is there than about the bone. The cost of
// losing it has a knee where the motion's own joints begin: so this is the default.
import type { SkinFit } from '../fit/skin-fit.ts';
import { dropBones } from './drop-bones.ts';

/** Bones tried before it is said that none is cheap. */
const TRIALS = 3;
/** Alternations after a bone was taken out; a trial goes on while its error is within reach of the limit and still falls. */
const STAGES = [4, 8, 16];
const REACH = 9;
const FALL = 0.95;
/** A bone goes while that raises the squared error by at most this part of it… */
const CHEAP = 0.15;
/** …or while the RMSE stays below this part of the size, which nobody sees: where the fit is nearly exact everything is dear beside it. */
const UNSEEN = 8e-5;

/** The most that an error may become for one bone less, sums of squares; and whether it is one that nobody sees. */
export function measureLimit(fit: SkinFit, size: number): { limit: number; isUnseen: boolean } {
  const { vertexCount, frameCount } = fit.trajectories;
  const unseen = vertexCount * frameCount * (UNSEEN * size) ** 2;
  return { limit: Math.max((1 + CHEAP) * fit.error, unseen), isUnseen: fit.error < unseen };
}

export interface RemoveBonesOptions {
  /** Box diagonal of the rest pose, solver units. */
  size: number;
  /** Called after every removal; return true to stop. */
  onRemoved?: (fit: SkinFit) => boolean | Promise<boolean>;
}

/** Removes bones from a fit whose weights are solved; returns the smaller fit, the given one is freed where it is another. */
export async function removeBones(given: SkinFit, options: RemoveBonesOptions): Promise<SkinFit> {
  let fit = given;
  while (fit.boneCount > 1) {
    const { limit } = measureLimit(fit, options.size);
    let smaller: SkinFit | undefined;
    for (const bone of (await rankBones(fit)).slice(0, TRIALS)) {
      const trial = dropBones(fit, (j) => j === bone);
      await trial.solveWeights('both');
      for (const iterations of STAGES) {
        const before = trial.error;
        await trial.alternate(iterations);
        if (trial.error <= limit || trial.error > REACH * limit || trial.error > FALL * before) break;
      }
      if (trial.error <= limit) {
        smaller = trial;
        break;
      }
      trial.free();
    }
    if (!smaller) break;
    fit.free();
    fit = smaller;
    if (await options.onRemoved?.(fit)) break;
  }
  return fit;
}

/** Bones by what their vertices would miss without them, cheapest first; ties by index. */
async function rankBones(fit: SkinFit): Promise<number[]> {
  const removal = fit.compute.float64(fit.weights.weights.length);
  await fit.solveWeights('warm', removal);
  const values = removal.view();
  const ids = fit.weights.bones.view();
  const weights = fit.weights.weights.view();
  const costs = new Float64Array(fit.boneCount);
  for (let e = 0; e < values.length; e++) if (weights[e] > 0) costs[ids[e]] += values[e];
  removal.free();
  return Array.from(costs.keys()).sort((a, b) => costs[a] - costs[b] || a - b);
}
