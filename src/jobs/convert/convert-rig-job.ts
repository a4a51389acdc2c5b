// SPDX-License-Identifier: MIT
// The paths of convert that make helper bones: rigs, sample rigs, and clips with their skeleton.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import { UsageError } from '../../core/model/errors.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { HELPER_EXTENSION, listControllers, writeBlenderDrivers } from '../../deformers/helper-bones/index.ts';
import { addHelperMotion, bakeHelperMotions } from '../../deformers/playback/index.ts';
import { type GlbContent, writeGlb } from '../../formats/gltf/index.ts';
import {
  HELPER_TRANSFORMS,
  HELPERS,
  type HelperTransforms,
  type MeasuredConverted,
  measureConverted,
} from '../../methods/convert/index.ts';
import {
  formatCount,
  formatMean,
  formatNumber,
  type JobContext,
  type JobFacts,
  makeGate,
  makeGoalGate,
  type Report,
  type ReportMetrics,
  type ReportResult,
  readJsonFile,
  reportMetricsOf,
} from '../engine/index.ts';
import { describeModel, type ErrorRow, readWritten, warnStopped, withoutHeight } from '../report/index.ts';
import {
  checkShrinkable,
  describePoses,
  refuseCompact,
  reportSize,
  type ShrunkContent,
  shrinkContent,
} from '../shared/index.ts';
import { type ConvertOptions, type ConvertResult, convert } from './convert.ts';
import type { HelperSource } from './convert-input.ts';
import type { HelperPathOptions, PosedPathOptions } from './convert-paths.ts';
import { type ConvertJobOptions, DEFAULT_POSES } from './convert-steps.ts';
import { listScripts, makeScripts } from './driver-scripts.ts';
import { type AnimatedErrors, measureAnimations, reportAnimations } from './measure-animations.ts';

type Context = JobContext<ConvertJobOptions>;

/** Options of the paths; those of poses are absent for clips. */
type RigJobOptions = HelperPathOptions & Partial<Omit<PosedPathOptions, 'ranges'>> & Pick<ConvertOptions, 'ranges'>;

/** A conversion, and what is written of it. */
interface Converted {
  result: ConvertResult;
  /** The transforms of the helpers that were solved. */
  transforms: HelperTransforms;
  limit?: number;
}

/** Converts a rig or a clip. */
export async function runConvertRig(context: Context, opened: HelperSource, options: RigJobOptions): Promise<JobFacts> {
  const { output } = context;
  checkShrinkable(options, opened.asset);
  if (options.helpers !== 0) refuseCompact(options, HELPER_EXTENSION, ', or --helpers 0');
  await context.claim([output, ...listScripts(output, options)]);
  const converted = await solve(context, opened, options);
  const { result } = converted;
  const { asset, content } = contentOf(opened, result);
  const small = options.for === 'size' ? await shrinkContent(context, opened, asset, content) : undefined;
  const plain = await context.finish('write', () => writeGlb(asset, content, context.storing));
  const bytes = small?.bytes ?? plain;
  // random poses are compared by vertex, and a small file has its vertices in another order
  const measured = await context.finish('measure', () => measure(context, opened, plain, result, options));
  warnStopped(context, result.status);
  const scripts = makeScripts(output, options, {
    controllers: () => listControllers(result.model),
    drivers: (file) => writeBlenderDrivers(result.model, file),
  });
  return {
    inputs: [opened],
    files: [{ path: output, bytes }, ...scripts],
    ...factsOf(opened, converted, measured, small),
    bytes: { file: bytes.length },
    measure: async (file) => {
      const animations = await context.finish('measure', () => measureAnimations(context, opened, file));
      return { result: reportAnimations(animations), ...(animations ? gateOf(converted, animations) : {}) };
    },
  };
}

/** Solves, and adds remarks about what was found. */
async function solve(context: Context, opened: HelperSource, options: RigJobOptions): Promise<Converted> {
  const { for: _for, maxError: _maxError, drivers: _script, controllers: _controllers, ...own } = options;
  const limit = context.limitOf(opened.asset);
  const transforms = own.target === 'dual-quaternion' ? 'rigid' : rigTransforms(own.transforms);
  const edit = own.edit === undefined ? undefined : await readJsonFile(own.edit, 'controllers', context);
  const { motions, drivers } = opened;
  const compute = await context.compute();
  const result = await context.phase('solve', () =>
    convert(opened.source, {
      ...{ ...own, transforms, edit, drivers, motions, maxError: limit },
      ...{ compute, signal: context.signal, onProgress: context.progress },
    }),
  );
  const wanted = own.helpers ?? (limit === undefined ? HELPERS : 0);
  noteOutcome(context, result, edit === undefined ? wanted : 0);
  return { result, transforms, limit };
}

