// SPDX-License-Identifier: MIT

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import { UsageError } from '../../core/model/errors.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { checkMaxError } from '../../core/options/length.ts';
import type { OptionsOf, Values } from '../../core/options/option.ts';
import { HELPER_EXTENSION, listControllers, writeBlenderDrivers } from '../../deformers/helper-bones/index.ts';
import { addHelperMotion, bakeHelperMotions } from '../../deformers/playback/index.ts';
import { type GlbContent, writeGlb } from '../../formats/gltf/index.ts';
import {
  HELPER_TRANSFORMS,
  type HelperTransforms,
  type MeasuredConverted,
  measureConverted,
} from '../../methods/convert/index.ts';
import {
  defineJob,
  formatCount,
  formatMean,
  formatNumber,
  type JobContext,
  jsonText,
  makeGate,
  makeGoalGate,
  needsSkinOrShapes,
  type OutputFile,
  type Report,
  type ReportMetrics,
  type ReportResult,
  readJsonFile,
  refuseUnread,
  reportMetricsOf,
} from '../engine/index.ts';
import { readRangesOption } from '../reduce/index.ts';
import { describeModel, type ErrorRow, readWritten, warnDropped, warnStopped } from '../report/index.ts';
import {
  CHARACTER_OUTPUT,
  checkShrinkable,
  checkSmallOptions,
  refuseCompact,
  reportSize,
  shrinkContent,
} from '../shared/index.ts';
import { CONVERT_DEFAULTS, type ConvertResult, convert } from './convert.ts';
import { type ConvertInput, openConvertInput } from './convert-input.ts';
import { CONVERT_OPTIONS } from './convert-job-options.ts';
import { describeShapes, runConvertShapes } from './convert-shapes-job.ts';
import { checkEliminate, describeEliminated, runEliminate } from './eliminate-job.ts';

type Context = JobContext<OptionsOf<typeof CONVERT_OPTIONS>>;

