// SPDX-License-Identifier: MIT
// Reports for people. All jobs that write a model print the same tables: files, errors, work.

import {
  formatBytes,
  formatCount,
  formatNumber,
  type Report,
  type ReportMetrics,
  type ReportTable,
} from '../engine/index.ts';

/** A row of the table of errors; its name is 'written', 'plain skin' or that of an animation. */
export type ErrorRow = [name: string, errors: ReportMetrics, note: string];

export interface ModelDescription {
  /** Facts about the input besides its kind and size. */
  before: string;
  /** Facts about the output, one text per file. */
  after: string | string[];
  errors: ErrorRow[];
  /** Further lines and tables. */
  more?: (ReportTable | string)[];
}

/** Describes a report of a job that wrote a model. */
export function describeModel(report: Report, { before, after, errors, more = [] }: ModelDescription) {
  const { result, inputs, files } = report;
  const [input] = inputs;
  const texts = typeof after === 'string' ? [after] : after;
  const counts = WORK.filter(([field]) => result[field] !== undefined).map(([field, ...words]) =>
    formatCount(Number(result[field]), ...words),
  );
  return [
    {
      rows: [
        [
          'before',
          formatBytes(input.bytes),
          `${input.kind}, ${formatCount(input.vertices, 'vertex', 'vertices')}${before}`,
          input.name,
        ],
        ...files.map(({ path, bytes }, n) => [
          n < texts.length ? 'after' : '',
          formatBytes(bytes),
          texts[n] ?? '',
          path,
        ]),
      ],
    },
    describeErrors(report, errors),
    ...more,
    [result.status, counts.join(', ')].filter(Boolean).join(': '),
    describeWork(report),
  ].filter((section) => section !== '');
}

/** Labels of counters, by their field in the report. */
const WORK: [string, string, string?][] = [
  ['iterations', 'iteration'],
  ['relocations', 'relocated bone'],
  ['reseeds', 'reseeded cluster'],
];

type Column = [key: keyof ReportMetrics, label: string, unit: '' | '%' | '°' | 'length'];

const COLUMNS: readonly Column[] = [
  ['eRms', 'E_RMS', ''],
  ['alpha', 'alpha', '%'],
  ['rmse', 'RMSE', 'length'],
  ['rmsePercent', 'of size', '%'],
  ['rmseOfHeight', 'of height', '%'],
  ['p99', 'p99', 'length'],
  ['max', 'max', 'length'],
  ['maxPercent', 'of size', '%'],
  ['maxOfHeight', 'of height', '%'],
  ['normalDegrees', 'normals', '°'],
  ['distortion', 'distortion', '%'],
];

/** Errors as a table, with a column for each metric that any row has. Sizes are box diagonals, lengths without a unit are in file units. */
function describeErrors({ inputs }: Report, errors: readonly ErrorRow[]): ReportTable {
  const metresPerUnit = inputs.find((input) => input.metresPerUnit !== undefined)?.metresPerUnit;
  const columns = COLUMNS.filter(([key]) => errors.some(([, metrics]) => Number.isFinite(metrics[key])));
  const cell = (metrics: ReportMetrics, [key, , unit]: Column) => {
    const value = metrics[key] as number | undefined;
    if (value === undefined || !Number.isFinite(value)) return '-';
    const suffix = unit === 'length' ? (metresPerUnit === 1 ? ' m' : '') : unit === '%' ? ' %' : unit;
    return `${formatNumber(value)}${suffix}`;
  };
  return {
    rows: [
      ['', ...columns.map(([, label]) => label), ''],
      ...errors.map(([name, metrics, note]) => [name, ...columns.map((column) => cell(metrics, column)), note]),
    ],
    align: `l${'r'.repeat(columns.length)}l`,
  };
}

/** Without errors relative to the height, which only papers on Direct Delta Mush use. */
export function withoutHeight({ rmseOfHeight: _rmse, maxOfHeight: _max, ...metrics }: ReportMetrics): ReportMetrics {
  return metrics;
}

/** Errors as in the papers on Direct Delta Mush. */
export function briefErrors({ rmse, rmseOfHeight, max, maxOfHeight, maxPercent }: ReportMetrics): ReportMetrics {
  return { rmse, rmseOfHeight, max, maxOfHeight, maxPercent };
}

/** Rows of a written animation: the whole, each clip if there are several, and the error between frames. */
export function animationRows({ metrics, result }: Report, note: string): ErrorRow[] {
  const clips = (result.clips ?? []) as { name: string; frames: number; metrics: ReportMetrics }[];
  const frames = (count: number) => formatCount(count, 'frame');
  const total = clips.reduce((sum, clip) => sum + clip.frames, 0);
  const between = result.between as ReportMetrics | undefined;
  return [
    ['written', withoutHeight(metrics), `${frames(total)}${note === '' ? '' : `; ${note}`}`],
    ...(clips.length < 2
      ? []
      : clips.map((clip): ErrorRow => [`"${clip.name}"`, withoutHeight(clip.metrics), frames(clip.frames)])),
    ...(between ? [['between', between, 'between frames, as players interpolate both files'] as ErrorRow] : []),
  ];
}

/** "4 influences (2.03 on average)". */
export function describeInfluences({ influences = 0, blendsPerVertex = 0 }: Report['result']): string {
  return `${formatCount(influences, 'influence')} (${formatNumber(blendsPerVertex, 3)} on average)`;
}

/** Seconds per phase, threads and memory. */
export function describeWork({ seconds, threads, peakMemory }: Report): string {
  const phases = Object.entries(seconds).map(([phase, value]) => `${phase} ${formatNumber(value, 3)} s`);
  const memory = peakMemory ? `, ${formatBytes(peakMemory)} of memory` : '';
  return `${phases.join(', ')}; ${formatCount(threads, 'thread')}${memory}`;
}
