// SPDX-License-Identifier: MIT

import { UsageError } from '../../core/model/errors.ts';
import { shortName } from '../../core/model/plain-text.ts';
import { count, length, type OptionsOf, option, outputFile } from '../../core/options/option.ts';
import { findMotion, listMotions, type PairOptions } from '../../deformers/playback/index.ts';
import {
  type CompareResult,
  compare,
  type JointReport,
  type MatchedJoints,
  METRICS,
  type SkeletonReport,
  unitOf,
} from '../../measure/index.ts';
import {
  CLIP_OPTIONS,
  COMMON_OPTIONS,
  defineJob,
  formatCount,
  formatNumber,
  formatRatio,
  makeGate,
  type OpenedInput,
  type OutputFile,
  openPlain,
  type Report,
  type ReportMetrics,
  refuseUnread,
  reportMetricsOf,
} from '../engine/index.ts';
import { warnDurations } from '../report/index.ts';
import { POSES_STEP, reportPoses } from '../shared/index.ts';
import { makeComparePage, shownOf } from './compare-page.ts';
import { loadLooks } from './load-looks.ts';
import { poseBoth } from './pose-both.ts';

const OPTIONS = {
  page: option(outputFile, 'also write a self-contained HTML page'),
  pictures: option(count(0, 24), 'number of pictures of the worst frames on the page', { default: 3 }),
  maxError: option(length, 'maximum vertex error: 0.01, 1mm or 0.5%; exit with status 3 if it is exceeded'),
  ...POSES_STEP.options,
  ...CLIP_OPTIONS,
  ...COMMON_OPTIONS,
};

export const compareJob = defineJob({
  name: 'compare',
  title: 'Compare',
  summary: 'measure the distance between two files, as numbers and as a page',
  description:
    'Measures the distance of a result from a reference: any two clips, skinned, morphing or static files with the same vertices. ' +
    'The result is evaluated at the frame times of the reference; several animations are paired by name. Rigs without animations are compared in poses within joint ranges.',
  inputs: [
    { name: 'reference', description: 'the reference' },
    { name: 'result', description: 'what is measured against it' },
  ],
  examples: [
    { line: 'compare rest.obj+motion.pc2 result.glb', does: 'all metrics of docs/reference/metrics.md' },
    {
      line: 'compare a.glb b.glb --page errors.html',
      does: 'a page with the error per frame and pictures of the worst frames',
    },
    {
      line: 'compare a.glb b.glb --max-error 1mm --quiet',
      does: 'a quality gate: status 3 if a vertex is off by more',
    },
  ],
  options: OPTIONS,
  check({ page }, job) {
    if (page === undefined) refuseUnread(job, ['pictures'], 'requires --page');
  },
  async run(context) {
    const { options, signal } = context;
    const [first, second] = context.job.inputs;
    const opened = [await openPlain(context, first), await openPlain(context, second)] as const;
    await context.claim(options.page === undefined ? [] : [options.page]);
    context.name('compare', `${first}, ${second}`);
    checkAnimation(...opened, options.animation);
    const { reference, result, posed } = await poseBoth(context, ...opened);
    const compared = await context.phase('compare', () =>
      compare(reference.asset, result.asset, {
        ...pairOptionsOf(options),
        onProgress: ({ phase, ratio }) => context.progress({ phase, fraction: ratio }),
        signal,
      }),
    );
    const pairs = compared.clips.map(({ pair }) => pair);
    warnDurations(reference.asset, result.asset, pairs, (text) => context.note(text));
    if (!compared.hasSameOrder)
      context.note('the vertices of the second file are in another order; they were matched by position');
    else if (!compared.hasSameTriangles)
      context.note('the two files have different triangles; their vertices are compared by index');
    const files: OutputFile[] = [];
    if (options.page !== undefined) {
      const page = { ...pairOptionsOf(options), pictures: options.pictures };
      const bytes = await context.phase('page', async () => {
        const shown = shownOf(reference, result, compared.order);
        const looks = page.pictures > 0 ? await loadLooks(shown.asset, (text) => context.note(text)) : undefined;
        return makeComparePage(reference, result, compared, { ...page, looks });
      });
      files.push({ path: options.page, bytes });
    }
    const worst = compared.clips[compared.worst];
    // files that can be compared have the same unit; either file may state it
    const metresPerUnit = reference.asset.metresPerUnit ?? result.asset.metresPerUnit;
    const limit = context.limitOf({ mesh: reference.asset.mesh, metresPerUnit });
    return {
      inputs: [reference, result],
      files,
      gate: makeGate(limit, worst.error.max),
      metrics: reportMetricsOf(worst.error),
      result: {
        animation: worst.pair.name,
        points: worst.error.pointCount,
        clips: listClips(compared),
        ...reportPoses(
          posed,
          compared.clips.reduce((sum, { times }) => sum + times.length, 0),
        ),
        ...(compared.joints && { joints: compared.joints }),
      },
    };
  },
  describe: describeComparison,
});

function listClips({ clips }: CompareResult) {
  return clips.map(({ pair, times, error }) => ({
    name: pair.name,
    frames: times.length,
    metrics: reportMetricsOf(error),
  }));
}

