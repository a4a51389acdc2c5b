// SPDX-License-Identifier: MIT

import { InputError } from '../../../core/model/errors.ts';
import { keepBonesInto, SkinFit } from '../../../fit/skin/index.ts';

/**
 * A fit without some of its bones, on the same trajectories: the weights of the remaining bones are scaled to sum to one; vertices without remaining bones get the
 * first bone until weights are solved again.
 * @param compute allocates the new fit
 */
export function dropBones(fit: SkinFit, isDropped: (bone: number) => boolean, compute = fit.compute): SkinFit {
  const kept = Array.from({ length: fit.boneCount }, (_, j) => j).filter((j) => !isDropped(j));
  if (kept.length === 0) throw new InputError('dropBones', 'a fit needs at least one bone');
  const next = new SkinFit(compute, fit.trajectories, kept.length, fit.options, fit.locked);
  const weights = next.weights.weights.view();
  for (const i of keepBonesInto(fit, next, kept)) weights[i * next.weights.influences] = 1;
  next.error = fit.error;
  return next;
}
