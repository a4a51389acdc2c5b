// SPDX-License-Identifier: MIT

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { measureTwoLayerBytes, virtualBoneCountOf } from '../../core/model/deformed/two-layer.ts';
import { UsageError } from '../../core/model/errors.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { checkMaxError } from '../../core/options/length.ts';
import {
  choice,
  count,
  file,
  flagOf,
  group,
  length,
  list,
  notNegative,
  numberFrom,
  type OptionsOf,
  option,
  orWord,
  type Values,
  withoutForms,
} from '../../core/options/option.ts';
import { TWO_LAYER_EXTENSION } from '../../deformers/two-layer/index.ts';
import type { DistanceNorm } from '../../fit/norm/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { type MeasuredCompressed, measureCompressed } from '../../methods/compress/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  formatBytes,
  formatCount,
  formatMean,
  formatNumber,
  type JobContext,
  type JobFacts,
  makeGate,
  makeGoalGate,
  needsSkin,
  type OpenedInput,
  type OutputFile,
  READ_OPTIONS,
  type Report,
  type ReportMetrics,
  type ReportResult,
  reportMetricsOf,
} from '../engine/index.ts';
import {
  checkDdmOptions,
  DDM_OPTIONS,
  DDM_STORE_OPTIONS,
  ddmOptionsOf,
  MUSH_DEFAULTS,
  smoothingSteps,
} from '../mush/index.ts';
import { readRangesOption } from '../reduce/index.ts';
import { briefErrors, describeModel, type ErrorRow, readWritten, warnDropped, warnStopped } from '../report/index.ts';
import {
  CHARACTER_OUTPUT,
  checkShrinkable,
  checkSmallOptions,
  isGlb,
  refuseCompact,
  reportSize,
  SMALL_OPTIONS,
  shrinkContent,
  solverLimit,
} from '../shared/index.ts';
import { COMPRESS_DEFAULTS, type CompressAssetResult, makeAssetCompressor, makeAssetDdm } from './compress.ts';

const D = COMPRESS_DEFAULTS;

/** Options of Direct Delta Mush, for files that have none. The studio does not offer them, since it has mush. */
const MUSH = group('Direct Delta Mush options, where the file has none:', {
  smoothing: option(smoothingSteps, 'smoothing steps', { default: MUSH_DEFAULTS.iterations }),
  ...withoutForms(DDM_OPTIONS),
});

const OPTIONS = {
  ...group('Compression options:', {
    virtualBones: option(
      list(count(1, 65_535), '<n>'),
      `number of virtual bones, or several for several files: 100,200,500 (default: ${D.virtualBones} without --max-error)`,
      {
        form: {
          label: 'Virtual bones',
          note: 'Bones between the skeleton and the skin.',
          range: [2, 1000, 1],
          isLog: true,
        },
        defaultFor: ({ maxError }) => (maxError === undefined ? [D.virtualBones] : undefined),
      },
    ),
    maxError: option(
      length,
      'maximum distance of a vertex from Direct Delta Mush in the animations: 0.01, 2mm or 0.5%. Without --virtual-bones: find the fewest that meet it. ' +
        'With --virtual-bones: exit with status 3 if it is exceeded',
    ),
    influences: option(count(1, 64), `maximum virtual bones per vertex (default: ${D.influences})`, {
      defaultFor: () => D.influences,
      form: { label: 'Influences', note: 'Maximum virtual bones per vertex.', range: [1, 16, 1] },
    }),
    ranges: option(
      file,
      'ranges of joint rotations: a JSON file of degrees by bone name, auto (from the animations), or limits (joint limits of the file)',
      {
        default: D.ranges as string,
        defaultText: '30° for hips and spine, 120° for others',
        form: {
          label: 'Ranges of motion',
          note: 'Joint rotations to preserve: the ranges of the paper, or those of the animations.',
          labels: { default: 'Paper', auto: 'Animations' },
        },
      },
    ),
    objective: option(
      choice(['nonlinear', 'linear']),
      "what is minimized: the true error, or the paper's linear form",
      {
        default: D.objective,
        form: {
          label: 'Objective',
          note: "What is minimized: the true error, or the paper's linear form.",
          labels: { nonlinear: 'True', linear: 'Linear' },
          isFine: true,
        },
      },
    ),
    iterations: option(count(0, 1000), 'maximum iterations of weights and multi-weights', {
      default: D.iterations,
      form: { label: 'Iterations', range: [0, 64, 1], isFine: true },
    }),
    examples: option(
      notNegative('<weight>'),
      'weight of animation frames relative to generated poses; 1 weights both about equally',
      {
        default: D.examples,
      },
    ),
    norm: option(
      orWord(['max'], numberFrom(1, 8, '<p>')),
      'norm of vertex errors that is lowered: 1 to 8, or max for the largest error',
      { default: D.norm as DistanceNorm },
    ),
    smoothness: option(
      notNegative('<weight>'),
      'regularization of weights between neighbours (linear objective only; the paper uses 0.01)',
      {
        default: D.smoothness,
      },
    ),
  }),
  ...MUSH,
  ...SMALL_OPTIONS,
  ...DDM_STORE_OPTIONS,
  ...READ_OPTIONS,
  ...COMMON_OPTIONS,
};

