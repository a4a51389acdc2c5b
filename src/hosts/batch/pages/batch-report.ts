// SPDX-License-Identifier: MIT

import type { Json } from '../../../core/options/option.ts';
import { formatBytes, formatNumber, makeReport, type Report } from '../../../jobs/engine/index.ts';
import { version } from '../../disk/index.ts';
import type { BatchRow } from '../run-batch.ts';

/** Numbers of jobs by their end. */
export interface BatchCounts {
  jobs: number;
  done: number;
  kept: number;
  failed: number;
  stopped: number;
  /** Jobs whose output does not meet its error limit. */
  gatesMissed: number;
}

export function countRows(rows: readonly BatchRow[]): BatchCounts {
  const count = (status: BatchRow['status']) => rows.filter((row) => row.status === status).length;
  return {
    jobs: rows.length,
    done: count('done'),
    kept: count('kept'),
    failed: count('failed'),
    stopped: count('stopped'),
    gatesMissed: rows.filter(({ gate }) => gate && !gate.isMet).length,
  };
}

/** The row of a job in reports and events: without the hashes of its files. */
export function summarizeRow({ files, resources: _, ...row }: BatchRow): Record<string, unknown> {
  return { ...row, files: files.map(({ path, bytes }) => ({ path, bytes })) };
}

/** The report of a batch: docs/reference/report.md. */
export function makeBatchReport(
  rows: readonly BatchRow[],
  facts: {
    options: Record<string, Json | undefined>;
    seconds: number;
    processes: number;
    threads: number;
    seed: number;
  },
): Report {
  return makeReport({
    version,
    command: 'batch',
    options: facts.options,
    result: { ...countRows(rows), processes: facts.processes, rows: rows.map(summarizeRow) },
    seconds: { jobs: rows.reduce((sum, { status, seconds }) => (status === 'done' ? sum + seconds : sum), 0) },
    totalSeconds: facts.seconds,
    peakMemory: process.resourceUsage().maxRSS * 1024,
    threads: facts.threads,
    seed: facts.seed,
  });
}

/** Largest vertex error relative to its limit or to the size of the model: what orders jobs from worst to best. Failed jobs come first. */
export function badnessOf(row: BatchRow): number {
  if (row.status === 'failed') return Number.POSITIVE_INFINITY;
  if (row.gate) return row.gate.maxError > 0 ? 100 * (row.gate.max / row.gate.maxError) : row.gate.max;
  const percent = row.metrics.maxPercent ?? row.metrics.maxOfHeight ?? row.metrics.rmsePercent;
  return typeof percent === 'number' ? percent : -1;
}

/** Columns of the table and of the page. */
export const BATCH_COLUMNS: readonly {
  title: string;
  isNumber?: boolean;
  text(row: BatchRow): string;
  value?(row: BatchRow): number;
}[] = [
  { title: 'job', text: ({ output, inputs }) => output ?? inputs.join(' ') },
  { title: 'command', text: ({ command }) => command },
  {
    title: 'bones',
    isNumber: true,
    text: (row) => cell(row.result.bones),
    value: (row) => Number(row.result.bones ?? -1),
  },
  {
    title: 'max error',
    isNumber: true,
    text: (row) => cell(row.gate?.max ?? row.metrics.max),
    value: (row) => Number(row.gate?.max ?? row.metrics.max ?? -1),
  },
  {
    title: '% of size',
    isNumber: true,
    text: (row) => cell(row.metrics.maxPercent),
    value: (row) => Number(row.metrics.maxPercent ?? -1),
  },
  {
    title: 'size',
    isNumber: true,
    text: (row) => (row.files.length === 0 ? '' : formatBytes(bytesOf(row))),
    value: bytesOf,
  },
  { title: 'seconds', isNumber: true, text: (row) => cell(row.seconds, 3), value: ({ seconds }) => seconds },
  { title: 'status', text: statusOf },
];

/** What became of a job, in words. */
export function statusOf({ status, gate, error }: BatchRow): string {
  if (status === 'failed') return `failed: ${error ?? ''}`;
  if (status === 'stopped') return 'not done';
  const limit = gate && !gate.isMet ? `, above the limit of ${formatNumber(gate.maxError)}` : '';
  return `${status === 'kept' ? 'done before' : 'done'}${limit}`;
}

function bytesOf({ files }: BatchRow): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function cell(value: Json | undefined, digits = 4): string {
  return typeof value === 'number' && value !== 0 ? formatNumber(value, digits) : value === 0 ? '0' : '';
}
