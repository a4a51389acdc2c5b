// SPDX-License-Identifier: MIT
// Collapsed blends cannot be corrected completely: no displacement of the rest position has an effect along a direction that the blend maps to zero. If the skin may
// change, weights are moved towards the strongest bone: w ← (1 − τ) w + τ e, with the smallest τ, in steps of 1/16, for which no frame of the
// point is near singular. At τ = 1 the blend is the matrix of that bone, so a solution exists if the bone itself is not singular.
import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { makeCorrectionProblem } from './correction-problem.ts';
import { spreadWeights, tidySkin } from './refine-weights.ts';
import { restDisplacementsInto } from './rest-displacement.ts';

const STEPS = 16;

export interface OpenedBlends {
  model: SkinnedModel;
  /** Number of points whose weights were changed. */
  changed: number;
}

/** A copy of the model with as few collapsed blends as possible; the model itself if it has none. */
export function openBlends(clips: readonly Clip[], given: SkinnedModel): OpenedBlends {
  const model: SkinnedModel = { ...given, skin: { ...given.skin, weights: given.skin.weights.slice() } };
  const { skin } = model;
  const problem = makeCorrectionProblem(clips, model);
  const { pointCount, frameCount, weld, blends, residuals } = problem;
  const out = new Float64Array(3 * frameCount);
  let changed = 0;
  for (let i = 0; i < pointCount; i++) {
    problem.read(i);
    if (restDisplacementsInto(blends, residuals, out) === 0) continue;
    const row = skin.weights.subarray(skin.rowStart[weld.vertexOfPoint[i]], skin.rowStart[weld.vertexOfPoint[i] + 1]);
    const before = row.slice();
    let isOpen = false;
    for (let step = 1; step <= STEPS && !isOpen; step++) {
      const part = step / STEPS;
      // rows are in descending order: the first bone is the strongest
      for (let e = 0; e < row.length; e++) row[e] = (1 - part) * before[e] + (e === 0 ? part : 0);
      problem.read(i);
      isOpen = restDisplacementsInto(blends, residuals, out) === 0;
    }
    if (isOpen) changed++;
    else row.set(before);
  }
  if (changed === 0) return { model: given, changed };
  spreadWeights(skin, weld);
  return { model: { ...model, skin: tidySkin(skin) }, changed };
}
