// SPDX-License-Identifier: MIT
import { defineDecomposeMethod } from '../define-decompose-method.ts';
import { planWhole } from '../shared/plan-whole.ts';
import { checkSmaOptions, SMA_OPTIONS } from './options.ts';
import type { SmaResult } from './sma.ts';

export const SMA = defineDecomposeMethod<typeof SMA_OPTIONS, SmaResult>({
  name: 'sma',
  summary: 'skinning mesh animations (James and Twigg 2005), finds the number of bones',
  options: SMA_OPTIONS,
  capabilities: { goals: [], keeps: ['skeleton'], noise: false, corrections: true },
  check: checkSmaOptions,
  plan: (options, _goal, size) => planWhole(options, size),
  load: () => import('./solve.ts'),
});
