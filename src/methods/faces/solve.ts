// SPDX-License-Identifier: MIT
// Converts a face of morph targets to bones that are driven by the weights of its shapes.

import { UsageError } from '../../core/model/errors.ts';
import { allRead, type Solve } from '../../core/options/method.ts';
import type { DrivenFace, FaceInput } from './face-input.ts';
import { type FaceFit, type FittedFace, fitFace } from './fit-face.ts';
import { FACE_BONES, type FACE_OPTIONS, transformsOf } from './options.ts';

const FIRST_TRIED_BONES = 5;
const MAX_TRIED_BONES = 320;

/** Which shapes remain as morph targets: a number of them, and those with larger errors. */
interface Keep {
  keepShapes: number;
  keepError?: number;
}

/** Converts shapes to driven bones. */
export const solve: Solve<typeof FACE_OPTIONS, FaceInput, DrivenFace> = async (run, input, options) => {
  const { bones, keepShapes, keepError, examples, nonzeros, pairs, influences, seed, time, ...more } = options;
  const { transforms: given, ...rest } = more;
  allRead(rest);
  const transforms = transformsOf({ transforms: given }, input.shapes);
  const fit = { run, input, settings: { examples, nonzeros, pairs, influences, transforms, seed, time } };
  const keep = { keepShapes, keepError };
  if (input.maxError !== undefined && bones === undefined) return searchBones(fit, keep, input.maxError);
  return { ...(await fitKept(fit, keep, bones ?? FACE_BONES)), tried: [] };
};

/** The first count of a doubling series that meets the error. */
async function searchBones(fit: FaceFit, keep: Keep, maxError: number): Promise<DrivenFace> {
  const tried: DrivenFace['tried'] = [];
  let best: FittedFace | undefined;
  for (let bones = FIRST_TRIED_BONES; bones <= MAX_TRIED_BONES; bones *= 2) {
    const solved = await fitKept(fit, keep, bones);
    tried.push({ bones: solved.model.skeleton.names.length, max: solved.driven.max });
    if (!best || solved.driven.max < best.driven.max) best = solved;
    if (solved.driven.max <= maxError) return { ...solved, tried };
    if (solved.status === 'stopped' || solved.model.skeleton.names.length < bones) break;
  }
  if (!best) throw new Error('no number of bones was tried');
  return { ...best, status: best.status === 'stopped' ? 'stopped' : 'stalled', tried };
}

/** Fits; shapes that remain are chosen by the errors of a first fit, and the others are fitted again. */
async function fitKept(fit: FaceFit, { keepShapes, keepError }: Keep, bones: number): Promise<FittedFace> {
  const { names, deltas } = fit.input.shapes;
  const first = await fitFace(fit, bones, []);
  const errors = first.driven.perPose;
  const order = Array.from(names.keys()).sort((a, b) => errors.rms[b] - errors.rms[a] || a - b);
  const kept = order.filter((s, n) => n < keepShapes || (keepError !== undefined && errors.max[s] > keepError));
  if (kept.length === 0) return first;
  if (kept.length === names.length)
    throw new UsageError('--keep-shapes', `all ${kept.length} shapes would remain; nothing is left to convert`);
  if (!deltas.some((delta, s) => !kept.includes(s) && delta.some((x) => x !== 0)))
    throw new UsageError('--keep-shapes', `the other shapes move no vertex; nothing is left to convert`);
  return fitFace(
    fit,
    bones,
    kept.sort((a, b) => a - b),
  );
}
