// SPDX-License-Identifier: MIT
import { defineDecomposeMethod } from '../define-decompose-method.ts';
import { planWhole } from '../shared/plan-whole.ts';
import type { FsdResult } from './fsd.ts';
import { checkFsdOptions, FSD_OPTIONS } from './options.ts';

export const FSD = defineDecomposeMethod<typeof FSD_OPTIONS, FsdResult>({
  name: 'fsd',
  summary: 'fast skinning decomposition (Kavan et al. 2010), affine bones',
  options: FSD_OPTIONS,
  capabilities: { goals: [], keeps: [], noise: false, corrections: true },
  check: checkFsdOptions,
  plan: (options, _goal, size) => planWhole(options, size),
  load: () => import('./solve.ts'),
});
