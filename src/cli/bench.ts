// SPDX-License-Identifier: MIT
import { BENCH_SUITES, type BenchRow } from './bench-suites.ts';
import type { CommandSpec, CommonOptions } from './command.ts';
import { EXIT_DONE, UsageError } from './exit-status.ts';
import { formatNumber } from './format-number.ts';
import { checkResults, saveResults } from './save-results.ts';
import { formatTable } from './table.ts';

interface BenchOptions extends CommonOptions {
  list?: boolean;
}

export const benchCommand: CommandSpec<BenchOptions> = {
  name: 'bench',
  summary: 'measure speed and quality on generated data',
  arguments: [{ name: '[suites...]', description: 'suites to run (default: all)' }],
  examples: [
    { line: 'bench --list', does: 'the suites, and what each measures' },
    { line: 'bench kernels --json', does: 'one suite, as JSON' },
  ],
  configure(command) {
    command.option('--list', 'list the suites and stop');
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
    await checkResults(context, [], []);
    const results: Record<string, BenchRow[]> = {};
    for (const suite of BENCH_SUITES) {
      if (args.length > 0 && !args.includes(suite.name)) continue;
      const rows = await context.phase(suite.name, () => suite.run(context));
      results[suite.name] = rows;
      context.say(`${colors.bold(suite.name)}: ${suite.description}\n${formatRows(rows, colors.bold)}`);
    }
    context.tell(results);
    await saveResults(context, [], [], { result: { suites: results } });
    return EXIT_DONE;
  },
};

function formatRows(rows: readonly BenchRow[], heading: (text: string) => string): string {
  const figures = [...new Set(rows.flatMap((row) => Object.keys(row.figures ?? {})))];
  const head = ['case', 'least ms', 'mean ms', 'deviation', 'runs', ...figures];
  const body = rows.map((row) => [
    row.case,
    formatNumber(row.least),
    formatNumber(row.mean),
    formatNumber(row.deviation, 2),
    String(row.runs),
    ...figures.map((name) => (row.figures?.[name] === undefined ? '' : formatNumber(row.figures[name]))),
  ]);
  return formatTable([head, ...body], { align: `l${'r'.repeat(head.length - 1)}`, indent: '  ', heading });
}
