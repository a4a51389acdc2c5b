// SPDX-License-Identifier: MIT
// The paths of decompose: a clip in memory, the smallest file of it, or a point cache that is read in blocks.

import type { Clip } from '../../core/model/clip/clip.ts';
import { joinClips } from '../../core/model/clip/join-clips.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { listPlayedClips, type PlayedClip } from '../../deformers/playback/index.ts';
import { type GivenParts, giveWeights } from '../../methods/decompose/index.ts';
import { formatCount, type JobContext, type JobFacts, type OpenedInput } from '../engine/index.ts';
import { warnImprecise, warnStopped } from '../report/index.ts';
import {
  listDenoisedPaths,
  type NoiseOption,
  noiseOf,
  noteNoise,
  settleNoise,
  writeDenoised,
} from '../shared/index.ts';
import { checkGivenSkeleton } from './check-given-skeleton.ts';
import { type DecomposeResult, decompose } from './decompose.ts';
import { type DecomposeValues, methodValuesOf } from './decompose-options.ts';
import { type DecomposePlan, makeDecomposePlan } from './decompose-plan.ts';
import { decomposeSmall } from './decompose-small.ts';
import { decomposeStreamed, streamLimitOf } from './decompose-streamed.ts';
import { decomposeWhole } from './decompose-whole.ts';
import { solveKeyed } from './keyed/solve-keyed.ts';
import { planSolve } from './plan-solve.ts';

/** Weights per vertex that every glTF viewer reads. */
const COMMON_INFLUENCES = 4;

type Context = JobContext<DecomposeValues>;

/** Opens the input and takes a path. */
export async function runDecompose(context: Context): Promise<JobFacts> {
  const { options, job } = context;
  const streamAbove = streamLimitOf(options, job.options ?? {});
  const opened = await context.open(job.inputs[0], { streamAbove });
  if (opened.stream) return decomposeStreamed(context, opened, opened.stream);
  const file = options.skeleton ?? options.weights;
  const givenFile = file === undefined ? undefined : await context.open(file);
  const played = await context.phase('bake', () =>
    listPlayedClips(opened, { ...clipOptions(options, opened, givenFile), filled: true }),
  );
  const clips = played.map(({ clip }) => clip);
  await context.claim([context.output, ...listDenoisedPaths(options.denoise, clips)]);
  warnImprecise(clips, (text) => context.note(text));
  const given = givenFile && openGiven(context, givenFile, opened, clips);
  const plan = makeDecomposePlan(options, opened.asset, given, clips);
  const noise = plan.given ? 0 : await findNoise(context, opened, clips);
  const solve = (frames: readonly PlayedClip[]) =>
    solveClips(
      context,
      frames.map(({ clip }) => clip),
      plan,
      noise,
    );
  const keyed = await solveKeyed(context, opened, played, plan, solve);
  const { solved } = keyed;
  noteOutcome(context, plan, solved);
  if (!plan.given) noteNoise(context, solved.noise, opened.asset, clips);
  const denoised = await writeDenoised(options.denoise, clips, solved.model);
  if (options.for === 'size') {
    const small = await decomposeSmall(context, opened, plan, keyed);
    return { ...small, files: [...small.files, ...denoised] };
  }
  const inputs = [opened, ...(givenFile ? [givenFile] : [])];
  return decomposeWhole(context, inputs, played, plan, keyed, denoised);
}

/** If only the file with the bones has the animation, --animation selects a motion of that file and no frames of the input. */
function clipOptions(options: DecomposeValues, input: OpenedInput, given: OpenedInput | undefined): DecomposeValues {
  const { animation } = options;
  const has = ({ asset }: OpenedInput) => [...asset.clips, ...asset.animations].some(({ name }) => name === animation);
  const isOfGiven = options.skeleton !== undefined && given !== undefined && has(given) && !has(input);
  return isOfGiven ? { ...options, animation: undefined } : options;
}

/** The parts of --skeleton or --weights. */
function openGiven(context: Context, file: OpenedInput, opened: OpenedInput, clips: Clip[]): GivenParts {
  const { skeleton, locked } = context.options;
  return skeleton === undefined ? giveWeights(file, opened, locked) : checkGivenSkeleton(context, file, opened, clips);
}

/** Solves frames, without corrections. */
function solveClips(
  context: Context,
  clips: readonly Clip[],
  plan: DecomposePlan,
  noise: NoiseOption,
): Promise<DecomposeResult> {
  const { options, signal, progress: onProgress } = context;
  const { given, bones, close } = plan;
  return context.phase('solve', async () =>
    decompose(clips, {
      ...methodValuesOf(options),
      ...{ method: options.method, compute: await context.compute(), signal, onProgress, given, bones },
      ...{ maxError: plan.target, maxRms: plan.targetRms, close, noise },
    }),
  );
}

/** The noise of the options. Large clips with noise are solved whole: the memory for that is checked as soon as the noise is known. */
async function findNoise(context: Context, opened: OpenedInput, clips: readonly Clip[]): Promise<NoiseOption> {
  const noise = noiseOf(context, opened.asset);
  const { reads } = planSolve(context.options, { vertexCount: 0, frameCount: 0 });
  if (noise !== 'auto' || reads === 'clip') return noise;
  const found = await context.phase('solve', () => settleNoise(joinClips(clips), noise));
  if (found > 0) context.checkMemory(opened, { noise: String(found) });
  return found;
}

function noteOutcome(context: Context, plan: DecomposePlan, solved: DecomposeResult): void {
  const found = solved.model.skeleton.names.length;
  for (const warning of solved.warnings ?? []) context.note(warning);
  warnStopped(context, solved.status);
  if (plan.bones !== undefined && found < plan.bones && solved.rigidPieces !== undefined)
    context.note(
      `the clip needs only ${formatCount(found, 'bone')} for its ${formatCount(solved.rigidPieces, 'rigid piece')}`,
    );
  else if (plan.bones !== undefined && found < plan.bones && solved.bonesFound === undefined)
    context.note(
      `the input has only ${formatCount(found, 'distinct vertex', 'distinct vertices')}; using ${formatCount(found, 'bone')} instead of ${plan.bones}`,
    );
  else if (plan.isDefaultCount)
    context.note(
      `using ${formatCount(found, 'bone')}, the default; give --bones${plan.limit === undefined ? ' or --max-error' : ''} to change it`,
    );
  const influences = maxInfluencesOf(solved.model.skin);
  if (influences > COMMON_INFLUENCES)
    context.note(`vertices have up to ${influences} weights; three.js and other viewers read only four`);
  if (plan.target !== undefined && solved.status === 'stalled')
    context.note(`no number of bones up to ${found} meets the error; writing the best of them`);
}
