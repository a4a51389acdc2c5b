// SPDX-License-Identifier: MIT
// Parts of reports for people that all jobs share.

import { formatBytes, formatCount, formatNumber, formatRatio } from './format-number.ts';
import type { ReportTable } from './job.ts';
import { unitOf } from './metric-list.ts';
import type { Report, ReportInput, ReportMetrics } from './report.ts';

/** What went in and what came out. */
export function describeFiles(report: Report, before: string, after: string): ReportTable {
  const [input] = report.inputs;
  const [file, ...others] = report.files;
  return {
    rows: [
      ['before', formatBytes(input.bytes), before, input.name],
      ['after', formatBytes(file?.bytes ?? 0), after, file?.path ?? ''],
      ...others.map(({ path, bytes }) => ['', formatBytes(bytes), '', path]),
    ],
  };
}

/** "skinned, 6012 vertices". */
export function describeInput({ kind, vertices }: ReportInput): string {
  return `${kind}, ${formatCount(vertices, 'vertex', 'vertices')}`;
}

/** Lengths of a report with their unit. */
export function lengthFormatter({ inputs }: Report): (value: number | undefined) => string {
  const unit = unitOf('length', inputs.find(({ metresPerUnit }) => metresPerUnit !== undefined)?.metresPerUnit);
  return (value) => (value === undefined ? '-' : `${formatNumber(value)} ${unit}`);
}

export function formatPercent(value: number | undefined): string {
  return value !== undefined && Number.isFinite(value) ? `${formatNumber(value)} %` : '-';
}

/** A row of errors, in lengths and as a part of the height. */
export function heightRow(report: Report, name: string, error: ReportMetrics, note: string): string[] {
  const length = lengthFormatter(report);
  return [
    name,
    length(error.rmse),
    formatPercent(error.rmseOfHeight),
    length(error.max),
    formatPercent(error.maxOfHeight),
    formatPercent(error.maxPercent),
    note,
  ];
}

/** The metrics of a written animation, one per row. */
export function describeMetrics(report: Report): string[][] {
  const { metrics, result } = report;
  const length = lengthFormatter(report);
  const between = result.between as { eRms: number; max: number } | undefined;
  const ofDiagonal = (percent: number | undefined) =>
    Number.isFinite(percent) ? `${formatPercent(percent)} of the box diagonal` : 'the rest pose is a point';
  return [
    ['E_RMS', formatNumber(metrics.eRms ?? Number.NaN), ''],
    ['RMSE', length(metrics.rmse), ofDiagonal(metrics.rmsePercent)],
    ['p99', length(metrics.p99), '99 % of all distances are below this'],
    ['max', length(metrics.max), ofDiagonal(metrics.maxPercent)],
    ...(between
      ? [
          [
            'between',
            length(between.max),
            `maximum halfway between frames, as players interpolate; E_RMS ${formatNumber(between.eRms)}`,
          ],
        ]
      : []),
    ['normals', `${formatNumber(metrics.normalDegrees ?? Number.NaN)} degrees`, 'root mean square angle'],
    [
      'distortion',
      `${formatRatio(metrics.distortion ?? Number.NaN)}${Number.isFinite(metrics.distortion) ? ' %' : ''}`,
      'of the motion (Karni-Gotsman)',
    ],
  ];
}

/** The animations of a result, where there are several. */
export function describeClips({ result }: Report): ReportTable[] {
  const clips = (result.clips ?? []) as { name: string; frames: number; metrics: ReportMetrics }[];
  if (clips.length < 2) return [];
  const rows = clips.map(({ name, frames, metrics }) => [
    `"${name}"`,
    formatCount(frames, 'frame'),
    `E_RMS ${formatNumber(metrics.eRms ?? Number.NaN)}`,
    `max ${formatNumber(metrics.max ?? Number.NaN)}`,
  ]);
  return [{ rows }];
}

/** Seconds per phase, threads and memory. */
export function describeWork({ seconds, threads, peakMemory }: Report): string {
  const phases = Object.entries(seconds).map(([phase, value]) => `${phase} ${formatNumber(value, 3)} s`);
  const memory = peakMemory ? `, ${formatBytes(peakMemory)} of memory` : '';
  return `${phases.join(', ')}; ${formatCount(threads, 'thread')}${memory}`;
}
