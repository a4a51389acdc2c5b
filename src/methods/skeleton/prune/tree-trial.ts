// SPDX-License-Identifier: MIT
// A trial of a changed structure: a fit with other bones or another tree, solved for a few iterations with exactly connected joints, and kept as a copy.

import type { Compute } from '../../../core/kernels/compute.ts';
import type { FitState, SkinFit } from '../../../fit/skin/index.ts';
import type { JointTree } from '../joints/joint-tree.ts';
import { makeStrictFit, placementLimit, type SolveStrictOptions } from '../joints/solve-strict.ts';
import { listAstray } from '../place/place-inside.ts';

/** Gauss-Newton steps of poses before the first iteration. */
const FIRST_STEPS = 2;
/** A trial ends early if its error after the first weight solve exceeds this multiple of the limit, or if an iteration would have to repeat more than PATIENCE times to reach the limit. Chosen on the fox. */
const HOPELESS = 4;
const PATIENCE = 6;

/** Bones, weights and tree of a trial. */
export interface TreeTrial {
  boneCount: number;
  state: FitState;
  tree: JointTree;
  /** The squared error. */
  error: number;
  /** Bones whose joints would be moved inside (place-inside.ts); none if joints may be anywhere, or the error is above the limit. */
  astray: number[];
}

/**
 * Solves a fit with a tree, in place, for at most a number of iterations, and copies the result. It ends early if the error cannot reach the limit.
 * @param memory allocates scratch memory
 */
export async function tryTree(
  memory: Compute,
  fit: SkinFit,
  tree: JointTree,
  limit: number,
  iterations: number,
  options: SolveStrictOptions,
): Promise<TreeTrial> {
  const strict = makeStrictFit(memory, fit, tree, options);
  await strict.measure();
  await strict.pose(FIRST_STEPS);
  await fit.solveWeights('warm');
  let before = fit.error;
  if (before < HOPELESS * limit)
    await strict.alternate(iterations, async () => {
      const isHopeless = fit.error > limit && fit.error - limit > PATIENCE * (before - fit.error);
      before = fit.error;
      return (await options.monitor.tick(0.5, fit.eRms)) || isHopeless;
    });
  const isKept = fit.error < limit && !options.anywhere;
  const astray = !isKept
    ? []
    : listAstray(strict, options.inside, placementLimit(fit, options)).map(({ bone }) => bone);
  return { boneCount: fit.boneCount, state: fit.save(), tree, error: fit.error, astray };
}