function rigTransforms(kind: string): HelperTransforms {
  const known = HELPER_TRANSFORMS.find((one) => one === kind);
  if (!known) throw new UsageError('--transforms', `helper bones are ${HELPER_TRANSFORMS.join(' or ')}, not ${kind}`);
  return known;
}

/** Errors in poses within ranges, and in the animations. */
interface MeasuredRig extends MeasuredConverted {
  animations?: AnimatedErrors;
}

/** Measures the written file. */
async function measure(
  context: Context,
  opened: HelperSource,
  bytes: Uint8Array,
  result: ConvertResult,
  { poses = DEFAULT_POSES, seed, normals, normalWeights }: RigJobOptions,
): Promise<MeasuredRig> {
  const { signal, progress } = context;
  const written = await readWritten(bytes);
  const animations = await measureAnimations(context, opened, written);
  const measured = await measureConverted(
    written,
    result,
    opened.source.kind === 'clip' ? opened.source.clip : undefined,
    {
      compute: await context.compute(),
      ...{ poses, seed, normals: normals > 0 || normalWeights === true },
      onPose: async (fraction) => {
        progress({ phase: 'measure', fraction, eRms: Number.NaN });
        // an interrupt arrives only between tasks
        await new Promise((resolve) => setTimeout(resolve));
        return signal.aborted && fraction > 0;
      },
    },
  );
  return { ...measured, animations };
}

/** Gate, metrics and result of the report. A small file has those of its own measurement. */
function factsOf(
  opened: HelperSource,
  { result, transforms, limit }: Converted,
  measured: MeasuredRig,
  small: ShrunkContent | undefined,
): Pick<JobFacts, 'gate' | 'metrics' | 'result' | 'options'> {
  const facts = {
    ...resultOf(transforms, result, measured, opened.source.kind === 'clip'),
    ...reportAnimations(measured.animations),
    ...inputsOf(opened, result),
  };
  const options = { transforms };
  if (small)
    return {
      gate: makeGoalGate(small.goal, small.written),
      metrics: reportMetricsOf(small.written.error),
      result: {
        ...facts,
        ...reportAnimations(measured.animations && { ...measured.animations, ...small.written }),
        ...reportSize(small),
      },
      options,
    };
  const tried = result.tried.find((one) => one.helpers === result.model.controllers.length);
  return {
    gate: makeGate(limit, tried?.max ?? measured.error.max),
    ...(measured.animations ? gateOf({ limit }, measured.animations) : {}),
    metrics: metricsOf(measured, measureBounds(opened.asset.mesh.positions).diagonal),
    result: facts,
    options,
  };
}

/** The gate in animations: what is printed, at frames and between them. */
const gateOf = ({ limit }: Pick<Converted, 'limit'>, animations: AnimatedErrors): Pick<JobFacts, 'gate'> => ({
  gate: makeGoalGate(limit === undefined ? undefined : { kind: 'max', limit }, animations),
});

/** Remarks about joints without effect and about the number of helpers. */
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
function contentOf(opened: HelperSource, { model, bones }: ConvertResult): { asset: Asset; content: GlbContent } {
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

function resultOf(
  transforms: HelperTransforms,
  result: ConvertResult,
  measured: MeasuredConverted,
  isClip: boolean,
): ReportResult {
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
    poses: isClip ? 'animations' : 'ranges',
    poseCount: measured.error.poses,
    idle: result.idle,
    controllers: result.helpers,
    training: result.rmse,
    ...(lbs ? { lbs: { alpha: lbs.alpha, rmse: lbs.rmse, max: lbs.max } } : {}),
    ...(baked === undefined ? {} : { baked }),
    ...(controllerMicroseconds === undefined ? {} : { controllerMicroseconds }),
    ...(result.tried.length > 0 ? { tried: result.tried } : {}),
  };
}

const animationsRow = (animations: ReportMetrics & { frames: number }): ErrorRow => [
  'in animations',
  withoutHeight(animations),
  `${formatCount(animations.frames, 'frame')}, against the input`,
];

/** The parameters that were offered to the controllers, and the helpers that read each. */
function inputsOf({ inputs }: HelperSource, { helpers }: ConvertResult): Pick<ReportResult, string> {
  if (!inputs || inputs.length === 0) return {};
  const readBy = (name: string): string[] =>
    helpers.filter(({ joints }) => joints.includes(name)).map((helper) => helper.name);
  return { inputs: inputs.map((input) => ({ ...input, readBy: readBy(input.name) })) };
}

/** Describes a report of a conversion to helper bones. */
export function describeConverted(report: Report) {
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
      ['converted', metrics, `${describePoses(result)}, against the source`],
      ...(result.animations ? [animationsRow(result.animations as ReportMetrics & { frames: number })] : []),
      ...(result.between
        ? [
            [
              'between',
              result.between as ReportMetrics,
              'between frames, as players interpolate both files',
            ] as ErrorRow,
          ]
        : []),
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
