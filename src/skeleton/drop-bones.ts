// SPDX-License-Identifier: MIT
import { SkinFit } from '../fit/skin-fit.ts';

/**
 * A fit without some of its bones, on the same trajectories: weights of bones that stay are kept and scaled to sum to one; vertices that had no other get the
 * first bone until weights are solved again.
 */
export function dropBones(fit: SkinFit, isDropped: (bone: number) => boolean): SkinFit {
  const kept = Array.from({ length: fit.boneCount }, (_, j) => j).filter((j) => !isDropped(j));
  if (kept.length === 0) throw new Error('dropBones: a fit needs at least one bone');
  const next = new SkinFit(fit.compute, fit.trajectories, kept.length, fit.options, fit.locked);
  const place = new Int32Array(fit.boneCount).fill(-1);
  kept.forEach((j, n) => {
    place[j] = n;
  });
  const [from, to] = [fit.bones.view(), next.bones.view()];
  for (let row = 0; row < 3 * fit.trajectories.frameCount; row++) {
    kept.forEach((j, n) => {
      const o = (row * fit.boneCount + j) * 4;
      to.set(from.subarray(o, o + 4), (row * kept.length + n) * 4);
    });
  }
  const [ids, values] = [fit.weights.bones.view(), fit.weights.weights.view()];
  const [nextIds, nextValues] = [next.weights.bones.view(), next.weights.weights.view()];
  const [most, nextMost] = [fit.weights.influences, next.weights.influences];
  for (let i = 0; i < fit.trajectories.vertexCount; i++) {
    let n = i * nextMost;
    let sum = 0;
    for (let e = i * most; e < (i + 1) * most && n < (i + 1) * nextMost; e++) {
      if (!(values[e] > 0) || place[ids[e]] < 0) continue;
      nextIds[n] = place[ids[e]];
      nextValues[n++] = values[e];
      sum += values[e];
    }
    if (n === i * nextMost) nextValues[n] = sum = 1;
    for (let e = i * nextMost; e < (i + 1) * nextMost; e++) nextValues[e] /= sum;
  }
  next.error = fit.error;
  return next;
}
