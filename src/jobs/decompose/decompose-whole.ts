// SPDX-License-Identifier: MIT
// decompose of frames in memory, to a file that keeps all numbers.

import type { PlayedClip } from '../../deformers/playback/index.ts';
import {
  type JobContext,
  type JobFacts,
  makeGoalGate,
  type OpenedInput,
  type OutputFile,
  reportWritten,
} from '../engine/index.ts';
import { measureAgain, reportPlayers, warnBetween } from '../report/index.ts';
import { noteCorrections, reportCorrections } from './correction-options.ts';
import { transformsOf } from './decompose.ts';
import type { DecomposeValues } from './decompose-options.ts';
import type { DecomposePlan } from './decompose-plan.ts';
import { correctKeyed } from './keyed/correct-keyed.ts';
import { type KeyedModel, writeMeasured } from './keyed/solve-keyed.ts';
import { makeFacts, restGainOf } from './make-facts.ts';

/** Corrects, writes, measures and reports. */
export async function decomposeWhole(
  context: JobContext<DecomposeValues>,
  inputs: readonly OpenedInput[],
  played: readonly PlayedClip[],
  plan: DecomposePlan,
  keyed: KeyedModel,
  files: readonly OutputFile[],
): Promise<JobFacts> {
  const { options } = context;
  const { solved, model } = keyed;
  const { eRms, eRmsBeforeRest } = solved;
  const [{ asset }] = inputs;
  const shaped =
    plan.corrections && (await context.finish('correct', () => correctKeyed(context, asset, played, plan, keyed)));
  const corrected = shaped?.corrected;
  if (corrected) noteCorrections(corrected, (text) => context.note(text));
  else if (shaped)
    context.note('no number of corrective shapes meets the error, and bones alone come closer: none are written');
  const keys = plan.keysAt(corrected?.eRms.at(-1) ?? eRms);
  const { bytes, written } =
    shaped ?? keyed.file ?? (await writeMeasured(context, asset, played, { kind: 'skin', model, keys }));
  const warned = warnBetween(context, written, solved.warnings);
  const players = await context.finish('measure', () => reportPlayers(context, written.asset, played));
  return makeFacts(context, inputs, plan, {
    ...{ solved, bytes, files, error: written.error },
    transforms: transformsOf(options.method, options.transforms, solved),
    gate: makeGoalGate(plan.goal, written),
    measured: reportWritten(written),
    measure: measureAgain(context, played, plan.goal),
    more: {
      ...(eRmsBeforeRest === undefined ? {} : { restGain: restGainOf(eRms, eRmsBeforeRest) }),
      keys,
      ...warned,
      ...players,
      ...reportCorrections(options, corrected),
    },
  });
}
