// SPDX-License-Identifier: MIT
// decompose of frames in memory, to a file that keeps all numbers: it is written, measured, and given keys between frames where it strays.

import type { SkinnedModel } from '../../core/model/asset.ts';
import type { PlayedClip } from '../../deformers/playback/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { measureFor, type Written } from '../../measure/index.ts';
import {
  type JobContext,
  type JobFacts,
  makeGoalGate,
  type OpenedInput,
  type OutputFile,
  reportWritten,
} from '../engine/index.ts';
import { readWritten, reportPlayers, warnBetween } from '../report/index.ts';
import { addHalfwayKeys } from './add-halfway-keys.ts';
import { correctionContent, reportCorrections } from './correction-options.ts';
import { type DecomposeResult, transformsOf } from './decompose.ts';
import type { DecomposeValues } from './decompose-options.ts';
import type { DecomposePlan } from './decompose-plan.ts';
import { makeFacts, restGainOf } from './make-facts.ts';

/** Maximum number of times that keys are added between frames. */
const MAX_KEYINGS = 6;

type Context = JobContext<DecomposeValues>;

/** A file and what it holds. */
interface WrittenFile {
  bytes: Uint8Array;
  written: Written;
}

/** Writes a model and measures the file. */
type WriteModel = (model: SkinnedModel) => Promise<WrittenFile>;

/** Writes, measures and reports. */
export async function decomposeWhole(
  context: Context,
  inputs: readonly OpenedInput[],
  played: readonly PlayedClip[],
  plan: DecomposePlan,
  solved: DecomposeResult,
  files: readonly OutputFile[],
): Promise<JobFacts> {
  const { options } = context;
  const { corrected, eRms, eRmsBeforeRest } = solved;
  const keys = plan.keysAt(corrected?.eRms.at(-1) ?? eRms);
  const write = makeWriter(context, inputs[0], played, solved, keys);
  const first = await write(solved.model);
  // given motion and corrections have no keys between frames
  const isFree = plan.given?.motion === undefined && corrected === undefined;
  const { bytes, written } = isFree ? await addKeys(context, played, plan, solved, first, write) : first;
  const warned = warnBetween(context, written, solved.warnings);
  const players = await context.finish('measure', () => reportPlayers(context, written.asset, played));
  return makeFacts(context, inputs, plan, {
    ...{ solved, bytes, files, error: written.error },
    transforms: transformsOf(options.method, options.transforms, solved),
    gate: makeGoalGate(plan.goal, written),
    measured: reportWritten(written),
    more: {
      ...(eRmsBeforeRest === undefined ? {} : { restGain: restGainOf(eRms, eRmsBeforeRest) }),
      keys,
      ...warned,
      ...players,
      ...reportCorrections(options, corrected),
    },
  });
}

function makeWriter(
  context: Context,
  { asset }: OpenedInput,
  played: readonly PlayedClip[],
  { corrected }: DecomposeResult,
  keys: number,
): WriteModel {
  const correction = correctionContent(context.options, corrected);
  return async (model) => {
    const bytes = await context.finish('write', () =>
      writeGlb(asset, { kind: 'skin', model, keys, correction }, context.storing),
    );
    const written = await context.finish('measure', async () =>
      measureFor(await readWritten(bytes), played, {
        ...{ player: 'runtime', up: asset.up, compute: await context.compute(), ...context.measuring },
      }),
    );
    return { bytes, written };
  };
}

/** The file with keys between frames that comes closest between them. */
async function addKeys(
  context: Context,
  played: readonly PlayedClip[],
  { limit }: DecomposePlan,
  solved: DecomposeResult,
  first: WrittenFile,
  write: WriteModel,
): Promise<WrittenFile> {
  const { method, transforms: wanted } = context.options;
  const transforms = transformsOf(method, wanted, solved);
  let best = first;
  let last = first;
  let { model } = solved;
  const tried = model.motions.map(() => new Set<number>());
  for (let n = 0; n < MAX_KEYINGS; n++) {
    const keyed = await context.finish('between', async () =>
      addHalfwayKeys(played, model, last.written, { transforms, limit, tried, compute: await context.compute() }),
    );
    if (!keyed) break;
    model = keyed;
    last = await write(model);
    if (last.written.between.max < best.written.between.max) best = last;
  }
  return best;
}
