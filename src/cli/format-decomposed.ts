// SPDX-License-Identifier: MIT
import type { Report } from '../recipe/report.ts';
import { formatBytes, formatCount, formatNumber, formatRatio } from './format-number.ts';
import type { Written } from './measure-written.ts';
import { unitOf } from './metric-list.ts';
import type { OpenedInput } from './open-input.ts';
import { formatTable } from './table.ts';

export interface DecomposedFacts {
  output: string;
  opened: OpenedInput;
  written: Written;
}

/** What a decomposition gave, for people: what went in and came out, how far it is off, and what it took. */
export function formatDecomposed(report: Report, { output, opened, written }: DecomposedFacts): string {
  const { asset } = opened;
  const { error, between, clips } = written;
  const input = report.inputs[0];
  const frames = clips.reduce((sum, clip) => sum + clip.error.frameCount, 0);
  const unit = unitOf('length', asset.metresPerUnit);
  const length = (value: number) => `${formatNumber(value)} ${unit}`;
  const moves = `${formatCount(frames, 'frame')}${clips.length > 1 ? ` in ${clips.length} clips` : ''}`;
  const file = report.bytes.file ?? 0;
  const head = formatTable([
    ['before', formatBytes(input.bytes), `${input.kind}, ${input.vertices} vertices, ${moves}`, opened.input],
    ['after', formatBytes(file), describeModel(report, written), output],
  ]);
  const ofDiagonal = (percent: number) =>
    Number.isFinite(percent) ? `${formatNumber(percent)} % of the box diagonal` : 'the rest pose is a point';
  const rows = [
    ['E_RMS', formatNumber(error.eRms), describeRest(report, error.eRms)],
    ['RMSE', length(error.rmse), ofDiagonal(error.rmsePercent)],
    ['p99', length(error.p99), '99 % of the distances are below this'],
    ['max', length(error.max), ofDiagonal((100 * error.max) / error.diagonal)],
    ...(frames > clips.length
      ? [
          [
            'between',
            length(between.max),
            `max halfway between frames, as it plays; E_RMS ${formatNumber(between.eRms)}`,
          ],
        ]
      : []),
    ...(report.result.eta === undefined
      ? []
      : [
          ['eta', formatNumber(report.result.eta, 3), 'part of the triangles that move with a bone; below 0.5 is poor'],
        ]),
    ['normals', `${formatNumber(error.normalDegrees)} degrees`, 'root mean square angle'],
    [
      'distortion',
      `${formatRatio(error.distortion)}${Number.isFinite(error.distortion) ? ' %' : ''}`,
      'of the motion (Karni-Gotsman)',
    ],
  ];
  return `${head}\n${formatTable(rows)}${clips.length > 1 ? `\n${formatClips(written)}` : ''}\n${formatWork(report)}`;
}

function describeModel({ result }: Report, { bones, influences, blendsPerVertex }: Written): string {
  const keys = Number(result.keys) > 0 ? `, keys within ${formatNumber(Number(result.keys))}` : '';
  const { corrections: one } = result as { corrections?: { rank: number; as: string } };
  const corrections = one
    ? `, ${formatCount(one.rank, 'correction')} as ${one.as === 'morphs' ? 'morph targets' : 'an extension'}`
    : '';
  return `${formatCount(bones, `${result.transforms} bone`)}, ${formatCount(influences, 'influence')} (${formatNumber(blendsPerVertex, 3)} on average)${corrections}${keys}`;
}

function describeRest({ result }: Report, eRms: number): string {
  const [before, gain] = [Number(result.eRmsBeforeRest), Number(result.restGain ?? 0)];
  const { corrections } = result as { corrections?: { eRms: number[] } };
  if (corrections) return `${formatNumber(corrections.eRms[0])} before corrections`;
  if (gain === 0) return 'with the rest pose as it was';
  if (eRms > before) return 'rounding to the file and fewer keys included';
  return `${formatNumber(before)} before the rest pose was corrected (${formatNumber(100 * gain, 2)} % less)`;
}

function formatClips({ clips }: Written): string {
  const rows = clips.map(({ name, error }) => [
    `"${name}"`,
    formatCount(error.frameCount, 'frame'),
    `E_RMS ${formatNumber(error.eRms)}`,
    `max ${formatNumber(error.max)}`,
  ]);
  return formatTable(rows);
}

/** Counts of the methods' work, by their field in the report. */
const WORK: [string, string, string?][] = [
  ['iterations', 'alternation'],
  ['relocations', 'bone moved', 'bones moved'],
  ['reseeds', 'cluster seeded again', 'clusters seeded again'],
];

function formatWork({ result, seconds, peakMemory, threads }: Report): string {
  const counts = WORK.filter(([field]) => result[field] !== undefined).map(([field, ...words]) =>
    formatCount(Number(result[field]), ...words),
  );
  const phases = Object.entries(seconds).map(([phase, value]) => `${phase} ${formatNumber(value, 3)} s`);
  return (
    `${[String(result.status), counts.join(', ')].filter(Boolean).join(': ')}\n` +
    `${phases.join(', ')}; ${formatCount(threads, 'thread')}${peakMemory ? `, ${formatBytes(peakMemory)} of memory` : ''}`
  );
}
