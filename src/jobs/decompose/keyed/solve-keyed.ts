// SPDX-License-Identifier: MIT
// Solves clips, and looks at the file between its keys: keys are added where it strays from the input. Where a search for the fewest bones has met its error at the frames
// only, the input is also solved at the times where the file strays.

import type { SkinnedModel } from '../../../core/model/asset.ts';
import { type PlayedClip, playSource } from '../../../deformers/playback/index.ts';
import { writeGlb } from '../../../formats/gltf/index.ts';
import { measureFor, type Written } from '../../../measure/index.ts';
import type { JobContext, OpenedInput } from '../../engine/index.ts';
import { readWritten } from '../../report/index.ts';
import { type DecomposeResult, transformsOf } from '../decompose.ts';
import type { DecomposeValues } from '../decompose-options.ts';
import type { DecomposePlan } from '../decompose-plan.ts';
import { addHalfwayKeys, listStrayed } from './add-halfway-keys.ts';

/** Maximum number of times that keys are added between frames, and that a clip is solved again with more frames. */
const MAX_KEYINGS = 6;
const MAX_SOLVES = 3;
/** A file whose error is above this multiple of its limit is not solved again: more bones do not make vertices of a cache of single poses move straight through wide turns. */
const WITHIN_REACH = 4;
/** Frames of a clip that is solved again, relative to those of the input. */
const MAX_FRAMES_RATIO = 3;

type Context = JobContext<DecomposeValues>;

/** A file and what it holds. */
export interface WrittenFile {
  bytes: Uint8Array;
  written: Written;
}

/** A solved model, with the keys that its file has between the frames. */
export interface KeyedModel {
  solved: DecomposeResult;
  /** With these keys. */
  model: SkinnedModel;
  /** The input at the times of all keys. */
  frames: readonly PlayedClip[];
  /** Its file, without corrections; absent if it was not written. */
  file?: WrittenFile;
}

/** Solves frames of the input: the same options, other frames. */
export type SolveFrames = (frames: readonly PlayedClip[]) => Promise<DecomposeResult>;

/** Solves, adds keys, and solves again where that is worth it. */
export async function solveKeyed(
  context: Context,
  { asset }: OpenedInput,
  played: readonly PlayedClip[],
  plan: DecomposePlan,
  solve: SolveFrames,
): Promise<KeyedModel> {
  const { options, signal } = context;
  const { limit = Number.POSITIVE_INFINITY } = plan;
  const isSearched = plan.target !== undefined && options.denoise === undefined && options.time === undefined;
  let frames = played;
  let best: KeyedModel | undefined;
  for (let solves = 1; ; solves++) {
    const solved = await solve(frames);
    const keyed = await keyModel(context, asset, played, plan, solved);
    if (!best || errorOf(keyed) < errorOf(best)) best = keyed;
    const isEnd = !isSearched || solves >= MAX_SOLVES || solved.status === 'stalled' || signal.aborted;
    if (isEnd || !keyed.file || errorOf(best) <= limit || errorOf(keyed) > WITHIN_REACH * limit) return best;
    const next = fillStrayed(played, frames, keyed.file.written, limit);
    if (!next) return best;
    frames = next;
  }
}

const errorOf = ({ file }: KeyedModel): number =>
  file ? Math.max(file.written.error.max, file.written.between.max) : Number.POSITIVE_INFINITY;

/** The frames of clips, and the input at the time of the largest error of each interval where a file strays; undefined if there are too many. */
function fillStrayed(
  played: readonly PlayedClip[],
  frames: readonly PlayedClip[],
  { clips }: Written,
  limit: number,
): PlayedClip[] | undefined {
  const filled = frames.map(({ clip: { times } }, n) => {
    const strayed = listStrayed(times, clips[n].between.perFrame, limit);
    return Float64Array.from([...times, ...strayed.map(({ time }) => time)]).sort();
  });
  const count = (lists: readonly Float64Array[]): number => lists.reduce((sum, { length }) => sum + length, 0);
  const before = count(frames.map(({ clip }) => clip.times));
  const most = MAX_FRAMES_RATIO * count(played.map(({ clip }) => clip.times));
  if (count(filled) === before || count(filled) > most) return undefined;
  return filled.map((times, n) => ({ ...played[n], clip: playSource(played[n], times) }));
}

/** The file with keys between frames that comes closest between them. */
async function keyModel(
  context: Context,
  asset: OpenedInput['asset'],
  played: readonly PlayedClip[],
  plan: DecomposePlan,
  solved: DecomposeResult,
): Promise<KeyedModel> {
  const { options } = context;
  const isSmall = options.for === 'size';
  // a mean error of a small file is measured at the frames
  if (isSmall && plan.goal?.kind !== 'max')
    return { solved, model: solved.model, frames: framesOf(played, solved.model) };
  const write = async (model: SkinnedModel) => {
    const keys = isSmall ? 0 : plan.keysAt(solved.eRms);
    const { bytes, written } = await writeMeasured(context, asset, played, { kind: 'skin', model, keys });
    return { solved, model, frames: played, file: { bytes, written } };
  };
  const first = await write(solved.model);
  const isFree = plan.given?.motion === undefined;
  const { limit, target = limit } = plan;
  // rounding takes a part of the error of a small file
  const allowed = isSmall && limit !== undefined && target !== undefined ? (limit + target) / 2 : limit;
  const transforms = transformsOf(options.method, options.transforms, solved);
  const tried = solved.model.motions.map(() => new Set<number>());
  let [best, last] = [first, first];
  for (let n = 0; n < MAX_KEYINGS && isFree; n++) {
    const { model, file } = last;
    const keyed = await context.finish('between', async () =>
      addHalfwayKeys(played, model, file.written, {
        ...{ transforms, limit: allowed, isStrict: !isSmall, tried, compute: await context.compute() },
      }),
    );
    if (!keyed) break;
    last = await write(keyed);
    if (last.file.written.between.max < best.file.written.between.max) best = last;
  }
  return { ...best, frames: framesOf(played, best.model) };
}

/** The input at the times of the keys of a model. */
export function framesOf(played: readonly PlayedClip[], { motions }: SkinnedModel): PlayedClip[] {
  return motions.map(({ times }, n) => {
    const isSame = times.length === played[n].clip.times.length;
    return isSame ? played[n] : { ...played[n], clip: playSource(played[n], times) };
  });
}

/** Writes a file, reads it back and measures it. */
export async function writeMeasured(
  context: Context,
  asset: OpenedInput['asset'],
  played: readonly PlayedClip[],
  content: Parameters<typeof writeGlb>[1],
): Promise<WrittenFile> {
  const bytes = await context.finish('write', () => writeGlb(asset, content, context.storing));
  const written = await context.finish('measure', async () =>
    measureFor(await readWritten(bytes), played, {
      ...{ player: 'runtime', up: asset.up, compute: await context.compute(), ...context.measuring },
    }),
  );
  return { bytes, written };
}
