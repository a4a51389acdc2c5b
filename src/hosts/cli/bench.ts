// SPDX-License-Identifier: MIT
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../core/model/errors.ts';
import { file, flag, list, notNegative, option, text } from '../../core/options/option.ts';
import { COMMON_OPTIONS, formatNumber, makeReport } from '../../jobs/engine/index.ts';
import { formatTable } from '../../jobs/report/index.ts';
import { makeFolder, version } from '../disk/index.ts';
import { makePaperGrid, type PaperGridRow } from './batch/paper-grid.ts';
import { defineCommand } from './command.ts';
import { EXIT_DONE } from './terminal/exit-status.ts';
import { describeMachine, formatMachine, type Machine } from './terminal/machine.ts';

/** Load per core above which other processes disturb measurements. */
const BUSY = 0.5;

/** bench/shared/bench-suite.ts describes suites; they are loaded only for this command. */
interface Suite {
  name: string;
  description: string;
  run(context: object): Promise<Row[]>;
  makePage?(rows: readonly Row[], machine: Machine): PageFile[] | Promise<PageFile[]>;
}

interface PageFile {
  name: string;
  text: string | Uint8Array;
}

interface Row {
  case: string;
  timings: Record<string, { least: number; mean: number; deviation: number; runs: number }>;
  figures?: Record<string, number>;
  paper?: PaperGridRow & { table: string; caption: string };
}

export const benchCommand = defineCommand({
  name: 'bench',
  summary: 'measure speed and quality',
  description: 'Measures speed and quality on generated data, and on real data where it is present.',
  arguments: [{ name: '[suites...]', description: 'suites to run (default: all)' }],
  examples: [
    { line: 'bench --list', does: 'list the suites' },
    { line: 'bench kernels --json', does: 'one suite, as JSON' },
    { line: 'bench decompose --quick', does: 'a few cases of a suite' },
    { line: 'bench weights --published', does: 'the published table of a method beside ours' },
  ],
  jsonHelp: 'print the report as JSON; with --list, the suites',
  options: {
    list: option(flag, 'list the suites and stop'),
    quick: option(flag, 'run a few cases of each suite'),
    published: option(flag, 'run only the tables of the documents, beside ours'),
    only: option(
      list(text('<row>'), '<rows>'),
      'measure only rows of published tables whose names contain one of these',
      {
        default: [],
        defaultText: 'all',
      },
    ),
    results: option(
      text('<folder>'),
      'folder of results: values in it are not measured again, new ones are added at once',
    ),
    timeLimit: option(notNegative('<seconds>'), 'stop measuring after this time; 0: use only what --results has'),
    page: option(file, 'write a page, for a suite that has one'),
    ...COMMON_OPTIONS,
  },
  async run(context) {
    const { styles, options, args, io } = context;
    const suites = await loadSuites();
    const listed = suites.map(({ name, description }) => ({ name, description }));
    if (options.list) {
      context.tell(listed);
      context.say(formatTable(listed.map(({ name, description }) => [name, description])));
      return EXIT_DONE;
    }
    checkNames(args, suites);
    const pageOf = findPageSuite(suites, options.page, args);
    await context.checkOutputs(options.page === undefined ? [] : [options.page], []);
    const machine = describeMachine();
    context.say(formatMachine(machine));
    if (machine.load > BUSY * machine.cores)
      context.note(
        `the machine is busy (load ${formatNumber(machine.load, 2)}); times on several threads are not reliable`,
      );
    const results: Record<string, Row[]> = {};
    const seconds: Record<string, number> = {};
    const { threads, seed, page, only, quick = false, published = false, timeLimit } = options;
    const deadline = timeLimit === undefined ? undefined : performance.now() + 1000 * timeLimit;
    for (const suite of suites) {
      if (args.length > 0 && !args.includes(suite.name)) continue;
      const start = performance.now();
      results[suite.name] = await suite.run({
        ...{ quick, published, only, page, threads, seed, deadline, signal: io.signal, note: context.note },
        results: options.results === undefined ? undefined : join(options.results, `${suite.name}.jsonl`),
        onProgress: ({ phase, fraction }: { phase: string; fraction: number }) =>
          context.progress.show({ phase, ratio: fraction }),
      });
      seconds[suite.name] = (performance.now() - start) / 1000;
      context.say(`\n${styles.bold(suite.name)}: ${suite.description}`);
      const plain = results[suite.name].filter(({ paper }) => !paper);
      if (plain.length > 0) context.say(formatRows(plain, styles.bold));
      for (const text of formatPapers(results[suite.name], styles.bold)) context.say(text);
    }
    const outputs = await makePages(pageOf, page, results, machine);
    for (const { path } of outputs) await makeFolder(dirname(path));
    const totalSeconds = Object.values(seconds).reduce((sum, value) => sum + value, 0);
    const report = makeReport({
      ...{
        version,
        command: 'bench',
        options: context.given,
        seconds,
        totalSeconds,
        seed,
        threads: threads ?? machine.cores,
      },
      result: { machine, suites: results },
    });
    await context.save(outputs, [], report);
    context.tell(report);
    return EXIT_DONE;
  },
});

