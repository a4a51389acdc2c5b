// SPDX-License-Identifier: MIT

import type { SkinnedModel } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { joinClips } from '../../core/model/clip/join-clips.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import type { Values } from '../../core/options/option.ts';
import { listClips } from '../../deformers/playback/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { measureWritten } from '../../measure/index.ts';
import { decomposeMethodOf, giveWeights, pickMethodOptions } from '../../methods/decompose/index.ts';
import {
  defineJob,
  formatCount,
  formatNumber,
  isDecomposedInBlocks,
  type JobContext,
  MOVING_INPUT,
  makeGoalGate,
  needsMotion,
  type OpenedInput,
  type Report,
  refuseUnread,
  reportMetricsOf,
  reportWritten,
} from '../engine/index.ts';
import {
  animationRows,
  describeInfluences,
  describeModel,
  readWritten,
  warnBetween,
  warnImprecise,
  warnStopped,
} from '../report/index.ts';
import {
  CHARACTER_OUTPUT,
  listDenoisedPaths,
  type NoiseOption,
  noiseOf,
  noteNoise,
  settleNoise,
  writeDenoised,
} from '../shared/index.ts';
import { addHalfwayKeys } from './add-halfway-keys.ts';
import { checkGivenSkeleton } from './check-given-skeleton.ts';
import { correctionContent, noteCorrections, reportCorrections } from './correction-options.ts';
import { type DecomposeResult, decompose } from './decompose.ts';
import { checkDecomposeOptions, DECOMPOSE_OPTIONS, type DecomposeValues } from './decompose-options.ts';
import { type DecomposePlan, makeDecomposePlan } from './decompose-plan.ts';
import { decomposeSmall } from './decompose-small.ts';
import { decomposeStreamed, streamLimitOf } from './decompose-streamed.ts';

/** Weights per vertex that every glTF viewer reads. */
const COMMON_INFLUENCES = 4;

/** Maximum number of times that keys are added between frames. */
const MAX_KEYINGS = 6;

type Context = JobContext<DecomposeValues>;

export const decomposeJob = defineJob({
  name: 'decompose',
  title: 'Decompose',
  summary: 'turn an animated mesh into a skin: bones, weights and motion',
  description:
    'Turns anything that moves (a clip, a sequence, a morphing or skinned glTF) into a skinned GLB with few bones, and measures what was written. ' +
    'Several clips of one mesh become one skin with several animations.',
  inputs: [MOVING_INPUT],
  output: CHARACTER_OUTPUT,
  examples: [
    { line: 'decompose rest.obj+motion.pc2 out.glb --bones 20', does: 'twenty rigid bones, four weights per vertex' },
    {
      line: 'decompose morphs.glb out.glb --max-error 1mm',
      does: 'the fewest bones that keep every vertex within 1 mm',
    },
    {
      line: 'decompose cloth.glb out.glb --bones 40 --transforms affine --max-error 0.5%',
      does: 'bones with scale and shear; status 3 if a vertex is off by more',
    },
    { line: 'decompose rest.obj+a.pc2,b.pc2 out.glb --keys --quantize', does: 'two animations, in a smaller file' },
    { line: 'decompose heavy.glb out.glb --skeleton rig.glb', does: 'keep the bones of rig.glb and solve the weights' },
  ],
  options: DECOMPOSE_OPTIONS,
  isStoppable: true,
  refuses: needsMotion,
  titleOf(values: Values) {
    const name = String(values.method ?? DECOMPOSE_OPTIONS.method.default).toUpperCase();
    if (values.maxError !== undefined) return `${name}, by error`;
    return Number(values.bones) > 0 ? `${name}, ${formatCount(Number(values.bones), 'bone')}` : name;
  },
  check(options, job) {
    checkDecomposeOptions(options, job);
    if ((options.skeleton ?? options.weights) !== undefined && options.noise !== '0')
      refuseUnread(job, ['noise'], 'has no effect on given bones or weights, which keep their rest pose; remove it');
  },
  async run(context) {
    const { options, output, signal } = context;
    const opened = await context.open(context.job.inputs[0], {
      streamAbove: streamLimitOf(options, context.isGiven('noise')),
    });
    if (opened.stream) return decomposeStreamed(context, opened, opened.stream);
    const file = options.skeleton ?? options.weights;
    const givenFile = file === undefined ? undefined : await context.open(file);
    const clips = await context.phase('bake', () => listClips(opened, clipOptions(options, opened, givenFile)));
    await context.claim([output, ...listDenoisedPaths(options.denoise, clips)]);
    warnImprecise(clips, (text) => context.note(text));
    const given =
      givenFile &&
      (options.skeleton === undefined
        ? giveWeights(givenFile, opened, options.locked)
        : checkGivenSkeleton(context, givenFile, opened, clips));
    const plan = makeDecomposePlan(options, opened.asset, given, clips);
    const noise = given ? 0 : await findNoise(context, opened, clips);
    const solved = await context.phase('solve', async () =>
      decompose(clips, {
        ...pickMethodOptions(options.method, options),
        ...{ method: options.method, compute: await context.compute(), signal, onProgress: context.progress },
        ...{
          bones: plan.bones,
          maxError: plan.target,
          maxRms: plan.targetRms,
          close: plan.close,
          given: plan.given,
          corrections: plan.corrections,
          noise,
        },
      }),
    );
    noteOutcome(context, plan, solved);
    if (!given) noteNoise(context, solved.noise, opened.asset, clips);
    const denoised = await writeDenoised(options.denoise, opened.asset, clips, solved.model);
    if (options.for === 'size') {
      const small = await decomposeSmall(context, opened, clips, plan, solved);
      return { ...small, files: [...small.files, ...denoised] };
    }
    const keys = plan.keysAt(solved.corrected?.eRms.at(-1) ?? solved.eRms);
    const write = (model: SkinnedModel) =>
      writeGlb(
        opened.asset,
        { kind: 'skin', model, keys, correction: correctionContent(options, solved.corrected) },
        context.storing,
      );
    const measure = async (file: Uint8Array) =>
      measureWritten(await readWritten(file), clips, {
        ...{ up: opened.asset.up, compute: await context.compute(), ...context.measuring },
      });
    let bytes = await context.finish('write', () => write(solved.model));
    let written = await context.finish('measure', () => measure(bytes));
    const isFree = plan.given?.motion === undefined && solved.corrected === undefined;
    const transforms = solved.transforms ?? options.transforms ?? decomposeMethodOf(options.method).defaults.transforms;
    // keys that are added change other intervals of affine bones
    let strayed = written;
    let intervals: number[][] | undefined;
    for (let n = 0; isFree && n < MAX_KEYINGS; n++) {
      const keyed = await context.finish('between', async () =>
        addHalfwayKeys(clips, solved.model, strayed, {
          ...{ transforms, limit: plan.limit, compute: await context.compute(), keyed: intervals },
        }),
      );
      if (!keyed) break;
      const next = await context.finish('write', () => write(keyed.model));
      strayed = await context.finish('measure', () => measure(next));
      ({ intervals } = keyed);
      if (strayed.between.max < written.between.max) [bytes, written] = [next, strayed];
    }
    const warned = warnBetween(context, written, solved.warnings);
    const { model: _model, seconds: _seconds, corrected, eRms, ...own } = solved;
    const { eRmsBeforeRest } = own;
    return {
      inputs: [opened, ...(givenFile ? [givenFile] : [])],
      files: [{ path: output, bytes }, ...denoised],
      gate: makeGoalGate(plan.goal, written),
      metrics: reportMetricsOf(written.error),
      result: {
        ...own,
        transforms,
        ...reportWritten(written),
        eRmsSolved: eRms,
        ...(eRmsBeforeRest === undefined ? {} : { restGain: eRmsBeforeRest > 0 ? 1 - eRms / eRmsBeforeRest : 0 }),
        keys,
        ...warned,
        ...reportCorrections(options, corrected),
      },
      bytes: { file: bytes.length },
      options: { bones: plan.bones },
    };
  },
  describe: describeDecomposed,
});

