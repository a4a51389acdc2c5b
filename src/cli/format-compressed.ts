// SPDX-License-Identifier: MIT
import type { Report } from '../recipe/report.ts';
import { formatBytes, formatCount, formatMean, formatNumber } from './format-number.ts';
import type { MeasuredCompressed } from './measure-compressed.ts';
import { unitOf } from './metric-list.ts';
import type { OpenedInput } from './open-input.ts';
import type { CommandFacts } from './save-results.ts';
import { formatTable } from './table.ts';

/** A file that compress made, and what is known of it. */
export interface CompressedFile {
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
  facts: Required<CommandFacts>;
  measured: MeasuredCompressed;
  gate?: { maxError: number; max: number; isMet: boolean };
}

/** What compress tells people. */
export function formatCompressed(report: Report, opened: OpenedInput, files: readonly CompressedFile[]): string {
  const { seconds, peakMemory, threads } = report;
  const [input] = report.inputs;
  const unit = unitOf('length', opened.asset.metresPerUnit);
  const { measured, facts: last } = files[files.length - 1];
  const percent = (value: number) => (Number.isFinite(value) ? `${formatNumber(value)} %` : '-');
  const row = (name: string, error: MeasuredCompressed['error'], note: string) => [
    name,
    `${formatNumber(error.rmse)} ${unit}`,
    percent(error.rmseOfHeight),
    `${formatNumber(error.max)} ${unit}`,
    percent(error.maxOfHeight),
    // what --max-error takes percents of
    percent((100 * error.max) / error.diagonal),
    note,
  ];
  const head = formatTable([
    [
      'before',
      formatBytes(input.bytes),
      `${input.kind}, ${input.vertices} vertices, ${formatCount(input.bones, 'bone')}; delta mush takes ${formatBytes(last.bytes.ddm ?? 0)}`,
      opened.input,
    ],
    ...files.map(({ path, facts: { bytes, result } }) => [
      'after',
      formatBytes(bytes.file ?? 0),
      `${formatCount(result.virtualBones ?? 0, 'virtual bone')}, ${formatMean(result.blendsPerVertex ?? 0, 'weight')} per vertex (${formatBytes(bytes.model ?? 0)})`,
      path,
    ]),
  ]);
  const table = formatTable(
    [
      [
        '',
        'RMSE',
        'of height',
        'max',
        'of height',
        'of diagonal',
        `at ${formatCount(measured.frames, 'frame')}, against delta mush`,
      ],
      ...files.map(({ facts: { result, metrics }, measured: { error } }) =>
        row(
          'two layers',
          error,
          `${formatCount(result.virtualBones ?? 0, 'virtual bone')}; fit ${percent(metrics.rmseFitPercent ?? Number.NaN)}, ${result.status}`,
        ),
      ),
      row('plain skin', measured.plain, 'what other viewers show'),
      row('own skin', measured.lbs, "the input's linear blend skinning"),
    ],
    { align: 'lrrrrrl' },
  );
  const phases = Object.entries(seconds).map(([phase, value]) => `${phase} ${formatNumber(value, 3)} s`);
  const memory = peakMemory ? `, ${formatBytes(peakMemory)} of memory` : '';
  return `${head}\n${table}\n${phases.join(', ')}; ${formatCount(threads, 'thread')}${memory}`;
}