/** Frames per second of the comparison: --rate, or --fps if it is not given. */
export function pairOptionsOf(options: OptionsOf<typeof CLIP_OPTIONS> & { maxMemory?: number }): PairOptions {
  const { animation, rate, fps, keys, frames, maxMemory } = options;
  return { animation, rate: rate ?? fps, keys, frames, maxMemory };
}

function checkAnimation(reference: OpenedInput, result: OpenedInput, animation: string | undefined): void {
  if (animation === undefined) return;
  const moving = [reference, result].find(({ asset }) => listMotions(asset).length > 0);
  if (!moving) throw new UsageError(`--animation "${animation}"`, 'neither file has animations');
  findMotion(moving.asset, animation);
}

function describeComparison(report: Report) {
  const { inputs, result } = report;
  const clips = result.clips as { name: string; frames: number; metrics: ReportMetrics }[];
  const head = {
    rows: [
      ['reference', inputs[0].name, inputs[0].kind],
      ['result', inputs[1].name, inputs[1].kind],
    ],
  };
  const metresPerUnit = inputs[0].metresPerUnit ?? inputs[1].metresPerUnit;
  const numberOf = (metrics: ReportMetrics, key: (typeof METRICS)[number]['key']) => metrics[key] ?? Number.NaN;
  const joints = result.joints as JointReport | undefined;
  const more = [
    ...(joints ? [describeJoints(joints)] : []),
    ...(joints?.skeleton ? [describeSkeletons(joints.skeleton)] : []),
    ...report.files.map(({ path }) => `wrote ${path}`),
  ];
  if (clips.length === 1) {
    const [{ name, frames, metrics }] = clips;
    const rows = METRICS.map(({ key, label, unit, note }) => [
      label,
      formatRatio(numberOf(metrics, key)),
      Number.isFinite(numberOf(metrics, key)) ? unitOf(unit, metresPerUnit) : '',
      note,
    ]);
    return [
      head,
      `${inputs[0].vertices} vertices, ${result.points} once welded; ${formatCount(frames, 'frame')} of "${shortName(name)}"`,
      { rows: [['metric', 'value', 'unit', 'meaning'], ...rows], align: 'lrll', hasHeading: true },
      ...more,
    ];
  }
  const rows = clips.map(({ name, frames, metrics }) => [
    `${shortName(name)}${name === result.animation && (metrics.max ?? 0) > 0 ? ' (worst)' : ''}`,
    String(frames),
    ...METRICS.map(({ key }) => formatRatio(numberOf(metrics, key))),
  ]);
  const heading = ['animation', 'frames', ...METRICS.map(({ label }) => label)];
  return [head, { rows: [heading, ...rows], align: `lr${'r'.repeat(METRICS.length)}`, hasHeading: true }, ...more];
}

function describeJoints({ pose, moving, worst, ...joints }: JointReport) {
  const percent = (value: number) => `${formatNumber(value, 3)} %`;
  const where = pose === 'rest' ? 'in the rest pose' : 'mean over all frames';
  const heading = ['moving joints', 'median', 'max', '', 'within 1 %', 'within 3 %', 'within 5 %', ''];
  const row = [
    ...[String(moving), percent(joints.medianPercent), percent(joints.maxPercent), `"${shortName(worst)}"`],
    ...[joints.within1, joints.within3, joints.within5].map(String),
    `of size, to the nearest joint of the result, ${where}`,
  ];
  return { rows: [heading, row], align: 'rrrlrrrl', hasHeading: true };
}

/** How well the skeleton of the result is that of the reference. */
function describeSkeletons(skeleton: SkeletonReport) {
  const ratio = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(2));
  const { recall, recallConnected, precision, precisionConnected, network } = skeleton;
  const counted = (share: MatchedJoints): string => `${Math.round(share.within3 * share.count)} of ${share.count}`;
  const rows = [
    [
      'determined joints found',
      ratio(recall.within3),
      `${counted(recall)} within 3 %, one to one; within 1 %: ${ratio(recall.within1)}`,
    ],
    ['without sliding ones', ratio(recallConnected.within3), counted(recallConnected)],
    [
      'precision',
      ratio(precision.within3),
      `${counted(precision)} joints of the result within 3 % of a joint; within 1 %: ${ratio(precision.within1)}`,
    ],
    ['without released ones', ratio(precisionConnected.within3), counted(precisionConnected)],
    ['parents', ratio(skeleton.parents), `with the best root: ${ratio(skeleton.parentsBestRoot)}`],
    ['symmetry', ratio(skeleton.symmetry), `of the reference: ${ratio(skeleton.referenceSymmetry)}`],
    ['stubs', String(skeleton.stubs), 'leaves with hardly any surface'],
    [
      'CD-J2J',
      formatNumber(skeleton.jointToJoint, 3),
      `joint IoU ${ratio(skeleton.iou)}, of determined joints that do not slide`,
    ],
    [
      'all joints',
      formatNumber(network.jointToJoint, 3),
      `J2B ${formatNumber(network.jointToBone, 3)}, B2B ${formatNumber(network.boneToBone, 3)}, joint IoU ${ratio(network.iou)}`,
    ],
  ];
  return { rows: [['skeleton', 'value', ''], ...rows], align: 'lrl', hasHeading: true };
}