type Context = JobContext<OptionsOf<typeof OPTIONS>>;

export const compressJob = defineJob({
  name: 'compress',
  title: 'Compress',
  summary: 'compress Direct Delta Mush into virtual bones and sparse weights',
  description:
    'Compresses Direct Delta Mush, that of the file or one computed here, into a few virtual bones that the skeleton moves and plain weights on those. Writes ' +
    `${TWO_LAYER_EXTENSION} beside a plain skin with four weights per vertex that any viewer shows. Measures what was written at the poses of the animations.`,
  inputs: [
    { name: 'input', description: 'a skinned .glb, .gltf, .fbx or USD file, with or without Direct Delta Mush' },
  ],
  output: {
    ...CHARACTER_OUTPUT,
    description: `${CHARACTER_OUTPUT.description}; with several numbers of virtual bones, out-100.glb and so on`,
  },
  examples: [
    { line: 'compress rig.glb out.glb', does: `${D.virtualBones} virtual bones` },
    {
      line: 'compress rig.glb out.glb --virtual-bones 100,200,500',
      does: 'three files: out-100.glb, out-200.glb, out-500.glb',
    },
    { line: 'compress rig.glb out.glb --max-error 5mm', does: 'the fewest virtual bones that meet the error' },
    { line: 'compress rig.glb out.glb --ranges auto --quantize', does: 'for the animations of the file, in 16 bits' },
  ],
  options: OPTIONS,
  isStoppable: true,
  refuses: needsSkin(['twoLayer'], 'This file is compressed already.'),
  titleOf: (values: Values) =>
    `Two layers, ${formatCount(Number(values.virtualBones ?? D.virtualBones), 'virtual bone')}`,
  check: checkOptions,
  async run(context) {
    const { options, output, signal } = context;
    const opened = await context.open(context.job.inputs[0]);
    checkShrinkable(context.options, opened.asset);
    const { asset } = opened;
    checkMushOptions(context, opened);
    const ranges = await readRangesOption(options.ranges, context);
    const { diagonal } = measureBounds(asset.mesh.positions);
    const limit = context.limitOf(asset);
    const counts: (number | undefined)[] = options.virtualBones ?? [undefined];
    const paths = counts.map((virtualBones) =>
      counts.length > 1 ? output.replace(/\.glb$/i, `-${virtualBones}$&`) : output,
    );
    await context.claim(paths);
    warnDropped(context, asset);
    const ddm = await context.phase(
      'mush',
      () =>
        asset.ddm ??
        makeAssetDdm(asset, {
          ...ddmOptionsOf(options, asset.mesh),
          ...{ iterations: options.smoothing, threads: options.threads, signal, onProgress: context.progress },
        }),
    );
    const { influences, objective, iterations, examples, norm, smoothness, seed } = options;
    const compressor = await context.phase('solve', () =>
      makeAssetCompressor(
        { ...asset, ddm },
        {
          maxError: limit && solverLimit(limit, diagonal, { isQuantized: options.quantize }),
          ...{ influences, objective, iterations, examples, norm, smoothness, ranges, seed, signal },
        },
      ),
    );
    const made: Made[] = [];
    for (const [n, virtualBones] of counts.entries()) {
      if (n > 0 && signal.aborted) break;
      const solved = await context.phase('solve', () =>
        compressor.compress({
          virtualBones,
          onProgress: (info) => context.progress({ ...info, fraction: (n + info.fraction) / counts.length }),
        }),
      );
      if (solved.status === 'stalled')
        context.note(`no number of virtual bones meets the error; writing ${virtualBoneCountOf(solved.model)}`);
      made.push(await writeOne(context, opened, solved, paths[n], limit));
    }
    warnStopped(context);
    const last = made[made.length - 1];
    const ladder = made.map(({ facts, file: { path } }) => ({ path, ...facts }));
    return {
      inputs: [opened],
      files: made.map(({ file }) => file),
      gate: made.map(({ gate }) => gate).find((gate) => gate && !gate.isMet) ?? last.gate,
      ...last.facts,
      result: { ...last.facts.result, ...(made.length > 1 ? { ladder } : {}) },
    };
  },
  describe: describeCompressed,
});

