// SPDX-License-Identifier: MIT
import { extname } from 'node:path';
import type { GivenParts } from '../decompose/fit-given.ts';
import { writeGlb } from '../gltf/write-glb.ts';
import type { Clip } from '../model/clip.ts';
import { maxInfluencesOf } from '../model/skin.ts';
import { type DecomposeResult, decompose } from '../recipe/decompose.ts';
import { pickMethodOptions } from '../recipe/decompose-methods.ts';
import { joinClips } from '../recipe/join-clips.ts';
import { type ReportResult, reportInputOf, reportMetricsOf } from '../recipe/report.ts';
import type { CommandSpec, Context } from './command.ts';
import { checkCorrections, noteCorrections, reportCorrections, writtenCorrection } from './corrections.ts';
import {
  addDecomposeOptions,
  checkMethodOptions,
  type DecomposeCommandOptions,
  settleMethodOptions,
} from './decompose-options.ts';
import { type DecomposePlan, makeDecomposePlan } from './decompose-plan.ts';
import { EXIT_DONE, EXIT_GATE, faultOf, JobError, UsageError } from './exit-status.ts';
import { formatDecomposed } from './format-decomposed.ts';
import { formatCount, formatNumber } from './format-number.ts';
import { giveSkeleton, giveWeights } from './given-parts.ts';
import { listClips } from './list-clips.ts';
import { measureWritten, type Written } from './measure-written.ts';
import { noteDurations } from './note-durations.ts';
import { noteStrangeJoints } from './note-strange-joints.ts';
import { type OpenedInput, openInput } from './open-input.ts';
import { type CommandFacts, checkResults, makeCommandReport, saveResults } from './save-results.ts';

/** Weights per vertex that every glTF player reads. */
const FOUR = 4;

type DecomposeContext = Context<DecomposeCommandOptions>;

export const decomposeCommand: CommandSpec<DecomposeCommandOptions> = {
  name: 'decompose',
  summary: 'turn an animated mesh into a skin: bones, weights and motion',
  description:
    'Turns whatever moves (a clip, a sequence, a morphing or skinned glTF) into a skinned GLB with few bones that plays anywhere, ' +
    'and measures what was written. Several clips of one mesh give one skin with several animations.',
  arguments: [
    { name: '<input>', description: "rest.obj+motion.pc2, 'frames/*.obj', or an animated .glb or .gltf" },
    { name: '<output>', description: 'a .glb file' },
  ],
  examples: [
    { line: 'decompose rest.obj+motion.pc2 out.glb --bones 20', does: 'twenty rigid bones, four weights per vertex' },
    {
      line: 'decompose morphs.glb out.glb --max-error 1mm',
      does: 'the fewest bones that keep every vertex within 1 mm',
    },
    {
      line: 'decompose cloth.glb out.glb --bones 40 --transforms affine --max-error 0.5%',
      does: 'bones that stretch and shear, and status 3 when a vertex is further off than that',
    },
    { line: 'decompose rest.obj+a.pc2,b.pc2 out.glb --keys --quantize', does: 'two animations, in a smaller file' },
    {
      line: 'decompose heavy.glb out.glb --skeleton rig.glb',
      does: 'keeps the bones of rig.glb and solves the weights',
    },
  ],
  isStoppable: true,
  configure: addDecomposeOptions,
  async run(context) {
    const { args } = context;
    const [input, output] = args;
    checkUsage(context.options, output);
    const opened = await context.phase('read', () => openInput(input, context));
    const givenFile = await openGiven(context);
    const paths = [...opened.paths, ...(givenFile?.paths ?? [])];
    await checkResults(context, [output], paths);
    const clips = await context.phase('bake', () =>
      listClips(opened, clipOptionsOf(context.options, opened, givenFile)),
    );
    const given = givenFile && (await context.phase('read', () => giveParts(context, givenFile, opened, clips)));
    const plan = makeDecomposePlan(context.options, opened.asset, given);

    const solved = await context.phase('solve', () => solve(context, plan, opened, clips));
    noteOutcome(context, plan, solved);
    const keys = plan.keysAt(solved.corrected?.eRms.at(-1) ?? solved.eRms);
    const { quantize, meshopt } = context.options;
    const bytes = await context.finish('write', () =>
      writeGlb(
        opened.asset,
        { kind: 'skin', model: solved.model, keys, correction: writtenCorrection(context.options, solved.corrected) },
        { quantize, meshopt, log: (remark) => context.note(remark) },
      ),
    );
    const written = await context.finish('measure', () => measureWritten(bytes, clips, opened.asset.up));

    const gate = plan.limit === undefined ? undefined : gateOf(plan.limit, written);
    const facts: CommandFacts = {
      inputs: [opened, ...(givenFile ? [givenFile] : [])].map((one) => reportInputOf(one.input, one.asset)),
      metrics: reportMetricsOf(written.error),
      result: resultOf(context, solved, written, keys, gate),
      bytes: { file: bytes.length },
    };
    const settled: DecomposeContext = {
      ...context,
      options: { ...settleMethodOptions(context.options), bones: plan.bones },
    };
    await saveResults(settled, [{ path: output, bytes }], paths, facts);
    const report = makeCommandReport(settled, facts);
    context.tell(report);
    context.say(formatDecomposed(report, { output, opened, written }));
    if (context.signal.aborted || !gate || gate.isMet) return EXIT_DONE;
    context.progress.clear();
    context.io.stderr.write(
      `ossify: ${output}: a vertex is off by ${formatNumber(gate.max)}, more than the ${formatNumber(gate.maxError)} allowed\n`,
    );
    return EXIT_GATE;
  },
};

