// SPDX-License-Identifier: MIT

import { InputError } from '../../../core/model/errors.ts';
import { allRead, type Solve } from '../../../core/options/method.ts';
import type { DecomposeInput } from '../define-decompose-method.ts';
import { type LsspResult, solveLssp } from './lssp.ts';
import type { LSSP_OPTIONS } from './options.ts';

export const solve: Solve<typeof LSSP_OPTIONS, DecomposeInput, LsspResult> = async (
  { compute, signal, onProgress },
  { frames },
  options,
) => {
  const { bones, influences, transforms, penalty, iterations, time, seed, ...rest } = options;
  allRead(rest);
  if (frames.kind === 'stream') throw new InputError('lssp', 'needs all frames in memory');
  const own = { bones, influences, transforms, penalty, iterations, time, seed };
  return solveLssp(compute, frames, { ...own, signal, onProgress });
};
