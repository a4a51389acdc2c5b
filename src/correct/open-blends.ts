// SPDX-License-Identifier: MIT
// Blends that collapse cannot be corrected in full: what lies along a vanished direction is out of reach of any displacement at rest. Where the skin may
// change, the smallest change on the way to the strongest bone opens them: w ← (1 − τ) w + τ e, τ in sixteenths, the first with which no frame of the
// point is near singular. At τ = 1 the blend is that bone's own matrix, so there is one wherever bones themselves do not collapse.
import type { SkinnedModel } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { makeCorrectionProblem } from './correction-problem.ts';
import { spreadWeights, tidySkin } from './refine-weights.ts';
import { restDisplacementsInto } from './rest-displacement.ts';

const STEPS = 16;

export interface OpenedBlends {
  model: SkinnedModel;
  /** Points whose weights were changed. */
  changed: number;
}

/** A copy of the model without blends that collapse, where that can be had; the model itself where none does. */
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
      // rows fall: the first is the strongest
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
