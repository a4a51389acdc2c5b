// SPDX-License-Identifier: MIT

import type { DdmVariant } from '../../core/model/deformed/direct-delta-mush.ts';
import { count, group, type OptionType, option, type Values } from '../../core/options/option.ts';
import { DDM_EXTENSION, DDM_FIELDS } from '../../deformers/direct-delta-mush/index.ts';
import { measureExtensionBytes } from '../../deformers/layout/index.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { type MeasuredMush, measureMush } from '../../methods/mush/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  formatBytes,
  formatCount,
  formatMean,
  needsSkin,
  READ_OPTIONS,
  type Report,
  type ReportMetrics,
  type ReportResult,
  reportMetricsOf,
  SKINNED_INPUT,
} from '../engine/index.ts';
import { briefErrors, describeModel, type ErrorRow, playerRows, readWritten, reportPlayers } from '../report/index.ts';
import {
  CHARACTER_OUTPUT,
  choosePoses,
  describePoses,
  isGlb,
  measurePlain,
  POSES_STEP,
  playWritten,
  reportPoses,
  settleMotion,
  TAKE_OPTIONS,
} from '../shared/index.ts';
import { MUSH_DEFAULTS, type MushResult, mush } from './mush.ts';
import { checkDdmOptions, DDM_OPTIONS, DDM_STORE_OPTIONS, ddmOptionsOf, smoothingSteps } from './mush-options.ts';

const VARIANTS = [0, 1, 2, 3, 4, 5] as const;

const OPTIONS = {
  ...group('Model options:', {
    variant: option(
      count(0, 5) as OptionType<DdmVariant>,
      'variant of Direct Delta Mush: 0 is the full one, 1 close to Delta Mush, 2 to 5 cheaper (docs/methods/mush)',
      {
        default: MUSH_DEFAULTS.variant,
        form: {
          label: 'Variant',
          note: '0 is the full one, 1 close to Delta Mush, 2 to 5 are cheaper.',
          labels: Object.fromEntries(VARIANTS.map((variant) => [variant, `v${variant}`])),
        },
      },
    ),
    iterations: option(smoothingSteps, 'smoothing steps', {
      default: MUSH_DEFAULTS.iterations,
      form: { label: 'Iterations', note: 'Smoothing steps.', range: [1, 100, 1], isFine: true },
    }),
    ...DDM_OPTIONS,
  }),
  ...POSES_STEP.options,
  ...DDM_STORE_OPTIONS,
  ...TAKE_OPTIONS,
  ...READ_OPTIONS,
  ...COMMON_OPTIONS,
};

