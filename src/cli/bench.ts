// SPDX-License-Identifier: MIT
import { basename, dirname, extname, join } from 'node:path';
import { BENCH_SUITES, type BenchOptions, type BenchRow, type BenchSuite } from './bench-suites.ts';
import type { CommandSpec } from './command.ts';
import { EXIT_DONE, UsageError } from './exit-status.ts';
import { formatNumber } from './format-number.ts';
import { describeMachine, formatMachine } from './machine.ts';
import { makeFolder } from './make-folder.ts';
import { checkResults, saveResults } from './save-results.ts';
import { formatTable } from './table.ts';

/** Load per core from which other work takes a core away more often than not. */
const BUSY = 0.5;

export const benchCommand: CommandSpec<BenchOptions> = {
  name: 'bench',
  summary: 'measure speed and quality on generated data, and on captured data where it is present',
  description: 'Measures speed and quality on generated data, and on captured data where it is present.',
  arguments: [
    {
      name: '[suites...]',
      description: 'suites to run (default: all)',
      choices: BENCH_SUITES.map(({ name }) => name),
    },
  ],
  examples: [
    { line: 'bench --list', does: 'the suites, and what each measures' },
    { line: 'bench kernels --json', does: 'one suite, as JSON' },
    { line: 'bench decompose --quick', does: 'a few cases of a suite' },
  ],
  configure(command) {
    command
      .option('--list', 'list the suites and stop')
      .option('--quick', 'run a few cases of each suite')
      .option('--page <file>', 'write a page with plots, for a suite that has one (decompose)');
  },
  async run(context) {
    const { colors, options, args } = context;
    if (options.list) {
      context.tell(BENCH_SUITES.map(({ name, description }) => ({ name, description })));
      context.say(formatTable(BENCH_SUITES.map(({ name, description }) => [name, description])));
      return EXIT_DONE;
    }
    const unknown = args.find((name) => !BENCH_SUITES.some((suite) => suite.name === name));
    if (unknown !== undefined) {
      const known = BENCH_SUITES.map(({ name }) => name).join(', ');
      throw new UsageError(
        `bench: there is no suite "${unknown}"; ${known ? `there are ${known}` : 'there is none yet'}`,
      );
    }
    const pageOf = checkPage(options, args);
    await checkResults(context, options.page === undefined ? [] : [options.page], []);
    const machine = describeMachine();
    context.say(formatMachine(machine));
    if (machine.load > BUSY * machine.cores) {
      const load = formatNumber(machine.load, 2);
      context.note(`the machine is busy (load ${load}); times on several threads mean little until it is not`);
    }
    const suites: Record<string, BenchRow[]> = {};
    for (const suite of BENCH_SUITES) {
      if (args.length > 0 && !args.includes(suite.name)) continue;
      const rows = await context.phase(suite.name, () => suite.run(context));
      suites[suite.name] = rows;
      context.say(`\n${colors.bold(suite.name)}: ${suite.description}\n${formatRows(rows, colors.bold)}`);
    }
    context.tell({ machine, suites });
    const files = pageOf?.makePage?.(suites[pageOf.name], describeMachine()) ?? [];
    const outputs = files.map(({ name, text }, n) => ({
      path: n === 0 ? String(options.page) : join(dirname(String(options.page)), name),
      bytes: new TextEncoder().encode(text),
    }));
    for (const { path } of outputs) await makeFolder(dirname(path));
    await saveResults(context, outputs, [], { result: { machine, suites } });
    return EXIT_DONE;
  },
};

/** The one suite that a page is asked of. */
function checkPage({ page }: BenchOptions, names: readonly string[]): BenchSuite | undefined {
  if (page === undefined) return undefined;
  const able = BENCH_SUITES.filter(({ makePage }) => makePage);
  const suite = able.find(({ name }) => names.length === 1 && names[0] === name);
  if (!suite)
    throw new UsageError(`--page: name one suite that makes a page: ${able.map(({ name }) => name).join(', ')}`);
  if (extname(page).toLowerCase() !== '.md')
    throw new UsageError(`--page: the file must end in .md, not "${basename(page)}"`);
  return suite;
}

/** A line per case: least times of its variants, how far the noisiest was from its mean, and the other numbers. */
function formatRows(rows: readonly BenchRow[], heading: (text: string) => string): string {
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