function checkOptions(options: OptionsOf<typeof OPTIONS>, { output }: { output?: string }): void {
  checkSmallOptions(options, output);
  refuseCompact(options, TWO_LAYER_EXTENSION);
  const { virtualBones, influences, maxError, objective } = options;
  if (virtualBones && (virtualBones.length === 0 || new Set(virtualBones).size < virtualBones.length))
    throw new UsageError('--virtual-bones', 'give each number once');
  checkMaxError(maxError, 'compression');
  checkDdmOptions(options, '--smoothing');
  if (objective === 'linear' && options.examples > 0)
    throw new UsageError('--examples', 'requires --objective nonlinear');
  if (objective === 'linear' && options.norm !== 2)
    throw new UsageError('--norm', 'other than 2 requires --objective nonlinear');
  if (objective === 'nonlinear' && options.smoothness > 0)
    throw new UsageError('--smoothness', 'requires --objective linear');
  const min = virtualBones && Math.min(...virtualBones);
  if (min !== undefined && influences !== undefined && influences > min)
    throw new UsageError('--influences', `${influences} per vertex are more than ${formatCount(min, 'virtual bone')}`);
}

/** Throws if options of Direct Delta Mush are given for a file that already has it. */
function checkMushOptions(context: Context, { input, asset: { ddm } }: OpenedInput): void {
  const key = ddm && Object.keys(MUSH).find((one) => context.isGiven(one));
  if (key !== undefined)
    throw new UsageError(
      flagOf(key),
      `${input} has Direct Delta Mush already; leave the option out, or start from the rig that it was made of`,
    );
}

interface Made {
  file: OutputFile;
  facts: Pick<JobFacts, 'metrics' | 'bytes'> & { result: ReportResult };
  gate: JobFacts['gate'];
}

async function writeOne(
  context: Context,
  { asset, input }: OpenedInput,
  solved: CompressAssetResult,
  path: string,
  limit: number | undefined,
): Promise<Made> {
  const content = { kind: 'two-layer', model: solved.model, skin: solved.skin } as const;
  const reference = { input, asset: { ...asset, ddm: solved.ddm } };
  const small = context.options.for === 'size' ? await shrinkContent(context, reference, asset, content) : undefined;
  const plain = await context.finish('write', () => writeGlb(asset, content, context.storing));
  const bytes = small?.bytes ?? plain;
  const measured = await context.finish('measure', async () =>
    measureCompressed(await readWritten(bytes), asset, solved.ddm, context.measuring),
  );
  // other formats than glTF hold the plain skin only
  const error = isGlb(path) ? measured.error : measured.plain;
  const entries = solved.ddm.multiWeights.boneIndices.length;
  const vertices = asset.mesh.positions.length / 3;
  const ddmBytes = { float32: 44 * entries + 4 * vertices, float64: 84 * entries + 4 * vertices };
  return {
    file: { path, bytes },
    gate: small ? makeGoalGate(small.goal, small.written) : makeGate(limit, error.max),
    facts: {
      metrics: {
        ...reportMetricsOf(error),
        rmseFit: solved.rmseFit,
        rmseFitPercent: percentOf(solved.rmseFit, error.height),
        ddmVsLbs: measured.lbs.rmseOfHeight,
      },
      result: { ...resultOf(context.options, solved, measured), ddmBytes, ...(small ? reportSize(small) : {}) },
      bytes: { file: bytes.length, model: measureTwoLayerBytes(solved.model).total, ddm: ddmBytes.float32 },
    },
  };
}

