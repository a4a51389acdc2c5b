// SPDX-License-Identifier: MIT
import type { Method } from '../../core/options/method.ts';
import { ELIMINATE_OPTIONS } from './options.ts';
import type { Eliminated, EliminateInput } from './solve.ts';

/** Removal of joints, helper bones, shapes and triangles without visible effect. */
export const eliminateMethod = {
  name: 'eliminate',
  summary: 'parts without visible effect',
  options: ELIMINATE_OPTIONS,
  capabilities: { goals: [], keeps: [], noise: false, corrections: false },
  // parts are measured at rest and by their weights, so no frames are made
  plan: () => ({ strategy: 'whole', reads: 'clip', bytes: 0 }),
  load: () => import('./solve.ts'),
} satisfies Method<typeof ELIMINATE_OPTIONS, EliminateInput, Eliminated>;
