// SPDX-License-Identifier: MIT
// How decompose will solve an input, by its options alone.

import { parseLength } from '../../core/options/length.ts';
import type { InputSize, SolvePlan } from '../../core/options/method.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import { decomposeMethodOf } from '../../methods/decompose/index.ts';
import type { JobPlan } from '../engine/index.ts';
import { isAutoRank } from './correction-options.ts';
import type { DecomposeValues } from './decompose-options.ts';

/** The error that the fewest bones are searched for; undefined if their number is given, the default, or found by the method. */
export function searchedBy(options: DecomposeValues, isGiven: boolean): ErrorGoal['kind'] | undefined {
  const { method, bones, maxError, rms, kg } = options;
  if (bones !== undefined || isGiven) return undefined;
  // corrections that meet an error limit refine the default number of bones
  const isMax = maxError !== undefined && !isAutoRank(options);
  const kind = rms !== undefined || kg !== undefined ? 'rms' : isMax ? 'max' : undefined;
  return kind && decomposeMethodOf(method).capabilities.goals.includes(kind) ? kind : undefined;
}

/**
 * How an input will be solved, as far as the options tell: noise that is to be estimated counts as none, since it is known only after reading. Reading, the check of memory and
 * the solver follow the plan of the method.
 */
export function planSolve(options: DecomposeValues, size: InputSize): SolvePlan {
  const { method, skeleton, weights, noise, bones = 0 } = options;
  const keeps = skeleton !== undefined ? 'skeleton' : weights !== undefined ? 'weights' : undefined;
  const deviation = noise === 'auto' ? 0 : parseLength(noise).value;
  const kind = searchedBy(options, keeps !== undefined);
  return decomposeMethodOf(method).planFor({ ...options, bones }, kind && { kind }, {
    ...{ ...size, keeps, noise: deviation },
  });
}

/** The plan of the job, and whether only the noise keeps a clip from being solved in blocks. */
export function planDecompose(options: DecomposeValues, size: InputSize): JobPlan {
  const plan = planSolve(options, size);
  const { noise, denoise } = options;
  if (noise === 'auto' && denoise === undefined) return plan;
  const silent = planSolve({ ...options, noise: '0' }, size);
  const isNoiseOnly = silent.reads === 'stream' && (plan.reads === 'clip' || denoise !== undefined);
  return isNoiseOnly ? { ...plan, remedy: '--noise 0 without --denoise, which can be solved in blocks' } : plan;
}