function checkNames(names: readonly string[], suites: readonly Suite[]): void {
  const unknown = names.find((name) => !suites.some((suite) => suite.name === name));
  if (unknown !== undefined)
    throw new UsageError(
      'bench',
      `there is no suite "${unknown}"; there are ${suites.map(({ name }) => name).join(', ')}`,
    );
}

/** The page of a suite, and the files that it shows, beside it. */
async function makePages(
  suite: Suite | undefined,
  page: string | undefined,
  results: Readonly<Record<string, Row[]>>,
  machine: Machine,
): Promise<{ path: string; bytes: Uint8Array }[]> {
  const files = (suite && (await suite.makePage?.(results[suite.name], machine))) ?? [];
  return files.map(({ name, text }, n) => ({
    path: n === 0 ? String(page) : join(dirname(String(page)), name),
    bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text,
  }));
}

/** Suites are in bench/ of a checkout, and in dist/bench/ of the package. */
async function loadSuites(): Promise<readonly Suite[]> {
  const path = import.meta.url.endsWith('.ts') ? '../../../bench/suites.ts' : '../../bench/suites.js';
  const { BENCH_SUITES } = (await import(new URL(path, import.meta.url).href)) as { BENCH_SUITES: readonly Suite[] };
  return BENCH_SUITES;
}

/** The suite that makes the page. */
function findPageSuite(
  suites: readonly Suite[],
  page: string | undefined,
  names: readonly string[],
): Suite | undefined {
  if (page === undefined) return undefined;
  const able = suites.filter(({ makePage }) => makePage);
  const suite = able.find(({ name }) => names.length === 1 && names[0] === name);
  if (!suite)
    throw new UsageError('--page', `requires one suite that has a page: ${able.map(({ name }) => name).join(', ')}`);
  if (!/\.md$/i.test(page)) throw new UsageError('--page', `the file must end in .md, not "${basename(page)}"`);
  return suite;
}

/** Published tables, two columns for each of theirs. */
function formatPapers(rows: readonly Row[], heading: (text: string) => string): string[] {
  const papers = rows.flatMap(({ paper }) => (paper ? [paper] : []));
  return [...new Set(papers.map(({ table }) => table))].map((table) => {
    const own = papers.filter((one) => one.table === table);
    const [head, ...body] = makePaperGrid(own, (column) => ({ published: column, ours: 'here' }));
    const text = formatTable([head, ...body], { align: `l${'r'.repeat(head.length - 1)}`, indent: '  ', heading });
    return `\n${heading(table)}: ${own[0].caption}\n${text}`;
  });
}

/** A line per case: minimum times of its variants, other numbers, and the largest deviation relative to the mean. */
function formatRows(rows: readonly Row[], heading: (text: string) => string): string {
  const variants = [...new Set(rows.flatMap((row) => Object.keys(row.timings)))];
  const figures = [...new Set(rows.flatMap((row) => Object.keys(row.figures ?? {})))];
  const head = ['case', ...variants.map((name) => `${spell(name)} ms`), ...figures.map(spell), 'runs', 'noise'];
  const cell = (value: number | undefined, digits: number) => (value === undefined ? '' : formatNumber(value, digits));
  const body = rows.map((row) => {
    const timings = Object.values(row.timings);
    const noise = Math.max(...timings.map(({ mean, deviation }) => (mean > 0 ? deviation / mean : 0)));
    return [
      row.case,
      ...variants.map((name) => cell(row.timings[name]?.least, 4)),
      ...figures.map((name) => cell(row.figures?.[name], 3)),
      String(Math.max(...timings.map(({ runs }) => runs))),
      `${formatNumber(100 * noise, 2)} %`,
    ];
  });
  return formatTable([head, ...body], { align: `l${'r'.repeat(head.length - 1)}`, indent: '  ', heading });
}

/** 'oneThread' as 'one thread', 'secondsTo5_59' as 'seconds to 5.59'. */
function spell(name: string): string {
  if (name === 'eRms') return 'E_RMS';
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/(\d+)_(\d+)/, ' $1.$2');
}
