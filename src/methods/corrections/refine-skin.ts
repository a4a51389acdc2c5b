// SPDX-License-Identifier: MIT
// A skin and its corrections, fitted to each other in turn: weights on the present bones of each point, rigid bones, basis and coefficients. Every step
// minimizes the same error, of the posed and corrected shapes, so the error never rises. The error of the skin without corrections rises a little.

import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { makeCorrectionProblem } from './correction-problem.ts';
import { posedBasis } from './posed-basis.ts';
import { isRigidMotion, listBonePoints, refineMotionInto } from './refine-motion.ts';
import { refineWeightsInto, tidySkin } from './refine-weights.ts';
import type { LowRank } from './rest-basis.ts';

export interface RefineSkinOptions {
  /** Maximum number of iterations. */
  iterations: number;
  /** Stops when an iteration lowers the root mean square error by less than this ratio. */
  tolerance: number;
  /** Whether bones may become affine. Otherwise they change only if all are rigid: the constraints of other bones are not known here. */
  isAffine?: boolean;
}

export interface RefinedSkin {
  model: SkinnedModel;
  fit: LowRank;
  iterations: number;
}

/** Refines a copy of the model. */
export async function refineSkin(
  clips: readonly Clip[],
  given: SkinnedModel,
  start: LowRank,
  options: RefineSkinOptions,
  monitor: SolveMonitor,
): Promise<RefinedSkin> {
  const model: SkinnedModel = {
    ...given,
    skin: { ...given.skin, weights: given.skin.weights.slice() },
    motions: given.motions.map((motion) => ({ ...motion, matrices: motion.matrices.slice() })),
  };
  const problem = makeCorrectionProblem(clips, model);
  const isAffine = options.isAffine === true;
  const isMoved = isAffine || isRigidMotion(model);
  let fit = start;
  let before = Number.POSITIVE_INFINITY;
  let iterations = 0;
  while (iterations < options.iterations && !monitor.isStopped) {
    refineWeightsInto(clips, model, problem, fit);
    if (await monitor.tick((iterations + 0.4) / options.iterations)) break;
    if (isMoved) refineMotionInto(clips, model, problem, listBonePoints(problem, model), fit, { sweeps: 1, isAffine });
    const next = await posedBasis(problem, fit, { iterations: 1, tolerance: 0, keepStart: false }, monitor);
    fit = next;
    iterations++;
    const done = Math.sqrt(next.squares) > (1 - options.tolerance) * Math.sqrt(before);
    before = next.squares;
    if (done) break;
  }
  return { model: { ...model, skin: tidySkin(model.skin) }, fit, iterations };
}
