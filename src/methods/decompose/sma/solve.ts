// SPDX-License-Identifier: MIT
// SMA as a method: with the bones that a tolerance finds (sma.ts), with a number of bones (sma-by-count.ts), or with given bones (sma-given.ts).

import { InputError } from '../../../core/model/errors.ts';
import { allRead, type Solve } from '../../../core/options/method.ts';
import type { DecomposeInput } from '../define-decompose-method.ts';
import { makeSmaSettings, type SMA_OPTIONS } from './options.ts';
import { type SmaResult, solveFound } from './sma.ts';
import { solveByCount } from './sma-by-count.ts';
import { solveGivenBones } from './sma-given.ts';

export const solve: Solve<typeof SMA_OPTIONS, DecomposeInput, SmaResult> = async (
  { compute, signal, onProgress },
  { frames, given },
  options,
) => {
  const { bones, influences, transforms, epsilon, bonesBy, weightsBy, negativity, time, seed, ...rest } = options;
  allRead(rest);
  if (frames.kind === 'stream') throw new InputError('sma', 'needs all frames in memory');
  const own = { bones, influences, transforms, epsilon, bonesBy, weightsBy, negativity, time, seed };
  const settings = makeSmaSettings(own, { signal, onProgress, time });
  if (given) return solveGivenBones(compute, frames, given, settings);
  return bones > 0 ? solveByCount(compute, frames, settings) : solveFound(compute, frames, settings);
};
