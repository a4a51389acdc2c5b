// SPDX-License-Identifier: MIT
// For tests: a report with what differs from run to run as zero, as docs/reference/reports/ has one of each command.
import type { Report } from '../src/jobs/engine/report/report.ts';

/** Times of a result. */
const TIMES = /^(trace|factor|controllerMicroseconds)$/;

/** Facts of the machine and the run. */
const RUN = /^(seconds|peakMemory|load|cores|least|mean|deviation|runs|processes)$/;

/** Rounding errors are none. */
const settleNumber = (value: number): number => (Math.abs(value) < 1e-5 ? 0 : Number(value.toPrecision(3)));

/**
 * The text of a report: numbers to three digits, and names of files without their folder.
 * @param isRun numbers of all rows are of the machine or the run, as those of bench and batch
 */
export function settleReport(report: Report, folder: string, isRun = false): string {
  const own = { ...report, ossify: 'version', peakMemory: 0 };
  const text = JSON.stringify(
    { ...own, seconds: Object.fromEntries(Object.keys(report.seconds).map((phase) => [phase, 0])) },
    (key, value: unknown) => {
      if (isRun && /^(id|cpu|node|system|threads)$/.test(key)) return key;
      if (typeof value !== 'number') return value;
      return TIMES.test(key) || (isRun && RUN.test(key)) ? 0 : settleNumber(value);
    },
    2,
  );
  return `${text.replaceAll(`${folder}/`, '')}\n`;
}