export const mushJob = defineJob({
  name: 'mush',
  title: 'Mush',
  summary: 'compute Direct Delta Mush for a skinned model',
  description:
    `Precomputes Direct Delta Mush for a skinned glTF and writes it as ${DDM_EXTENSION} beside a plain skin with four weights per vertex that any viewer shows. ` +
    'Nodes, animations and materials are kept. Measures what was written in the animations, or in poses within joint ranges if there are none.',
  inputs: [SKINNED_INPUT],
  output: CHARACTER_OUTPUT,
  examples: [
    { line: 'mush rig.glb out.glb', does: 'variant 0, smoothed over 12 % of the height' },
    { line: 'mush rig.glb out.glb --quantize --meshopt', does: 'the same in a fraction of the bytes' },
    { line: "mush rig.glb out.glb --lambda '40*_SMOOTH'", does: 'smoothing painted in a vertex attribute' },
    {
      line: 'mush rig.glb out.glb --variant 4 --lambda 20 --kappa 20',
      does: 'a cheaper variant: quaternions about one center',
    },
  ],
  options: OPTIONS,
  refuses: needsSkin(['ddm', 'twoLayer'], 'This file has Direct Delta Mush already.'),
  titleOf: (values: Values) =>
    `Mush v${values.variant}, ${values.lambda === undefined ? `reach ${values.reach ?? MUSH_DEFAULTS.reach}` : `λ ${values.lambda}`}`,
  check: (options) => checkDdmOptions(options, '--iterations'),
  async run(context) {
    const { options, output, signal } = context;
    const opened = await settleMotion(context, await context.open(context.job.inputs[0]));
    const { asset } = opened;
    await context.claim([output]);
    const posed = await choosePoses(context, asset, options);
    const { variant, iterations, threads, quantize } = options;
    const solved = await context.phase('solve', () =>
      mush(posed.asset, {
        ...ddmOptionsOf(options, asset.mesh),
        ...{ variant, iterations, threads, signal, onProgress: context.progress },
      }),
    );
    const bytes = await context.phase('write', () =>
      writeGlb(asset, { kind: 'delta-mush', model: solved.model, skin: solved.skin }, context.storing),
    );
    const written = await context.phase('measure', () => readWritten(bytes));
    const measured = await context.phase('measure', () =>
      measureMush(playWritten(posed, written), posed.asset, solved, { ...context.measuring, threads: threads ?? 0 }),
    );
    const players = await context.phase('measure', () =>
      reportPlayers(context, playWritten(posed, written), listReferences(posed.asset)),
    );
    // other formats than glTF hold the plain skin only
    const error = isGlb(output) ? measured.error : measured.plain;
    return {
      inputs: [opened],
      files: [{ path: output, bytes }],
      metrics: { ...reportMetricsOf(error), ddmVsLbs: measured.lbs.rmseOfHeight },
      result: {
        ...resultOf(solved, measured),
        ...reportPoses(posed, measured.frames),
        ...players,
        quantized: quantize ?? false,
      },
      bytes: { file: bytes.length, ddm: measureExtensionBytes(written, DDM_EXTENSION, DDM_FIELDS) },
      measure: measurePlain(context, posed),
    };
  },
  describe: describeMushed,
});

function resultOf({ model, points, bones }: MushResult, { plain, lbs, drop, frames }: MeasuredMush): ReportResult {
  const { rowStart, boneIndices } = model.multiWeights;
  const vertices = model.mesh.positions.length / 3;
  return {
    variant: model.variant,
    settings: model.settings,
    entries: boneIndices.length,
    entriesPerVertex: boneIndices.length / vertices,
    ...{ points, bones, frames },
    influences: rowStart.reduce((max, start, i, all) => Math.max(max, start - (all[i - 1] ?? 0)), 0),
    blendsPerVertex: boneIndices.length / vertices,
    plain: { influences: MUSH_DEFAULTS.influences, ...briefErrors(reportMetricsOf(plain)) },
    lbs: briefErrors(reportMetricsOf(lbs)),
    dropped: {
      rmse: drop.rms,
      max: drop.max,
      rmseOfHeight: (100 * drop.rms) / plain.height,
      maxOfHeight: (100 * drop.max) / plain.height,
      entriesPerVertexBefore: drop.entriesPerVertexBefore,
    },
  };
}

function describeMushed(report: Report) {
  const { result, bytes, metrics, inputs, options, files } = report;
  const isWhole = isGlb(files[0].path);
  const part = (name: 'plain' | 'lbs' | 'dropped') => result[name] as ReportMetrics;
  const stored = `${formatBytes(bytes.ddm ?? 0)}${options.meshopt ? ' uncompressed' : ''}`;
  return describeModel(report, {
    before: `, ${formatCount(inputs[0].bones, 'bone')}`,
    after: isWhole
      ? `variant ${result.variant}, ${formatMean(Number(result.entriesPerVertex), 'entry', 'entries')} per vertex (${stored})`
      : `plain skin, at most ${formatCount(MUSH_DEFAULTS.influences, 'weight')} per vertex`,
    errors: [
      [
        'written',
        briefErrors(metrics),
        `${describePoses(result)}, ${isWhole ? 'against double precision' : 'the plain skin against variant 0'}`,
      ],
      ['dropped', part('dropped'), 'effect of dropping small entries'],
      ...(isWhole ? [['plain skin', part('plain'), 'what other viewers show, against variant 0'] as ErrorRow] : []),
      ['own skin', part('lbs'), "the input's linear blend skinning, against this model"],
      ...playerRows(result),
    ],
  });
}
