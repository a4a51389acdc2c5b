// SPDX-License-Identifier: MIT

import { InputError } from '../../../core/model/errors.ts';
import { allRead, type Solve } from '../../../core/options/method.ts';
import type { DecomposeInput } from '../define-decompose-method.ts';
import { type AutoResult, solveAuto, solveAutoByError } from './auto.ts';
import type { AUTO_OPTIONS } from './options.ts';

export const solve: Solve<typeof AUTO_OPTIONS, DecomposeInput, AutoResult> = async (
  { compute, signal, onProgress },
  { frames, goal, deviation },
  options,
) => {
  const { bones, influences, keepRest, ridge, norm, seed, time, ...rest } = options;
  allRead(rest);
  if (frames.kind === 'stream') throw new InputError('auto', 'needs all frames in memory');
  const own = { bones, influences, keepRest, ridge, norm, seed, time };
  const settings = { ...own, deviation, signal, onProgress };
  return goal ? solveAutoByError(compute, frames, goal, settings) : solveAuto(compute, frames, settings);
};
