// SPDX-License-Identifier: MIT
import type { InputSize, SolvePlan } from '../../../core/options/method.ts';
import type { OptionsOf } from '../../../core/options/option.ts';
import type { ErrorGoal } from '../../../core/progress/error-goal.ts';
import { canSolveInBlocks, isLarge } from '../large/can-solve-in-blocks.ts';
import { estimateBytes } from '../shared/plan-whole.ts';
import type { SSDR_OPTIONS } from './options.ts';

/**
 * Large clips are solved in blocks, unless bones are searched for or parts are given, or an option or noise needs the whole clip. Parts of the clip that move rigidly are known
 * after reading only: where there are some, the rest may be small enough to be solved whole.
 */
export function planSsdr(
  { bones, norm, support, keepRest }: OptionsOf<typeof SSDR_OPTIONS>,
  goal: Pick<ErrorGoal, 'kind'> | undefined,
  size: InputSize,
): SolvePlan {
  const { vertexCount, frameCount, noise, keeps } = size;
  const isPossible = !goal && !keeps && canSolveInBlocks({ norm, support, keepRest, deviation: noise });
  const strategy = isPossible && isLarge(vertexCount, frameCount) ? 'blocks' : 'whole';
  return { strategy, reads: isPossible ? 'stream' : 'clip', bytes: estimateBytes(strategy, bones, size) };
}