/** No error is 0 %, also of a mesh without height. */
function percentOf(error: number, height: number): number {
  return error === 0 ? 0 : (100 * error) / height;
}

function resultOf(
  options: Context['options'],
  solved: CompressAssetResult,
  measured: MeasuredCompressed,
): ReportResult {
  const { model, iterations, status, ddm } = solved;
  const { error, plain, lbs } = measured;
  const { virtualBones, skin } = model;
  const boneCount = virtualBoneCountOf(model);
  const percent = (value: number) => percentOf(value, error.height);
  return {
    virtualBones: boneCount,
    influences: maxInfluencesOf(skin),
    blendsPerVertex: skin.weights.length / (skin.rowStart.length - 1),
    bones: new Set(virtualBones.boneIndices).size,
    entriesPerVirtualBone: virtualBones.boneIndices.length / boneCount,
    ...{ iterations, status, objective: options.objective },
    ...{ examples: options.examples, norm: options.norm, smoothness: options.smoothness },
    fit: {
      rmseFit: solved.rmseFit,
      rmseFitPercent: percent(solved.rmseFit),
      rmseFitUndivided: solved.rmseFitUndivided,
      rmseFitUndividedPercent: percent(solved.rmseFitUndivided),
      objective: solved.objective,
      objectivePercent: percent(solved.objective),
      history: solved.history,
    },
    frames: measured.frames,
    quantized: options.quantize ?? false,
    ddm: {
      settings: ddm.settings,
      entriesPerVertex: ddm.multiWeights.boneIndices.length / (ddm.multiWeights.rowStart.length - 1),
    },
    plain: { influences: MUSH_DEFAULTS.influences, ...briefErrors(reportMetricsOf(plain)) },
    lbs: briefErrors(reportMetricsOf(lbs)),
    ...(solved.tried.length > 0 ? { tried: solved.tried } : {}),
  };
}

function describeCompressed(report: Report) {
  const { result, bytes, inputs, files } = report;
  const isWhole = isGlb(files[0].path);
  type Rung = Pick<Report, 'result' | 'metrics' | 'bytes'>;
  const rungs = (result.ladder as Rung[] | undefined) ?? [report];
  const bonesOf = (rung: Rung) => formatCount(rung.result.virtualBones ?? 0, 'virtual bone');
  return describeModel(report, {
    before: `, ${formatCount(inputs[0].bones, 'bone')}; Direct Delta Mush takes ${formatBytes(bytes.ddm ?? 0)}`,
    after: rungs.map((rung) =>
      !isWhole
        ? `plain skin, at most ${formatCount(MUSH_DEFAULTS.influences, 'weight')} per vertex`
        : `${bonesOf(rung)}, ${formatMean(rung.result.blendsPerVertex ?? 0, 'weight')} per vertex (${formatBytes(rung.bytes.model ?? 0)})`,
    ),
    errors: [
      ...rungs.map((rung): ErrorRow => {
        const { rmseFitPercent = Number.NaN } = rung.metrics;
        const fit = Number.isFinite(rmseFitPercent) ? `fit ${formatNumber(rmseFitPercent)} %, ` : '';
        const name = isWhole ? 'two layers' : 'plain skin';
        return [
          name,
          briefErrors(rung.metrics),
          `${isWhole ? '' : 'of '}${bonesOf(rung)}; ${fit}${rung.result.status}`,
        ];
      }),
      ...(isWhole ? [['plain skin', result.plain as ReportMetrics, 'what other viewers show'] as ErrorRow] : []),
      ['own skin', result.lbs as ReportMetrics, "the input's linear blend skinning"],
    ],
    more: [`at ${formatCount(Number(result.frames), 'frame')}, against Direct Delta Mush`],
  });
}