export const convertJob = defineJob({
  name: 'convert',
  title: 'Convert',
  summary: 'convert a rig to plain bones: helper bones and their controllers',
  description:
    'Samples a skeleton-driven rig as a black box (delta mush, corrective shapes, muscles …) and writes it as linear blend skinning with helper bones: their keys for every ' +
    `animation, so that it plays anywhere, and ${HELPER_EXTENSION} with the controllers that move them in new poses. Measures what was written at random poses.`,
  inputs: [
    {
      name: 'input',
      description:
        'a rigged .glb or .gltf, a face of morph targets, sample:NAME (see ossify sample --list), or a clip, with its bones (--skeleton) or without',
    },
  ],
  output: CHARACTER_OUTPUT,
  examples: [
    { line: 'convert rig.glb out.glb --helpers 4', does: 'four helper bones' },
    { line: 'convert face.glb out.glb --bones 40', does: 'morph targets as 40 driven bones' },
    { line: 'convert rig.glb out.glb --max-error 2mm', does: 'as many helper bones as the error needs' },
    { line: 'convert sample:muscle-arm out.glb --helpers 2 --drivers blender', does: 'also write out.blender.py' },
    { line: 'convert body.glb out.glb --around LeftArm --controllers out.json', does: 'helper bones at one shoulder' },
    { line: 'convert rest.obj+sim.pc2 out.glb --skeleton rig.glb', does: 'a simulation of a known skeleton' },
  ],
  options: CONVERT_OPTIONS,
  isStoppable: true,
  refuses: needsSkinOrShapes,
  titleOf(values: Values, result?: ReportResult) {
    const helpers = Number(result?.helpers ?? values.helpers ?? CONVERT_DEFAULTS.helpers);
    return helpers === 0 ? 'Plain bones already' : formatCount(helpers, 'helper');
  },
  check(options, job) {
    if (options.eliminate !== undefined) checkEliminate(CONVERT_OPTIONS, job);
    checkSmallOptions(options, job.output);
    checkMaxError(options.maxError, 'conversion');
    if (options.target === 'dual-quaternion' && options.transforms !== 'rigid')
      refuseUnread(job, ['transforms'], 'must be rigid with --target dual-quaternion, which blends rigid bones only');
  },
  async run(context) {
    const { options, output, signal } = context;
    if (options.eliminate !== undefined) return runEliminate(context, await context.open(context.job.inputs[0]));
    const ranges = await readRangesOption(options.ranges, context);
    const opened = await openConvertInput(context);
    if (opened.source.kind === 'shapes') return runConvertShapes(context, opened);
    checkShrinkable(options, opened.asset);
    if (options.helpers !== 0) refuseCompact(options, HELPER_EXTENSION, ', or --helpers 0');
    const { asset, motions, drivers } = opened;
    const source = opened.source;
    const script = options.drivers && output.replace(/\.[^.]*$/, `.${options.drivers}.py`);
    await context.claim([output, options.controllers, script].filter((path) => path !== undefined));
    warnDropped(context, { ...asset, rig: undefined });
    const limit = context.limitOf(asset);
    const { target, normalWeights } = options;
    const isDual = target === 'dual-quaternion';
    const transforms = isDual ? 'rigid' : rigTransforms(options.transforms);
    const { helpers, around, influences, samples, sampling, epsilon, epsilonOf, order, beta, joints } = options;
    const { normals, iterations, seed, threads, delay } = options;
    const edit = options.edit === undefined ? undefined : await readJsonFile(options.edit, 'controllers', context);
    const result = await context.phase('solve', () =>
      convert(source, {
        ...{ helpers, around, influences, transforms, samples, sampling, epsilon, epsilonOf, order, beta, joints },
        ...{
          normals,
          normalWeights,
          target,
          iterations,
          seed,
          threads,
          ranges,
          delay,
          edit,
          maxError: limit,
          drivers,
          motions,
          signal,
        },
        onProgress: context.progress,
      }),
    );
    noteOutcome(
      context,
      result,
      edit !== undefined ? 0 : (helpers ?? (limit === undefined ? CONVERT_DEFAULTS.helpers : 0)),
    );
    const content = contentOf(opened, result);
    const small =
      options.for === 'size' ? await shrinkContent(context, opened, content.asset, content.content) : undefined;
    const plain = await context.finish('write', () => writeGlb(content.asset, content.content, context.storing));
    const bytes = small?.bytes ?? plain;
    const measured = await context.finish('measure', async () =>
      // random poses are compared by vertex, and a small file has its vertices in another order
      measureConverted(await readWritten(plain), result, source.kind === 'clip' ? source.clip : undefined, {
        ...{ poses: options.poses, seed, normals: normals > 0 || normalWeights === true },
        onPose: async (fraction) => {
          context.progress({ phase: 'measure', fraction, eRms: Number.NaN });
          // an interrupt arrives only between tasks
          await new Promise((resolve) => setTimeout(resolve));
          return signal.aborted && fraction > 0;
        },
      }),
    );
    warnStopped(context);
    const max = result.tried.find((one) => one.helpers === result.model.controllers.length)?.max ?? measured.error.max;
    const files: OutputFile[] = [{ path: output, bytes }];
    if (options.controllers !== undefined)
      files.push({ path: options.controllers, bytes: `${jsonText(listControllers(result.model))}\n` });
    if (script !== undefined)
      files.push({ path: script, bytes: writeBlenderDrivers(result.model, output.replace(/^.*[/\\](?=.)/, '')) });
    return {
      inputs: [opened],
      files,
      gate: small ? makeGoalGate(small.goal, small.written) : makeGate(limit, max),
      metrics: small
        ? reportMetricsOf(small.written.error)
        : metricsOf(measured, measureBounds(asset.mesh.positions).diagonal),
      result: {
        ...{ ...resultOf(transforms, result, measured), ...inputsOf(opened, result) },
        ...(small ? reportSize(small) : {}),
      },
      bytes: { file: bytes.length },
      options: { transforms },
    };
  },
  describe: (report) =>
    report.result.removedJoints
      ? describeEliminated(report)
      : report.result.shapes === undefined
        ? describeConverted(report)
        : describeShapes(report),
});

function rigTransforms(kind: string): HelperTransforms {
  const known = HELPER_TRANSFORMS.find((one) => one === kind);
  if (!known) throw new UsageError('--transforms', `helper bones are ${HELPER_TRANSFORMS.join(' or ')}, not ${kind}`);
  return known;
}

function noteOutcome(context: Context, { idle, status, model }: ConvertResult, wanted: number): void {
  const found = model.controllers.length;
  if (idle.length > 0) {
    const named = idle.slice(0, 3).map((name) => `"${name}"`);
    const more = idle.length > 3 ? ` and ${idle.length - 3} more` : '';
    context.note(
      `${idle.length === 1 ? 'joint' : 'joints'} ${named.join(', ')}${more} ${idle.length === 1 ? 'has' : 'have'} no effect on the mesh`,
    );
  }
  if (status === 'stalled')
    context.note(`no number of helpers meets the error; writing ${formatCount(found, 'helper')}`);
  if (status === 'converged' && found < wanted)
    context.note(
      found === 0
        ? 'the joints alone reproduce the shape; no helper was added'
        : `only ${found} of ${formatCount(wanted, 'helper')} reduce the error; the others were left out`,
    );
}

