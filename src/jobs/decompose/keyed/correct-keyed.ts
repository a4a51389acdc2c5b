// SPDX-License-Identifier: MIT
// Corrective shapes of a model with its keys between frames: the solver then looks at all keys of the file. With an error to meet, at frames and between them, both are searched:
// keys are added where the file strays between those that it has, which makes every interval that is too long half as long, and then the number of shapes is lowered.
// Coefficients of shapes change linearly from key to key and bones turn, so that shapes which fit two keys may be far off between them: a file that no search brings within
// its limit is the closest of all that were tried, without shapes if that is the closest.

import type { Asset } from '../../../core/model/asset.ts';
import type { PlayedClip } from '../../../deformers/playback/index.ts';
import { type CorrectOptions, type CorrectResult, correctModel } from '../../../methods/corrections/index.ts';
import type { JobContext } from '../../engine/index.ts';
import { correctionContent } from '../correction-options.ts';
import { transformsOf } from '../decompose.ts';
import type { DecomposeValues } from '../decompose-options.ts';
import type { DecomposePlan } from '../decompose-plan.ts';
import { addHalfwayKeys } from './add-halfway-keys.ts';
import { framesOf, type KeyedModel, type WrittenFile, writeMeasured } from './solve-keyed.ts';

/** Iterations that fit the skin to its corrections. */
const REFINE_ITERATIONS = 10;
/** Maximum number of searches whose file is above the limit, and the part of the limit that the next search aims at, relative to what would suffice. */
const MAX_SEARCHES = 3;
const BELOW = 0.98;
/** Maximum number of times that keys are added, of keys, and of keys relative to those without shapes. A shape per pose of far-apart poses is no small model. */
const MAX_KEYINGS = 10;
const MAX_KEYS = 24;
const MAX_KEYS_RATIO = 3;

export interface CorrectedFile extends WrittenFile {
  /** Absent if the file comes closer without shapes. */
  corrected?: CorrectResult;
}

type Context = JobContext<DecomposeValues>;
type Attempt = (keyed: KeyedModel, wanted: CorrectOptions) => Promise<Required<CorrectedFile>>;

/** Corrects the model, and writes and measures the file. */
export async function correctKeyed(
  context: Context,
  asset: Asset,
  played: readonly PlayedClip[],
  plan: DecomposePlan,
  keyed: KeyedModel,
): Promise<CorrectedFile> {
  const { corrections = {}, limit = Number.POSITIVE_INFINITY } = plan;
  const attempt: Attempt = async (from, wanted) => {
    const corrected = await solveShapes(context, plan, from, wanted);
    const correction = correctionContent(context.options, corrected);
    const keys = plan.keysAt(corrected.eRms.at(-1) ?? 0);
    const content = { kind: 'skin', model: corrected.model, keys, correction } as const;
    return { ...(await writeMeasured(context, asset, played, content)), corrected };
  };
  const { maxError } = corrections;
  if (maxError === undefined) return attempt(keyed, corrections);
  const { found, from } = await searchKeys(context, played, plan, keyed, (one) => attempt(one, corrections));
  let best = found;
  let aim = maxError;
  for (let n = 1; n < MAX_SEARCHES && errorOf(best) > limit && best.corrected.status !== 'stalled'; n++) {
    aim *= (BELOW * limit) / errorOf(best);
    const next = await attempt(from, { ...corrections, maxError: aim });
    if (errorOf(next) < errorOf(best)) best = next;
  }
  if (errorOf(best) <= limit)
    return searchFewer(best, limit, (rank) => attempt(from, { ...corrections, maxError: undefined, rank }));
  const { file } = keyed;
  if (file && errorOf(file) <= errorOf(best)) return file;
  return { ...best, corrected: { ...best.corrected, status: 'stalled' } };
}

/** The shapes for an error, with keys added until the file meets it between its keys. Returns the closest file, and what it was corrected from. */
async function searchKeys(
  context: Context,
  played: readonly PlayedClip[],
  { limit = Number.POSITIVE_INFINITY, given }: DecomposePlan,
  keyed: KeyedModel,
  attempt: (keyed: KeyedModel) => Promise<Required<CorrectedFile>>,
): Promise<{ found: Required<CorrectedFile>; from: KeyedModel }> {
  const { solved } = keyed;
  const { options } = context;
  let last = { found: await attempt(keyed), from: keyed };
  let best = last;
  const most = Math.max(MAX_KEYS, MAX_KEYS_RATIO * countKeys(keyed));
  const isFree = given?.motion === undefined;
  for (let n = 0; n < MAX_KEYINGS && isFree && errorOf(last.found) > limit && !context.signal.aborted; n++) {
    const { from, found } = last;
    const model = await addHalfwayKeys(played, from.model, found.written, {
      transforms: transformsOf(options.method, options.transforms, solved),
      ...{ limit, isStrict: false, isForced: true, tried: from.model.motions.map(() => new Set<number>()) },
      compute: await context.compute(),
    });
    if (!model) break;
    const next: KeyedModel = { solved, model, frames: framesOf(played, model) };
    if (countKeys(next) > most) break;
    last = { found: await attempt(next), from: next };
    if (errorOf(last.found) < errorOf(best.found)) best = last;
  }
  return best;
}

const countKeys = ({ model }: KeyedModel): number => model.motions.reduce((sum, { times }) => sum + times.length, 0);

/** Fewer shapes may do with the skin fitted to them, which the search by error does not try. */
async function searchFewer(
  held: Required<CorrectedFile>,
  limit: number,
  attempt: (rank: number) => Promise<Required<CorrectedFile>>,
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
  { options, signal, progress }: Context,
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
