// SPDX-License-Identifier: MIT
import { defineDecomposeMethod } from '../define-decompose-method.ts';
import { planWhole } from '../shared/plan-whole.ts';
import type { AutoResult } from './auto.ts';
import { AUTO_OPTIONS, checkAutoOptions } from './options.ts';

export const AUTO = defineDecomposeMethod<typeof AUTO_OPTIONS, AutoResult>({
  name: 'auto',
  summary: 'ssdr or fsd, by the near-rigid part of the clip and a quick trial, and says why',
  options: AUTO_OPTIONS,
  capabilities: { goals: ['max', 'rms'], keeps: [], noise: true, corrections: true },
  check: checkAutoOptions,
  // it may choose FSD, which needs the whole clip
  plan: (options, _goal, size) => planWhole(options, size),
  load: () => import('./solve.ts'),
});
