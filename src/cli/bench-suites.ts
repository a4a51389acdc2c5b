// SPDX-License-Identifier: MIT
// The registry of benchmark suites. A suite is a file of this room, bench-<name>.ts, that exports a BenchSuite; it joins by
// one line in the list below.
import { decomposeSuite } from './bench-decompose.ts';
import { kernelsSuite } from './bench-kernels.ts';
import { smaSuite } from './bench-sma.ts';
import type { CommonOptions, Context } from './command.ts';
import type { PageFile } from './decompositions-page.ts';
import type { Machine } from './machine.ts';
import type { Timing } from './time-variants.ts';

export interface BenchOptions extends CommonOptions {
  list?: boolean;
  /** A few cases of each suite. */
  quick?: boolean;
  /** Writes what a suite says for docs/: this file, and its plots beside it. */
  page?: string;
}

/** One measured case: speed, and quality where the case has one (rate against error, never one alone). */
export interface BenchRow {
  case: string;
  /** By the name of the variant, in camel case: several ways to do the same job, or the only one. */
  timings: Record<string, Timing>;
  /** Further numbers by name, in camel case: error, bytes, bones, ratio of two timings. */
  figures?: Record<string, number>;
}

export interface BenchSuite {
  name: string;
  /** One line: what is measured, on what data. */
  description: string;
  run(context: Context<BenchOptions>): Promise<BenchRow[]>;
  /** The rows as a page, and its plots; names are relative to the page's folder. */
  makePage?(rows: readonly BenchRow[], machine: Machine): PageFile[];
}

export const BENCH_SUITES: readonly BenchSuite[] = [kernelsSuite, decomposeSuite, smaSuite];
