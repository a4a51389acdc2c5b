// SPDX-License-Identifier: MIT
// The decompose suite: error of the written file against the seconds of solving, and what the whole command takes.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeCompute } from '../../src/core/compute/make-compute.ts';
import { decompose, encodeSample, type Report, writeGlb } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { writeOutputs } from '../../src/hosts/disk/index.ts';
import { readWritten } from '../../src/jobs/report/index.ts';
import { measureWritten } from '../../src/measure/index.ts';
import type { BenchContext, BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import {
  capturedInput,
  type DecomposeCase,
  findDataFolder,
  listDecomposeCases,
  type OpenedCase,
} from '../shared/decompose-cases.ts';
import { makePaperPage } from '../shared/paper-page.ts';
import { runPaperTables } from '../shared/paper-table.ts';
import { makeCourseTable1 } from './course-decompose.ts';
import { benchDecomposeTable, type TableRow } from './decompose-table.ts';
import { makeDecompositionsPage } from './decompositions-page.ts';

/** A command that hangs is no benchmark. */
const COMMAND_LIMIT = 300_000;

const PUBLISHED =
  'Decompositions ([decompositions](../../src/methods/decompose/README.md)). The errors are those of the written files.';

export const decomposeSuite: BenchSuite = {
  name: 'decompose',
  description:
    'E_RMS of the written file (and the most it may be) by data and bones, seconds of solving; on captured motion where it is present',
  async run(context) {
    const folder = findDataFolder(process.env);
    if (folder === undefined)
      context.note('no captured motion: set OSSIFY_DATA to the folder that holds datasets/ to measure on it');
    const cases = listDecomposeCases(folder).filter(({ isQuick }) => isQuick || !context.quick);
    if (context.published) return runPaperTables(context, [makeCourseTable1(folder, context.quick)]);
    // a page holds the table of all methods, and nothing else
    if (context.page !== undefined) return benchDecomposeTable(context);
    const rows: BenchRow[] = [];
    const millisecondsOf = new Map<string, number>();
    for (const [n, one] of cases.entries()) {
      context.signal.throwIfAborted();
      context.onProgress({ phase: one.name, fraction: n / cases.length });
      const { threads, seed } = context;
      const row = await benchCase(one, await one.open(), { threads, seed, signal: context.signal });
      const { least } = row.timings.solve;
      millisecondsOf.set(one.name, least);
      const base = one.twiceOf === undefined ? undefined : millisecondsOf.get(one.twiceOf);
      rows.push(base === undefined ? row : { ...row, figures: { ...row.figures, timesAsLong: least / base } });
    }
    const command = await benchCommandLine(folder, context);
    const table = await benchDecomposeTable(context);
    return [...rows, ...(command ? [command] : []), ...table];
  },
  makePage: (rows, machine) =>
    rows.some(({ paper }) => paper)
      ? makePaperPage('decompose', PUBLISHED, rows)
      : makeDecompositionsPage(
          rows.filter((row): row is TableRow => row.table !== undefined),
          machine,
          new Date(),
        ),
};

/** Solves once, writes, and measures what was written. */
export async function benchCase(
  one: Pick<DecomposeCase, 'name' | 'transforms' | 'atMost' | 'passing'>,
  { input, clips, bones }: OpenedCase,
  options: { threads?: number; seed?: number; signal?: AbortSignal } = {},
): Promise<BenchRow> {
  const { transforms, passing = [], atMost } = one;
  const passed = new Map<number, number>();
  const start = performance.now();
  const { model, seconds } = await decompose(clips, {
    ...{ bones, transforms, ...options },
    // Until the last phase this is the error on a sample of the vertices.
    onProgress: ({ eRms = Number.POSITIVE_INFINITY }) => {
      for (const limit of passing)
        if (eRms <= limit && !passed.has(limit)) passed.set(limit, (performance.now() - start) / 1000);
    },
  });
  options.signal?.throwIfAborted();
  const bytes = await writeGlb(input.asset, { kind: 'skin', model: model });
  const compute = await makeCompute({ threads: options.threads });
  const { error } = await measureWritten(await readWritten(bytes), clips, { up: input.asset.up, compute }).finally(() =>
    compute.dispose(),
  );
  const milliseconds = seconds * 1000;
  return {
    case: `${one.name}${transforms === 'rigid' ? '' : `, ${transforms}`}`,
    timings: { solve: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
    figures: {
      bones,
      eRms: error.eRms,
      ...(atMost === undefined ? {} : { atMost }),
      kilobytes: bytes.length / 1000,
      ...Object.fromEntries(
        [...passed].map(([limit, after]) => [`secondsTo${String(limit).replace('.', '_')}`, after]),
      ),
    },
  };
}

/** The whole command in a process of its own: start, reading, solving, writing, measuring, and its peak memory. Only where it is built. */
async function benchCommandLine(
  folder: string | undefined,
  { seed, threads }: BenchContext,
): Promise<BenchRow | undefined> {
  const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
  if (!existsSync(main)) return undefined;
  const work = await mkdtemp(join(tmpdir(), 'ossify-bench-'));
  try {
    const horse = folder === undefined ? undefined : capturedInput(folder, 'horse-gallop');
    const hasHorse = horse?.split('+').every((path) => existsSync(path)) === true;
    const input = horse && hasHorse ? horse : `${join(work, 'quadruped.obj')}+${join(work, 'quadruped.pc2')}`;
    if (!hasHorse) await writeOutputs(await encodeSample(makeSample('quadruped'), join(work, 'quadruped.pc2')));
    const words = ['decompose', input, join(work, 'out.glb'), '--bones', '20', '--json', '--seed', String(seed)];
    if (threads !== undefined) words.push('--threads', String(threads));
    const start = performance.now();
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...words], {
      maxBuffer: 1 << 28,
      timeout: COMMAND_LIMIT,
    });
    const milliseconds = performance.now() - start;
    const { result, metrics, bytes, peakMemory = 0 } = JSON.parse(stdout) as Report;
    return {
      case: `ossify decompose ${hasHorse ? 'horse-gallop' : 'quadruped'}`,
      timings: { command: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
      figures: {
        bones: result.bones ?? 0,
        eRms: metrics.eRms ?? 0,
        kilobytes: (bytes.file ?? 0) / 1000,
        peakMegabytes: peakMemory / 1e6,
      },
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
