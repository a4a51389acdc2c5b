// SPDX-License-Identifier: MIT
// decompose --for size.

import { type JobContext, type JobFacts, makeGoalGate, type OpenedInput, reportWritten } from '../engine/index.ts';
import { warnBetween } from '../report/index.ts';
import { reportSize, shrinkModel } from '../shared/index.ts';
import { transformsOf } from './decompose.ts';
import type { DecomposeValues } from './decompose-options.ts';
import type { DecomposePlan } from './decompose-plan.ts';
import type { KeyedModel } from './keyed/solve-keyed.ts';
import { makeFacts } from './make-facts.ts';

export async function decomposeSmall(
  context: JobContext<DecomposeValues>,
  opened: OpenedInput,
  plan: DecomposePlan,
  { solved, model, frames }: KeyedModel,
): Promise<JobFacts> {
  const { options } = context;
  const transforms = transformsOf(options.method, options.transforms, solved);
  const small = await shrinkModel(context, opened.asset, frames, model, {
    ...{ goal: plan.goalAt(solved.eRms), transforms, codec: options.codec },
  });
  const { bytes, written } = small;
  return makeFacts(context, [opened], plan, {
    ...{ solved, transforms, bytes, error: written.error },
    gate: makeGoalGate(plan.goal, written),
    measured: reportWritten(written),
    more: { ...warnBetween(context, written, solved.warnings), ...reportSize(small) },
  });
}
