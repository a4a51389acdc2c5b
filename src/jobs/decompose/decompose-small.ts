// SPDX-License-Identifier: MIT
// decompose --for size.

import type { Clip } from '../../core/model/clip/clip.ts';
import { decomposeMethodOf } from '../../methods/decompose/index.ts';
import {
  type JobContext,
  type JobFacts,
  makeGoalGate,
  type OpenedInput,
  reportMetricsOf,
  reportWritten,
} from '../engine/index.ts';
import { warnBetween } from '../report/index.ts';
import { reportSize, shrinkModel } from '../shared/index.ts';
import type { DecomposeResult } from './decompose.ts';
import type { DecomposeValues } from './decompose-options.ts';
import type { DecomposePlan } from './decompose-plan.ts';

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
