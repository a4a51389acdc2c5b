// SPDX-License-Identifier: MIT
// decompose of frames in memory, to a file that keeps all numbers: it is written, measured, and given keys between frames where it strays.

import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { measureWritten, type Written } from '../../measure/index.ts';
import {
  type JobContext,
  type JobFacts,
  makeGoalGate,
  type OpenedInput,
  type OutputFile,
  reportWritten,
} from '../engine/index.ts';
import { readWritten, warnBetween } from '../report/index.ts';
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
  clips: readonly Clip[],
  plan: DecomposePlan,
  solved: DecomposeResult,
  files: readonly OutputFile[],
): Promise<JobFacts> {
  const { options } = context;
  const { corrected, eRms, eRmsBeforeRest } = solved;
  const keys = plan.keysAt(corrected?.eRms.at(-1) ?? eRms);
  const write = makeWriter(context, inputs[0], clips, solved, keys);
  const first = await write(solved.model);
  // given motion and corrections have no keys between frames
  const isFree = plan.given?.motion === undefined && corrected === undefined;
  const { bytes, written } = isFree ? await addKeys(context, clips, plan, solved, first, write) : first;
  const warned = warnBetween(context, written, solved.warnings);
  return makeFacts(context, inputs, plan, {
    ...{ solved, bytes, files, error: written.error },
    transforms: transformsOf(options.method, options.transforms, solved),
    gate: makeGoalGate(plan.goal, written),
    measured: reportWritten(written),
    more: {
      ...(eRmsBeforeRest === undefined ? {} : { restGain: restGainOf(eRms, eRmsBeforeRest) }),
      keys,
      ...warned,
      ...reportCorrections(options, corrected),
    },
  });
}

function makeWriter(
  context: Context,
  { asset }: OpenedInput,
  clips: readonly Clip[],
  { corrected }: DecomposeResult,
  keys: number,
): WriteModel {
  const correction = correctionContent(context.options, corrected);
  return async (model) => {
    const bytes = await context.finish('write', () =>
      writeGlb(asset, { kind: 'skin', model, keys, correction }, context.storing),
    );
    const written = await context.finish('measure', async () =>
      measureWritten(await readWritten(bytes), clips, {
        ...{ up: asset.up, compute: await context.compute(), ...context.measuring },
      }),
    );
    return { bytes, written };
  };
}

/** The file with keys between frames that comes closest between them. Keys that are added change other intervals of affine bones. */
async function addKeys(
  context: Context,
  clips: readonly Clip[],
  { limit }: DecomposePlan,
  solved: DecomposeResult,
  first: WrittenFile,
  write: WriteModel,
): Promise<WrittenFile> {
  const { method, transforms: wanted } = context.options;
  const transforms = transformsOf(method, wanted, solved);
  let best = first;
  let last = first;
  let keyed: number[][] | undefined;
  for (let n = 0; n < MAX_KEYINGS; n++) {
    const model = await context.finish('between', async () =>
      addHalfwayKeys(clips, solved.model, last.written, {
        ...{ transforms, limit, compute: await context.compute(), keyed },
      }),
    );
    if (!model) break;
    last = await write(model.model);
    keyed = model.intervals;
    if (last.written.between.max < best.written.between.max) best = last;
  }
  return best;
}
