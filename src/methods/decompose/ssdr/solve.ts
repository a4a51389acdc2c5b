// SPDX-License-Identifier: MIT
// SSDR as a method: by a number of bones (ssdr.ts), by an error (ssdr-by-error.ts), or with given parts (fit-given.ts).

import { allRead, type Solve } from '../../../core/options/method.ts';
import type { DecomposeInput } from '../define-decompose-method.ts';
import { solveGiven } from './fit-given.ts';
import type { SSDR_OPTIONS } from './options.ts';
import { checkFrames, type SsdrResult, solvePiecesFirst, ssdrInBlocks } from './ssdr.ts';
import { searchPiecesFirst } from './ssdr-by-error.ts';

export const solve: Solve<typeof SSDR_OPTIONS, DecomposeInput, SsdrResult> = async (
  { compute, signal, onProgress },
  { frames, goal, given, deviation },
  options,
  plan,
) => {
  const { bones, influences, transforms, keepRest, iterations, tolerance, ridge, norm, support, ...others } = options;
  const { effort, seed, time, ...rest } = others;
  allRead(rest);
  const model = { bones, influences, transforms, keepRest };
  const steps = { iterations, tolerance, ridge, norm, support, effort, seed, time };
  const settings = { ...model, ...steps, deviation, signal, onProgress };
  if (frames.kind === 'stream') return ssdrInBlocks(compute, frames, settings);
  if (given) return solveGiven(compute, frames, given, settings);
  if (goal) return searchPiecesFirst(compute, frames, goal, settings);
  checkFrames(frames);
  return solvePiecesFirst(compute, frames, settings, plan);
};
