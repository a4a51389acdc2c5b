// SPDX-License-Identifier: MIT

import { InputError } from '../../../core/model/errors.ts';
import { allRead, type Solve } from '../../../core/options/method.ts';
import type { DecomposeInput } from '../define-decompose-method.ts';
import { type FsdResult, solveFsd } from './fsd.ts';
import type { FSD_OPTIONS } from './options.ts';

export const solve: Solve<typeof FSD_OPTIONS, DecomposeInput, FsdResult> = async (
  { compute, signal, onProgress },
  { frames },
  options,
) => {
  const { bones, influences, transforms, keepRest, iterations, tolerance, ridge, norm, seed, time, ...rest } = options;
  allRead(rest);
  if (frames.kind === 'stream') throw new InputError('fsd', 'needs all frames in memory');
  const model = { bones, influences, transforms, keepRest };
  const steps = { iterations, tolerance, ridge, norm, seed, time };
  return solveFsd(compute, frames, { ...model, ...steps, signal, onProgress });
};
