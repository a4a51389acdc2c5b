// SPDX-License-Identifier: MIT
import type { Machine } from '../../src/hosts/cli/index.ts';
import type { Timing } from './time-variants.ts';

/** What a suite runs with. */
export interface BenchContext {
  /** Only a few cases. */
  quick: boolean;
  /** Only the published tables. */
  published: boolean;
  /** Names of rows: other rows of published tables are not measured. Empty: all are. */
  only: readonly string[];
  /** The page that will be written, where one is wanted. */
  page?: string;
  /** File of the suite's results (result-store.ts): values in it are not measured again, new ones are added. */
  results?: string;
  /** Milliseconds of performance.now() after which nothing more is measured. Default: no limit. */
  deadline?: number;
  threads?: number;
  seed: number;
  signal: AbortSignal;
  note(text: string): void;
  onProgress(progress: { phase: string; fraction: number }): void;
}

/** One measured case: speed, and quality where the case has one (rate against error, never one alone). */
export interface BenchRow {
  case: string;
  /** By the name of the variant, in camel case: several ways to do the same job, or the only one. */
  timings: Record<string, Timing>;
  /** Further numbers by name, in camel case: error, bytes, bones, ratio of two timings. */
  figures?: Record<string, number>;
  /** Where the row stands in a table of methods. */
  table?: { data: string; method: string };
  /** A line of a plot. */
  curve?: { label: string; x: number[]; y: number[] };
  /** A row of a published table, beside what was measured here. */
  paper?: PaperRowResult;
  /** Where and when its numbers were measured. */
  measured?: Circumstances[];
}

/** What a measured time depends on, besides the code. */
export interface Circumstances {
  date: string;
  machine: string;
  cores: number;
  /** Load average of the minute before the run. */
  load: number;
  threads?: number;
}

/** A row of a published table with both values of each column. */
export interface PaperRowResult {
  /** Document and number of the table: 'Course, Table 1'. */
  table: string;
  /** What the numbers are. */
  caption: string;
  row: string;
  cells: { column: string; published?: number; ours?: number }[];
  /** Significant digits of its numbers. Default: 3. */
  digits?: number;
  /** The commands of the row, as a user would type them. */
  commands: string[];
}

/** A file of a page; names are relative to the page's folder. */
export interface PageFile {
  name: string;
  /** Text, or the bytes of a picture. */
  text: string | Uint8Array;
}

export interface BenchSuite {
  name: string;
  /** One line: what is measured, on what data. */
  description: string;
  run(context: BenchContext): Promise<BenchRow[]>;
  /** The rows as a page, and its plots. */
  makePage?(rows: readonly BenchRow[], machine: Machine): PageFile[] | Promise<PageFile[]>;
}