/** What is written, and into which file. */
function contentOf(opened: ConvertInput, { model, bones }: ConvertResult): { asset: Asset; content: GlbContent } {
  const { asset, source } = opened;
  const { mesh, skeleton, skin, controllers, blend } = model;
  if (source.kind === 'asset') {
    const motions = bakeHelperMotions(asset, model, bones.subarray(0, bones.length - controllers.length));
    const dropMorphs = opened.drivers !== undefined;
    return { asset, content: { kind: 'converted', model, bones, motions, dropMorphs } };
  }
  const motions = opened.motions.map((motion) => addHelperMotion(model, motion));
  const skinned = { kind: 'skin', mesh, skeleton, skin, motions } as const;
  return { asset: { ...asset, clips: [] }, content: { kind: 'skin', model: skinned, controllers, blend } };
}

function metricsOf({ error }: MeasuredConverted, diagonal: number): ReportMetrics {
  const { alpha, rmse, max, p99, normalDegrees } = error;
  const percent = (value: number) => (100 * value) / (diagonal || 1);
  return {
    ...{ alpha, rmse, max, p99, rmsePercent: percent(rmse), maxPercent: percent(max) },
    ...(normalDegrees === undefined ? {} : { normalDegrees }),
  };
}

function resultOf(transforms: HelperTransforms, result: ConvertResult, measured: MeasuredConverted): ReportResult {
  const { skin, controllers, skeleton } = result.model;
  const { lbs, baked, controllerMicroseconds } = measured;
  return {
    bones: skeleton.names.length,
    helpers: controllers.length,
    influences: maxInfluencesOf(skin),
    blendsPerVertex: skin.weights.length / (skin.rowStart.length - 1),
    status: result.status,
    transforms,
    evaluations: result.evaluations,
    trainingPoses: result.poses,
    testPoses: measured.error.poses,
    idle: result.idle,
    controllers: result.helpers,
    training: result.rmse,
    ...(lbs ? { lbs: { alpha: lbs.alpha, rmse: lbs.rmse, max: lbs.max } } : {}),
    ...(baked === undefined ? {} : { baked }),
    ...(controllerMicroseconds === undefined ? {} : { controllerMicroseconds }),
    ...(result.tried.length > 0 ? { tried: result.tried } : {}),
  };
}

/** The parameters that were offered to the controllers, and the helpers that read each. */
function inputsOf({ inputs }: ConvertInput, { helpers }: ConvertResult): Pick<ReportResult, string> {
  if (!inputs || inputs.length === 0) return {};
  const readBy = (name: string): string[] =>
    helpers.filter(({ joints }) => joints.includes(name)).map((helper) => helper.name);
  return { inputs: inputs.map((input) => ({ ...input, readBy: readBy(input.name) })) };
}

function describeConverted(report: Report) {
  const { result, metrics } = report;
  const helpers = result.controllers as { name: string; parent: string; joints: string[]; terms: number }[];
  const inputs = (result.inputs ?? []) as { name: string; source: string; readBy: string[] }[];
  const microseconds = result.controllerMicroseconds as number | undefined;
  const baked = result.baked as number | undefined;
  const apart = baked === undefined ? '' : `; keys and controllers differ by ${formatNumber(baked, 2)} of the size`;
  const table = helpers.map(({ name, parent, joints, terms }) => [
    name,
    `child of ${parent}`,
    `driven by ${joints.join(', ') || 'nothing'}`,
    formatCount(terms, 'coefficient'),
  ]);
  return describeModel(report, {
    before: `, ${formatCount((result.bones ?? 0) - (result.helpers ?? 0), 'joint')}`,
    after: `${formatCount(result.helpers ?? 0, 'helper')}, ${formatMean(result.blendsPerVertex ?? 0, 'weight')} per vertex`,
    errors: [
      ['converted', metrics, `at ${formatCount(Number(result.testPoses), 'pose')}, against the source`],
      ...(result.lbs ? [['own skin', result.lbs, "the input's weights as linear blend skinning"] as ErrorRow] : []),
    ],
    more: [
      `${formatCount(Number(result.trainingPoses), 'training pose')}, ${formatCount(Number(result.evaluations), 'evaluation')}`,
      ...(table.length > 0 ? [{ rows: table }] : []),
      ...(inputs.length > 0
        ? [
            {
              rows: inputs.map(({ name, source, readBy }) => [
                `input ${name}`,
                source,
                `read by ${readBy.join(', ') || 'nothing'}`,
              ]),
            },
          ]
        : []),
      ...(microseconds === undefined ? [] : [`${formatNumber(microseconds, 2)} µs per controller${apart}`]),
    ],
  });
}