/** If only the file with the bones has the animation, --animation selects a motion of that file and no frames of the input. */
function clipOptions(options: DecomposeValues, input: OpenedInput, given: OpenedInput | undefined): DecomposeValues {
  const { animation } = options;
  const has = ({ asset }: OpenedInput) => [...asset.clips, ...asset.animations].some(({ name }) => name === animation);
  const isOfGiven = options.skeleton !== undefined && given !== undefined && has(given) && !has(input);
  return isOfGiven ? { ...options, animation: undefined } : options;
}

/** The noise of the options. Large clips with noise are solved whole: the memory for that is checked as soon as the noise is known. */
async function findNoise(context: Context, opened: OpenedInput, clips: readonly Clip[]): Promise<NoiseOption> {
  const noise = noiseOf(context, opened.asset);
  if (noise !== 'auto' || !isDecomposedInBlocks(context.options)) return noise;
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
  if (solved.corrected) noteCorrections(solved.corrected, (text) => context.note(text));
  if (plan.target !== undefined && solved.status === 'stalled')
    context.note(`no number of bones up to ${found} meets the error; writing the best of them`);
}

function describeDecomposed(report: Report) {
  const { result, metrics } = report;
  const keys = Number(result.keys) > 0 ? `, keys within ${formatNumber(Number(result.keys))}` : '';
  const shapes = result.corrections as { rank: number; as: string; eRms: number[] } | undefined;
  const corrections = shapes
    ? `, ${formatCount(shapes.rank, 'corrective shape')} as ${shapes.as === 'morphs' ? 'morph targets' : 'an extension'}`
    : '';
  const gain = Number(result.restGain ?? 0);
  const note = shapes
    ? `E_RMS ${formatNumber(shapes.eRms[0])} before corrective shapes`
    : gain > 0 && (metrics.eRms ?? 0) <= Number(result.eRmsBeforeRest)
      ? `E_RMS ${formatNumber(Number(result.eRmsBeforeRest))} before the rest pose was corrected`
      : '';
  const eta = `eta ${formatNumber(result.eta ?? 0, 3)}: ratio of triangles that follow a bone; below 0.5 is poor`;
  return describeModel(report, {
    before: '',
    after: `${formatCount(result.bones ?? 0, `${result.transforms} bone`)}, ${describeInfluences(result)}${corrections}${keys}`,
    errors: animationRows(report, note),
    more: result.eta === undefined ? [] : [eta],
  });
}
