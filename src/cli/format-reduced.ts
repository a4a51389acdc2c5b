// SPDX-License-Identifier: MIT
import type { ErrorReport } from '../metric/measure-error.ts';
import type { Report } from '../recipe/report.ts';
import { formatBytes, formatCount, formatMean, formatNumber } from './format-number.ts';
import { unitOf } from './metric-list.ts';
import type { OpenedInput } from './open-input.ts';
import type { MeasuredReduced } from './reduce.ts';
import { formatTable } from './table.ts';

/** What reduce tells people. */
export function formatReduced(report: Report, opened: OpenedInput, measured: MeasuredReduced, output: string): string {
  const { result, seconds, peakMemory, threads } = report;
  const [input] = report.inputs;
  const unit = unitOf('length', opened.asset.metresPerUnit);
  const r = result as Record<string, number>;
  const virtual = result.virtualBones === undefined ? '' : `, ${formatCount(result.virtualBones, 'virtual bone')}`;
  const pruned = r.bones < r.bonesBefore ? `, ${formatCount(r.bones, 'bone')} of ${r.bonesBefore}` : '';
  const pieces = r.pieces > opened.asset.mesh.parts.length ? `, ${formatCount(r.pieces, 'piece')}` : '';
  const head = formatTable([
    [
      'before',
      formatBytes(input.bytes),
      `${input.vertices} vertices, ${formatMean(r.blendsPerVertexBefore, 'weight')} per vertex, ${r.influencesBefore} at most`,
      opened.input,
    ],
    [
      'after',
      formatBytes(report.bytes.file ?? 0),
      `${formatMean(result.blendsPerVertex ?? 0, 'blend')} per vertex, by ${result.method}${virtual}${pruned}${pieces}`,
      output,
    ],
  ]);
  const row = (name: string, error: ErrorReport, note: string) => [
    name,
    formatNumber(error.eRms),
    `${formatNumber(error.rmse)} ${unit}`,
    `${formatNumber(error.max)} ${unit}`,
    `${formatNumber(error.normalDegrees)}°`,
    note,
  ];
  const { clips, error, plain } = measured;
  const table = formatTable(
    [
      ['', 'E_RMS', 'RMSE', 'max', 'normals', 'how far the look moved'],
      ...clips.map((clip) => row(clip.name || 'clip', clip.error, formatCount(clip.error.frameCount, 'frame'))),
      ...(clips.length > 1 ? [row('all', error, formatCount(error.frameCount, 'frame'))] : []),
      ...(plain ? [row('plain skin', plain, 'what other viewers show')] : []),
    ],
    { align: 'lrrrrl' },
  );
  const phases = Object.entries(seconds).map(([phase, value]) => `${phase} ${formatNumber(value, 3)} s`);
  const memory = peakMemory ? `, ${formatBytes(peakMemory)} of memory` : '';
  return `${head}\n${table}\n${phases.join(', ')}; ${formatCount(threads, 'thread')}${memory}`;
}
