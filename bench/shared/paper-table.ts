// SPDX-License-Identifier: MIT
// Published tables beside ours: each cell is a command line and the place of its number in the report.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { encodeSample, type Report } from '../../src/entry/index.ts';
import { makeSample, type SampleOptions } from '../../src/entry/sample.ts';
import { writeOutputs } from '../../src/hosts/disk/index.ts';
import type { BenchContext, BenchRow, Circumstances } from './bench-suite.ts';
import { isRowWanted } from './is-row-wanted.ts';
import { ResultStore } from './result-store.ts';
import { runOssify } from './run-ossify.ts';

/** One number: as published, and how to measure it here. */
export interface PaperCell {
  published?: number;
  /**
   * Commands, the last of which is read. A word IN is the input of the row, words such as OUT.glb are files of their own; a line that ran before is not
   * repeated, and its files are still there. Absent: the document has the number and we have nothing to measure it with.
   */
  lines?: readonly (readonly string[])[];
  /** The number in the report of the last command; NaN leaves the cell empty. */
  read?(report: Report): number;
}

export interface PaperRow {
  name: string;
  /** The input of the commands. Without it the row has only published numbers. */
  input?: PaperInput;
  cells: Readonly<Record<string, PaperCell>>;
}

/** A file, or a sample that is written first. */
export type PaperInput =
  | { kind: 'file'; path: string }
  | { kind: 'sample'; sample: string; as: 'glb' | 'pc2'; options?: SampleOptions }
  | { kind: 'word'; word: string };

export interface PaperTable {
  /** Document and number: 'Course, Table 1'. */
  name: string;
  caption: string;
  columns: readonly string[];
  /** Columns that take long: they are measured last. */
  slow?: readonly string[];
  rows: readonly PaperRow[];
}

/** Words that are files of a row. */
const OWN_FILE = /^[A-Z][A-Z0-9]*\.(abc|glb)$/;

/** Measures all tables. A cell whose command fails is empty, and a note says why. */
export async function runPaperTables(context: BenchContext, tables: readonly PaperTable[]): Promise<BenchRow[]> {
  const work = await mkdtemp(join(tmpdir(), 'ossify-paper-'));
  const runner = new LineRunner(context, work);
  const store = await ResultStore.open(context);
  const rows: BenchRow[] = [];
  const count = tables.reduce((sum, table) => sum + table.rows.length, 0);
  try {
    for (const table of tables) {
      for (const row of table.rows) {
        context.signal.throwIfAborted();
        context.onProgress({ phase: `${table.name}, ${row.name}`, fraction: rows.length / count });
        rows.push(await runRow(context, runner, store, table, row));
      }
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return rows;
}

async function runRow(
  context: BenchContext,
  runner: LineRunner,
  store: ResultStore,
  table: PaperTable,
  row: PaperRow,
): Promise<BenchRow> {
  const isWanted = isRowWanted(context, row.name);
  const found = new Map<string, number>();
  const commands = new Set<string>();
  const measured: Circumstances[] = [];
  let milliseconds = 0;
  const { slow = [] } = table;
  for (const column of [...table.columns.filter((one) => !slow.includes(one)), ...slow]) {
    const { lines, read } = row.cells[column] ?? {};
    if (lines && read && row.input !== undefined && isWanted) {
      const { input } = row;
      const place = `${table.name}, ${row.name}, ${column}`;
      try {
        const taken = await store.take(place, async (signal) => {
          const word = await runner.place(input);
          if (word === undefined) throw new Error(`${nameOf(input)} is not there`);
          return read(await runner.run(lines, word, signal));
        });
        if (taken) {
          for (const line of lines) commands.add(spellLine(line, input));
          // JSON has no NaN
          if (Number.isFinite(taken.value)) found.set(column, taken.value);
          measured.push(taken.measured);
          milliseconds += taken.milliseconds;
        }
      } catch (error) {
        context.signal.throwIfAborted();
        context.note(`${place}: ${(error as Error).message.split('\n')[0]}`);
      }
    }
  }
  const cells = table.columns.map((column) => ({
    column,
    published: row.cells[column]?.published,
    ours: found.get(column),
  }));
  return {
    case: `${table.name}, ${row.name}`,
    timings: { commands: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
    figures: Object.fromEntries(cells.flatMap(({ column, ours }) => (ours === undefined ? [] : [[column, ours]]))),
    paper: { table: table.name, caption: table.caption, row: row.name, cells, commands: [...commands] },
    measured,
  };
}

/** Runs lines once each; later cells reuse their reports and files. */
class LineRunner {
  readonly #context: BenchContext;
  readonly #work: string;
  readonly #reports = new Map<string, Report>();

  constructor(context: BenchContext, work: string) {
    this.#context = context;
    this.#work = work;
  }

  /** The input word of a row; undefined for a file that is not there. */
  async place(input: PaperInput): Promise<string | undefined> {
    if (input.kind === 'word') return input.word;
    if (input.kind === 'file') return input.path.split('+').every((path) => existsSync(path)) ? input.path : undefined;
    const { sample, as, options = {} } = input;
    const stem = join(this.#work, `${sample}-${Object.values(options).join('-')}`);
    const path = as === 'glb' ? `${stem}.glb` : `${stem}.obj+${stem}.pc2`;
    if (!existsSync(path.split('+')[0]))
      await writeOutputs(await encodeSample(makeSample(sample, options), as === 'glb' ? path : `${stem}.pc2`));
    return path;
  }

  async run(lines: readonly (readonly string[])[], input: string, signal: AbortSignal): Promise<Report> {
    let report: Report | undefined;
    let key = '';
    for (const line of lines) {
      const words = line.map((word) => (word === 'IN' ? input : this.#placeWord(word, input)));
      // what a line reads may depend on the lines before it
      key = `${key}\n${words.join(' ')}`;
      report = this.#reports.get(key) ?? (await runOssify(words, { ...this.#context, signal }));
      this.#reports.set(key, report);
    }
    return report!;
  }

  /** OUT.glb, DENSE.glb …: a file of the row. */
  #placeWord(word: string, input: string): string {
    return OWN_FILE.test(word)
      ? join(this.#work, `${basename(input).replace(/\W+/g, '-')}-${input.length}-${word}`)
      : word;
  }
}

/** A line as a user would type it. */
function spellLine(line: readonly string[], input: PaperInput): string {
  const spell = (word: string) => (OWN_FILE.test(word) ? word.toLowerCase() : word);
  return `ossify ${line.map((word) => (word === 'IN' ? nameOf(input) : spell(word))).join(' ')}`;
}

function nameOf(input: PaperInput): string {
  if (input.kind === 'word') return input.word;
  return input.kind === 'file' ? shortPath(input.path) : `${input.sample}.${input.as}`;
}

/** The folder of a captured clip, or the name of a file. */
function shortPath(path: string): string {
  const [first, second] = path.split('+');
  return second === undefined ? basename(first) : `${basename(join(first, '..'))}/rest.obj+motion.pc2`;
}
