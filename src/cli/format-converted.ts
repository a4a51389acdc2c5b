// SPDX-License-Identifier: MIT
import type { ConvertResult } from '../recipe/convert.ts';
import type { Report } from '../recipe/report.ts';
import type { ConversionError } from '../rig/measure-conversion.ts';
import { formatBytes, formatCount, formatMean, formatNumber } from './format-number.ts';
import type { MeasuredConverted } from './measure-converted.ts';
import { unitOf } from './metric-list.ts';
import type { OpenedInput } from './open-input.ts';
import { formatTable } from './table.ts';
import type { OutputFile } from './write-output.ts';

/** What convert tells people. */
export function formatConverted(
  report: Report,
  opened: OpenedInput,
  result: ConvertResult,
  measured: MeasuredConverted,
  files: readonly OutputFile[],
): string {
  const { bytes, seconds, peakMemory, threads } = report;
  const unit = unitOf('length', opened.asset.metresPerUnit);
  const { error, lbs, baked, controllerMicroseconds } = measured;
  const row = (name: string, { alpha, rmse, max }: ConversionError, note: string) => [
    name,
    `${formatNumber(alpha, 3)} %`,
    `${formatNumber(rmse)} ${unit}`,
    `${formatNumber(max)} ${unit}`,
    note,
  ];
  const [input] = report.inputs;
  const head = formatTable([
    [
      'before',
      formatBytes(input.bytes),
      `${input.vertices} vertices, ${formatCount(jointsOf(result), 'joint')}`,
      opened.input,
    ],
    [
      'after',
      formatBytes(bytes.file ?? 0),
      `${formatCount(result.model.controllers.length, 'helper')}, ${formatMean(report.result.blendsPerVertex ?? 0, 'weight')} per vertex`,
      files.map(({ path }) => path).join(', '),
    ],
  ]);
  const table = formatTable(
    [
      ['', 'alpha', 'RMSE', 'max', `at ${formatCount(error.poses, 'pose')}, against the source`],
      row(
        'converted',
        error,
        `${formatCount(result.poses, 'training pose')}, ${formatCount(result.evaluations, 'evaluation')}`,
      ),
      ...(lbs ? [row('own skin', lbs, "the input's weights as linear blend skinning")] : []),
    ],
    { align: 'lrrrl' },
  );
  const helpers = result.helpers.map(({ name, parent, joints, terms }) => [
    name,
    `on ${parent}`,
    `reads ${joints.join(', ') || 'nothing'}`,
    formatCount(terms, 'coefficient'),
  ]);
  const lines = [head, table];
  if (helpers.length > 0) lines.push(formatTable(helpers));
  if (controllerMicroseconds !== undefined) {
    const apart = baked === undefined ? '' : `; keys and controllers are ${formatNumber(baked, 2)} of the size apart`;
    lines.push(`${formatNumber(controllerMicroseconds, 2)} µs per controller${apart}\n`);
  }
  const phases = Object.entries(seconds).map(([phase, value]) => `${phase} ${formatNumber(value, 3)} s`);
  const memory = peakMemory ? `, ${formatBytes(peakMemory)} of memory` : '';
  return `${lines.join('\n')}${phases.join(', ')}; ${formatCount(threads, 'thread')}${memory}`;
}

function jointsOf({ model }: ConvertResult): number {
  return model.skeleton.names.length - model.controllers.length;
}
