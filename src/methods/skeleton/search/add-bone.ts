// SPDX-License-Identifier: MIT
import { SkinFit } from '../../../fit/skin/index.ts';

/**
 * A fit with one more bone, the last, on the same trajectories. No vertex uses it until weights are solved again.
 * @param motion 3 frameCount x 4
 * @param compute allocates the new fit
 */
export function addBone(fit: SkinFit, motion: Float64Array, compute = fit.compute): SkinFit {
  const { boneCount, trajectories } = fit;
  const next = new SkinFit(compute, trajectories, boneCount + 1, fit.options, fit.locked);
  const [from, to] = [fit.bones.view(), next.bones.view()];
  for (let row = 0; row < 3 * trajectories.frameCount; row++) {
    to.set(from.subarray(4 * row * boneCount, 4 * (row + 1) * boneCount), 4 * row * (boneCount + 1));
    to.set(motion.subarray(4 * row, 4 * row + 4), 4 * row * (boneCount + 1) + 4 * boneCount);
  }
  next.axes.view().set(fit.axes.view());
  const [influences, nextInfluences] = [fit.weights.influences, next.weights.influences];
  const [ids, nextIds] = [fit.weights.bones.view(), next.weights.bones.view()];
  const [values, nextValues] = [fit.weights.weights.view(), next.weights.weights.view()];
  for (let i = 0; i < trajectories.vertexCount; i++) {
    nextIds.set(ids.subarray(i * influences, (i + 1) * influences), i * nextInfluences);
    nextValues.set(values.subarray(i * influences, (i + 1) * influences), i * nextInfluences);
  }
  next.error = fit.error;
  return next;
}
