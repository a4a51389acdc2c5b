// SPDX-License-Identifier: MIT
import { defineDecomposeMethod } from '../define-decompose-method.ts';
import { checkSsdrOptions, SSDR_OPTIONS } from './options.ts';
import { planSsdr } from './plan-ssdr.ts';
import type { SsdrResult } from './ssdr.ts';

export const SSDR = defineDecomposeMethod<typeof SSDR_OPTIONS, SsdrResult>({
  name: 'ssdr',
  summary: 'smooth skinning decomposition (Le and Deng 2012)',
  options: SSDR_OPTIONS,
  capabilities: { goals: ['max', 'rms'], keeps: ['skeleton', 'weights'], noise: true, corrections: true },
  check: checkSsdrOptions,
  plan: planSsdr,
  load: () => import('./solve.ts'),
});
