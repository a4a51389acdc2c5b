// SPDX-License-Identifier: MIT
// decompose --for size.
import { decomposeMethodOf } from '../decompose/decompose-methods.ts';
import type { Clip } from '../model/clip.ts';
import type { DecomposeResult } from './decompose.ts';
import type { DecomposeValues } from './decompose-options.ts';
import type { DecomposePlan } from './decompose-plan.ts';
import type { JobFacts, OpenedInput } from './job.ts';
import { type JobContext, makeGoalGate } from './job-context.ts';
import { reportMetricsOf, reportWritten } from './report.ts';
import { reportSize, shrinkModel } from './shrink-model.ts';
import { warnBetween } from './warn-between.ts';

export async function decomposeSmall(
  context: JobContext<DecomposeValues>,
  opened: OpenedInput,
  clips: readonly Clip[],
  plan: DecomposePlan,
  solved: DecomposeResult,
): Promise<JobFacts> {
  const { options, output } = context;
  const transforms = solved.transforms ?? options.transforms ?? decomposeMethodOf(options.method).defaults.transforms;
  const small = await shrinkModel(context, opened.asset, clips, solved.model, {
    ...{ goal: plan.goalAt(solved.eRms), transforms, codec: options.codec },
  });
  const { bytes, written } = small;
  const { model: _model, seconds: _seconds, corrected: _corrected, eRms, ...own } = solved;
  return {
    inputs: [opened],
    files: [{ path: output, bytes }],
    gate: makeGoalGate(plan.goal, written),
    metrics: reportMetricsOf(written.error),
    result: {
      ...own,
      transforms,
      ...reportWritten(written),
      eRmsSolved: eRms,
      ...warnBetween(context, written, solved.warnings),
      ...reportSize(small),
    },
    bytes: { file: bytes.length },
    options: { bones: plan.bones },
  };
}
