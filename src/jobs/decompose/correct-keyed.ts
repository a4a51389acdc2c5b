// SPDX-License-Identifier: MIT
// Corrective shapes of a model with its keys between frames: the solver then looks at all keys of the file. With an error to meet, the number of shapes is searched until the
// file meets it, at frames and between them.

import type { Asset } from '../../core/model/asset.ts';
import type { PlayedClip } from '../../deformers/playback/index.ts';
import { type CorrectOptions, type CorrectResult, correctModel } from '../../methods/corrections/index.ts';
import type { JobContext } from '../engine/index.ts';
import { correctionContent } from './correction-options.ts';
import { transformsOf } from './decompose.ts';
import type { DecomposeValues } from './decompose-options.ts';
import type { DecomposePlan } from './decompose-plan.ts';
import { type KeyedModel, type WrittenFile, writeMeasured } from './solve-keyed.ts';

/** Iterations that fit the skin to its corrections. */
const REFINE_ITERATIONS = 10;
/** Maximum number of searches whose file is above the limit, and the part of the limit that the next search aims at, relative to what would suffice. */
const MAX_SEARCHES = 3;
const BELOW = 0.98;

export interface CorrectedFile extends WrittenFile {
  corrected: CorrectResult;
}

/** Corrects the model, and writes and measures the file. */
export async function correctKeyed(
  context: JobContext<DecomposeValues>,
  asset: Asset,
  played: readonly PlayedClip[],
  plan: DecomposePlan,
  keyed: KeyedModel,
): Promise<CorrectedFile> {
  const { corrections = {}, limit = Number.POSITIVE_INFINITY } = plan;
  const attempt = async (wanted: CorrectOptions): Promise<CorrectedFile> => {
    const corrected = await solveShapes(context, plan, keyed, wanted);
    const correction = correctionContent(context.options, corrected);
    const keys = plan.keysAt(corrected.eRms.at(-1) ?? 0);
    const content = { kind: 'skin', model: corrected.model, keys, correction } as const;
    return { ...(await writeMeasured(context, asset, played, content)), corrected };
  };
  let found = await attempt(corrections);
  if (corrections.maxError === undefined) return found;
  let aim = corrections.maxError;
  for (let n = 1; n < MAX_SEARCHES && errorOf(found) > limit && found.corrected.status !== 'stalled'; n++) {
    aim *= (BELOW * limit) / errorOf(found);
    const next = await attempt({ ...corrections, maxError: aim });
    if (errorOf(next) < errorOf(found)) found = next;
  }
  return errorOf(found) <= limit
    ? searchFewer(found, limit, (rank) => attempt({ ...corrections, maxError: undefined, rank }))
    : found;
}

/** Fewer shapes may do with the skin fitted to them, which the search by error does not try. */
async function searchFewer(
  held: CorrectedFile,
  limit: number,
  attempt: (rank: number) => Promise<CorrectedFile>,
): Promise<CorrectedFile> {
  let best = held;
  let low = 0;
  while (best.corrected.correction.rank - low > 1) {
    const rank = Math.floor((low + best.corrected.correction.rank) / 2);
    const tried = await attempt(rank);
    if (errorOf(tried) <= limit) best = tried;
    else low = rank;
  }
  return best;
}

const errorOf = ({ written }: WrittenFile): number => Math.max(written.error.max, written.between.max);

function solveShapes(
  { options, signal, progress }: JobContext<DecomposeValues>,
  plan: DecomposePlan,
  { solved, model, frames }: KeyedModel,
  wanted: CorrectOptions,
): Promise<CorrectResult> {
  const bones = transformsOf(options.method, options.transforms, solved) === 'affine' ? 'affine' : 'rigid';
  const time = options.time === undefined ? 0 : Math.max(1e-3, options.time - solved.seconds);
  const clips = frames.map(({ clip }) => clip);
  // given parts do not change
  const refine = plan.given ? 0 : REFINE_ITERATIONS;
  return correctModel(clips, model, { signal, onProgress: progress, refine, bones, time, ...wanted });
}
