// SPDX-License-Identifier: MIT
import type { SkinFit } from './skin-fit.ts';

/**
 * Copies some bones of a fit with their weights to another fit of that number of bones on the same trajectories. Weights are scaled to sum to one.
 * Returns the vertices without any of these bones; their weights are zero.
 */
export function keepBonesInto(fit: SkinFit, next: SkinFit, kept: readonly number[]): number[] {
  const [from, to] = [fit.bones.view(), next.bones.view()];
  for (let row = 0; row < 3 * fit.trajectories.frameCount; row++) {
    for (let n = 0; n < kept.length; n++) {
      const o = 4 * (row * fit.boneCount + kept[n]);
      to.set(from.subarray(o, o + 4), 4 * (row * kept.length + n));
    }
  }
  const place = new Int32Array(fit.boneCount).fill(-1);
  for (let n = 0; n < kept.length; n++) place[kept[n]] = n;
  const [ids, values] = [fit.weights.bones.view(), fit.weights.weights.view()];
  const [nextIds, nextValues] = [next.weights.bones.view(), next.weights.weights.view()];
  const [influences, nextInfluences] = [fit.weights.influences, next.weights.influences];
  nextIds.fill(0);
  nextValues.fill(0);
  const bare: number[] = [];
  for (let i = 0; i < fit.trajectories.vertexCount; i++) {
    let n = i * nextInfluences;
    let sum = 0;
    for (let e = i * influences; e < (i + 1) * influences && n < (i + 1) * nextInfluences; e++) {
      if (!(values[e] > 0) || place[ids[e]] < 0) continue;
      nextIds[n] = place[ids[e]];
      nextValues[n++] = values[e];
      sum += values[e];
    }
    if (n === i * nextInfluences) bare.push(i);
    for (let e = i * nextInfluences; e < n; e++) nextValues[e] /= sum;
  }
  return bare;
}
