// SPDX-License-Identifier: MIT
// The registry of benchmark suites. A suite is a file of this room, bench-<name>.ts, that exports a BenchSuite; it joins by
// one line in the list below.
import type { Context } from './command.ts';

/** One measured case: speed, and quality where the case has one (rate against error, never one alone). */
export interface BenchRow {
  case: string;
  /** Milliseconds per run: the smallest, and the mean with its standard deviation. */
  least: number;
  mean: number;
  deviation: number;
  runs: number;
  /** Further numbers by name: error, bytes, bones, ratio to the twin. */
  figures?: Record<string, number>;
}

export interface BenchSuite {
  name: string;
  /** One line: what is measured, on what data. */
  description: string;
  run(context: Context): Promise<BenchRow[]>;
}

export const BENCH_SUITES: readonly BenchSuite[] = [];
