// SPDX-License-Identifier: MIT
// How many bones a motion needs: from too many, the bone that costs least to lose goes, while that is cheap. The cost is exact, what its vertices would miss when
// solved again without it (kernels/convex-weights.ts); after every removal the rest alternates twice.
//
// The course lets smoothness fade redundant bones away and drops those with little weight (Eq. 30, soft-passes.ts). From bones that have converged nothing fades
// (docs/skeleton.md has the counts), and how much weight a bone has says more about how dense the mesh is there than about the bone. The cost of
// losing it has a knee where the motion's own joints begin: so this is the default.
import type { SkinFit } from '../fit/skin-fit.ts';
import { dropBones } from './drop-bones.ts';

/** Alternations after a removal. */
const ITERATIONS = 2;
/** A bone goes while that costs at most this part of the error… */
const CHEAP = 0.3;
/** …or of the error that nobody sees, an RMSE of this part of the size: where the fit is nearly exact everything is dear beside it. */
const UNSEEN = 4e-4;

export interface RemoveBonesOptions {
  /** Box diagonal of the rest pose, solver units. */
  size: number;
  /** Stop at this number; default 1. */
  least?: number;
  /** Called after every removal; return true to stop. */
  onRemoved?: (fit: SkinFit) => boolean | Promise<boolean>;
}

/** Removes bones from a fit; returns the smaller fit, the given one is freed. */
export async function removeBones(given: SkinFit, options: RemoveBonesOptions): Promise<SkinFit> {
  let fit = given;
  const { vertexCount, frameCount } = fit.trajectories;
  const unseen = vertexCount * frameCount * (UNSEEN * options.size) ** 2;
  const least = options.least ?? 1;
  while (fit.boneCount > least) {
    const { bone, cost } = await findCheapest(fit);
    if (cost > CHEAP * Math.max(fit.error, unseen)) break;
    fit = dropBones(fit, (j) => j === bone);
    await fit.solveWeights('both');
    await fit.alternate(ITERATIONS);
    if (await options.onRemoved?.(fit)) break;
  }
  return fit;
}

/** The bone that costs least to lose; ties by index. */
async function findCheapest(fit: SkinFit): Promise<{ bone: number; cost: number }> {
  const removal = fit.compute.float64(fit.weights.weights.length);
  await fit.solveWeights('warm', removal);
  const values = removal.view();
  const ids = fit.weights.bones.view();
  const weights = fit.weights.weights.view();
  const costs = new Float64Array(fit.boneCount);
  for (let e = 0; e < values.length; e++) if (weights[e] > 0) costs[ids[e]] += values[e];
  removal.free();
  let bone = 0;
  for (let j = 1; j < costs.length; j++) if (costs[j] < costs[bone]) bone = j;
  return { bone, cost: costs[bone] };
}