function checkUsage(options: DecomposeCommandOptions, output: string): void {
  checkMethodOptions(options);
  checkCorrections(options);
  if (extname(output).toLowerCase() !== '.glb')
    throw new UsageError(`decompose: the output must end in .glb, not "${output}"`);
  if (options.locked !== undefined && options.weights === undefined)
    throw new UsageError('--locked says which weights of a file to keep; give --weights with it');
  if (options.maxError?.value === 0) throw new UsageError('--max-error: no skin is exact; give a length above zero');
}

async function openGiven(context: DecomposeContext): Promise<OpenedInput | undefined> {
  const { skeleton, weights } = context.options;
  const file = skeleton ?? weights;
  return file === undefined ? undefined : context.phase('read', () => openInput(file, context));
}

/** An animation that only the file with the bones has says which of those to keep, not which frames to take. */
function clipOptionsOf(options: DecomposeCommandOptions, input: OpenedInput, given: OpenedInput | undefined) {
  const { animation } = options;
  const has = ({ asset }: OpenedInput) => [...asset.clips, ...asset.animations].some(({ name }) => name === animation);
  const isOfGiven = options.skeleton !== undefined && given !== undefined && has(given) && !has(input);
  return isOfGiven ? { ...options, animation: undefined } : options;
}

function giveParts(context: DecomposeContext, file: OpenedInput, input: OpenedInput, clips: Clip[]): GivenParts {
  const { skeleton, animation, locked } = context.options;
  if (skeleton === undefined) return giveWeights(file, input, locked);
  const given = giveSkeleton(file, clips, animation);
  if (clips.length === 1 && file.asset.animations.length === 1) {
    const reference = { ...input.asset, clips };
    noteDurations(reference, file.asset, [{ name: clips[0].name, reference: 0, result: 0 }], context);
  }
  noteStrangeJoints(context, file, joinClips(clips), given.motion!);
  return given;
}

async function solve(
  context: DecomposeContext,
  plan: DecomposePlan,
  { input }: OpenedInput,
  clips: Clip[],
): Promise<DecomposeResult> {
  const { options, signal, progress } = context;
  const { method, threads } = options;
  try {
    return await decompose(clips, {
      ...pickMethodOptions(method, options),
      ...{ method, threads, signal },
      bones: plan.bones,
      maxError: plan.target,
      given: plan.given,
      corrections: plan.corrections,
      onProgress: ({ phase, fraction, eRms }) => progress.show({ phase, ratio: fraction, eRms }),
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'AbortError') throw error;
    throw new JobError(`${input}: ${faultOf(error)}`, { cause: error });
  }
}

function noteOutcome({ options, signal, note }: DecomposeContext, plan: DecomposePlan, solved: DecomposeResult): void {
  const found = solved.model.skeleton.names.length;
  for (const warning of solved.warnings ?? []) note(warning);
  if (signal.aborted) note('interrupted; writing the best so far (again to leave without)');
  else if (options.time !== undefined && solved.status === 'stopped')
    note(`stopped after ${formatNumber(options.time)} s; this is the best so far`);
  if (plan.bones !== undefined && found < plan.bones && solved.bonesFound === undefined)
    note(`the input has ${formatCount(found, 'distinguishable point')}, so it gets as many bones, not ${plan.bones}`);
  else if (plan.isDefaultCount)
    note(
      `${plan.limit === undefined ? 'neither --bones nor --max-error' : '--bones'} was ${plan.limit === undefined ? '' : 'not '}given; this is with ${formatCount(found, 'bone')}`,
    );
  if (maxInfluencesOf(solved.model.skin) > FOUR)
    note(
      `vertices have up to ${maxInfluencesOf(solved.model.skin)} weights; three.js and others play only four of them`,
    );
  if (solved.corrected) noteCorrections(solved.corrected, note);
  if (plan.target !== undefined && solved.status === 'stalled')
    note(`no number of bones up to ${found} keeps every vertex that close; this is the best of them`);
}

function gateOf(maxError: number, { error: { max } }: Written) {
  return { maxError, max, isMet: max <= maxError };
}

function resultOf(
  context: DecomposeContext,
  solved: DecomposeResult,
  written: Written,
  keys: number,
  gate: ReturnType<typeof gateOf> | undefined,
): ReportResult {
  const { model: _model, seconds: _seconds, corrected, eRms, ...own } = solved;
  const { eRmsBeforeRest } = own;
  const { bones, influences, blendsPerVertex, between } = written;
  return {
    ...own,
    transforms: own.transforms ?? settleMethodOptions(context.options).transforms,
    ...{ bones, influences, blendsPerVertex },
    eRmsSolved: eRms,
    ...(eRmsBeforeRest === undefined ? {} : { restGain: eRmsBeforeRest > 0 ? 1 - eRms / eRmsBeforeRest : 0 }),
    keys,
    between,
    clips: written.clips.map((clip) => ({
      name: clip.name,
      frames: clip.error.frameCount,
      metrics: reportMetricsOf(clip.error),
    })),
    ...reportCorrections(context.options, corrected),
    ...(gate ? { gate } : {}),
  };
}
