// SPDX-License-Identifier: MIT
import { defineDecomposeMethod } from '../define-decompose-method.ts';
import { planWhole } from '../shared/plan-whole.ts';
import type { LsspResult } from './lssp.ts';
import { checkLsspOptions, LSSP_OPTIONS } from './options.ts';

export const LSSP = defineDecomposeMethod<typeof LSSP_OPTIONS, LsspResult>({
  name: 'lssp',
  summary:
    'decomposition of learning skeletons for shape and pose (Hasler et al. 2010), rigid bones, softly sparse weights',
  options: LSSP_OPTIONS,
  capabilities: { goals: [], keeps: [], noise: false, corrections: true },
  check: checkLsspOptions,
  plan: (options, _goal, size) => planWhole(options, size),
  load: () => import('./solve.ts'),
});
