// SPDX-License-Identifier: MIT
// Every decomposition on the same data by the same measure: the command as a user runs it, in a process of its own, and what its report says.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeSample, type Report } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { writeOutputs } from '../../src/hosts/disk/index.ts';
import type { BenchContext, BenchRow } from '../shared/bench-suite.ts';
import { capturedInput, findDataFolder } from '../shared/decompose-cases.ts';
import { isBuilt, runOssify } from '../shared/run-ossify.ts';

const GENERATED = ['quadruped', 'creature', 'sheet', 'tube-swell'];
const CAPTURED = ['horse-gallop', 'horse-collapse', 'cat-poses', 'pdance', 'samba'];
const BONES = ['10', '20', '30'];
/** What --quick compares. */
const QUICK = { data: ['quadruped'], bones: ['8'], epsilons: ['0.05'], resolution: 600, frames: 12 };

/** ε of SMA, which finds the number of bones: what a scan for a given number costs is no part of the method. */
const EPSILONS = ['0.1', '0.05', '0.03'];

/** Methods as the table names them, and their options; all of them with at most four weights per vertex. */
export const TABLE_METHODS: readonly { label: string; words: readonly string[]; findsCount?: boolean }[] = [
  { label: 'SSDR', words: ['--method', 'ssdr'] },
  { label: 'SSDR affine', words: ['--method', 'ssdr', '--transforms', 'affine'] },
  { label: 'FSD', words: ['--method', 'fsd'] },
  { label: 'SMA rigid', words: ['--method', 'sma', '--transforms', 'rigid'], findsCount: true },
  { label: 'SMA affine', words: ['--method', 'sma'], findsCount: true },
  { label: 'LSSP', words: ['--method', 'lssp', '--influences', '4'] },
];

export type TableRow = BenchRow & Required<Pick<BenchRow, 'table'>>;

/** Runs all methods on all data; a method that fails on a clip has no row there, and a note says why. */
export async function benchDecomposeTable(context: BenchContext): Promise<TableRow[]> {
  const folder = findDataFolder(process.env);
  const work = await mkdtemp(join(tmpdir(), 'ossify-table-'));
  const rows: TableRow[] = [];
  try {
    const { quick } = context;
    const data = await listData(quick ? undefined : folder, work, quick);
    const [bones, epsilons] = quick ? [QUICK.bones, QUICK.epsilons] : [BONES, EPSILONS];
    let done = 0;
    for (const { name, input } of data) {
      for (const { label, words, findsCount } of TABLE_METHODS) {
        for (const size of findsCount ? epsilons : bones) {
          context.signal.throwIfAborted();
          context.onProgress({
            phase: `${name}, ${label}`,
            fraction: done++ / (data.length * TABLE_METHODS.length * bones.length),
          });
          const sized = [...words, findsCount ? '--epsilon' : '--bones', size];
          const row = await runOne(context, name, label, [input, join(work, 'out.glb'), ...sized]);
          if (row) rows.push(row);
        }
      }
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return rows;
}

/** The data as inputs of the command line; generated clips are written to a folder. */
async function listData(
  folder: string | undefined,
  work: string,
  quick: boolean,
): Promise<{ name: string; input: string }[]> {
  const found: { name: string; input: string }[] = [];
  for (const name of quick ? QUICK.data : GENERATED) {
    const { resolution, frames } = quick ? QUICK : { resolution: undefined, frames: undefined };
    await writeOutputs(await encodeSample(makeSample(name, { resolution, frames }), join(work, `${name}.pc2`)));
    found.push({ name, input: `${join(work, `${name}.obj`)}+${join(work, `${name}.pc2`)}` });
  }
  for (const name of CAPTURED)
    if (folder !== undefined && existsSync(join(folder, name)))
      found.push({ name, input: capturedInput(folder, name) });
  return found;
}

async function runOne(
  context: BenchContext,
  data: string,
  method: string,
  words: readonly string[],
): Promise<TableRow | undefined> {
  let report: Report;
  try {
    report = await runOssify(['decompose', ...words], context);
  } catch (error) {
    context.signal.throwIfAborted();
    context.note(`${data}, ${method}, ${words.slice(-2).join(' ')}: ${(error as Error).message.split('\n')[0]}`);
    return undefined;
  }
  const milliseconds = 1000 * (report.seconds.solve ?? 0);
  return {
    case: `${data}, ${method}`,
    table: { data, method },
    timings: { solve: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
    figures: {
      bones: report.result.bones ?? 0,
      eRms: report.metrics.eRms ?? 0,
      kilobytes: (report.bytes.file ?? 0) / 1000,
      // the memory of this process says nothing of one solve in it
      ...(isBuilt ? { peakMegabytes: (report.peakMemory ?? 0) / 1e6 } : {}),
    },
  };
}
