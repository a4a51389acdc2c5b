// SPDX-License-Identifier: MIT
// Le, Villeneuve, Gonzalez-Ochoa 2021 (DDMC): errors and sizes of compressed models (Tables 1 and 2), what each part of the method is worth (§7.1 to 7.5), and two
// layers beside a rig with a hand-made helper joint (§7.6).
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../src/entry/index.ts';
import type { BenchSuite } from '../shared/bench-suite.ts';
import { findDataFolder } from '../shared/decompose-cases.ts';
import { makePaperPage } from '../shared/paper-page.ts';
import { type PaperCell, type PaperRow, type PaperTable, runPaperTables } from '../shared/paper-table.ts';
import { runAblation } from './compress-ablation.ts';

/** Model, virtual bones, RMSE_fit in cm, height in cm, kilobytes of DDM, ours, sparse and dense LBS. */
const TABLE: readonly [string, number, number, number, number, number, number, number][] = [
  ['Ninja', 100, 0.406, 175, 7119, 590, 284, 697],
  ['Ninja', 200, 0.248, 175, 7119, 740, 284, 697],
  ['Ninja', 500, 0.159, 175, 7119, 993, 284, 697],
  ['Ortiz', 100, 1.06, 185, 21697, 1201, 547, 2245],
  ['Ortiz', 200, 0.594, 185, 21697, 1576, 547, 2245],
  ['Ortiz', 500, 0.391, 185, 21697, 1965, 547, 2245],
  ['Generic', 200, 0.25, 151, 8245, 714, 623, 943],
  ['Generic', 500, 0.13, 151, 8245, 1028, 623, 943],
  ['Generic', 1000, 0.073, 151, 8245, 1508, 623, 943],
];
/** The models that are here: Ninja is the one with 12,465 vertices and 52 bones. */
const FILES: Readonly<Record<string, string>> = { Ninja: 'ninja.glb' };
const KILOBYTE = 1024;

const fitOf = ({ result }: Report) => (result as { fit: Record<string, number> }).fit;
const bytesOf = ({ result }: Report) => (result as { ddmBytes: Record<string, number> }).ddmBytes;

const READ: Readonly<Record<string, (report: Report) => number>> = {
  'RMSE_fit %': (report) => fitOf(report).rmseFitPercent,
  'RMSE_fit undivided %': (report) => fitOf(report).rmseFitUndividedPercent,
  'DDM kB': ({ bytes }) => (bytes.ddm ?? Number.NaN) / KILOBYTE,
  'DDM in doubles kB': (report) => bytesOf(report).float64 / KILOBYTE,
  'ours kB': ({ bytes }) => (bytes.model ?? Number.NaN) / KILOBYTE,
  ratio: ({ bytes }) => (bytes.ddm ?? Number.NaN) / (bytes.model ?? Number.NaN),
  'ratio in doubles': (report) => bytesOf(report).float64 / (report.bytes.model ?? Number.NaN),
  'RMS on animations %': ({ metrics }) => metrics.rmseOfHeight ?? Number.NaN,
  'maximum on animations %': ({ metrics }) => metrics.maxOfHeight ?? Number.NaN,
};

export const compressSuite: BenchSuite = {
  name: 'compress',
  description: 'DDM compression: Tables 1 and 2 of its paper, ablations (§7.1 to 7.5), and a helper-joint rig (§7.6)',
  async run(context) {
    const folder = findDataFolder(process.env);
    const rows = await runPaperTables(context, [
      makeTables(folder === undefined ? undefined : join(folder, '..', 'rigs'), context.quick),
      makeHelperTable(context.quick),
    ]);
    return [...rows, ...(await runAblation(context))];
  },
  makePage: (rows) =>
    makePaperPage(
      'compress',
      'Compressed Direct Delta Mush ([compression](../../src/methods/compress/README.md)). Errors are in percent of the height. Ortiz and Generic are not available.',
      rows,
    ),
};

function makeTables(rigs: string | undefined, quick: boolean): PaperTable {
  const rows = TABLE.map(([model, bones, rmse, height, ddm, ours]): PaperRow => {
    const file = FILES[model];
    const path = rigs !== undefined && file !== undefined ? join(rigs, file) : undefined;
    const published = { 'RMSE_fit %': (100 * rmse) / height, 'DDM kB': ddm, 'ours kB': ours, ratio: ddm / ours };
    return {
      name: `${model}, ${bones} virtual bones`,
      input: path !== undefined && existsSync(path) ? { kind: 'file', path } : undefined,
      cells: cellsOf(bones, published),
    };
  });
  const generated: PaperRow = {
    name: 'bar, 8 virtual bones',
    input: { kind: 'sample', sample: 'bar-joint', as: 'glb', options: { resolution: 400, frames: 6 } },
    cells: cellsOf(8, {}),
  };
  return {
    name: 'DDMC, Tables 1 and 2',
    caption:
      'RMSE_fit = √E of Eq. 11a (divided by the number of bones, and not), sizes in KB of 1024 bytes: of Direct Delta Mush (10 floats and an index per entry; also in doubles) and of the compressed model.',
    columns: Object.keys(READ),
    rows: quick ? [generated] : rows,
  };
}

function cellsOf(bones: number, published: Readonly<Record<string, number>>): Record<string, PaperCell> {
  const line = ['compress', 'IN', 'OUT.glb', '--virtual-bones', String(bones)];
  return Object.fromEntries(
    Object.entries(READ).map(([column, read]) => [column, { published: published[column], lines: [line], read }]),
  );
}

/** §7.6: the rig with its helper is the reference; the others have its master bones only. */
function makeHelperTable(quick: boolean): PaperTable {
  const rigs = quick ? ['helper-bone'] : ['helper-bone', 'muscle-leg', 'pose-space-arm'];
  const bones = ['4', '20'];
  const rig = (name: string) => ['sample', `rig-${name}`, 'RIG.glb', '--frames', '24'];
  const truth = (name: string) => ['sample', `rig-${name}`, 'TRUTH.abc', '--frames', '24'];
  const against = (file: string) => ['compare', 'TRUTH.abc', file];
  const read = ({ metrics }: Report) => metrics.distortion ?? Number.NaN;
  return {
    name: 'DDMC, §7.6 and Fig. 16',
    caption:
      'Distance from the rig with its hand-made helpers (muscles, shapes), in percent of the motion (distortion): plain skinning on the master bones, Direct Delta Mush on them, and its two layers. Direct Delta Mush has no term for bulging muscles, so the document expects no match.',
    columns: ['plain skinning', 'DDM', ...bones.map((count) => `two layers, ${count} virtual bones`)],
    rows: rigs.map((name): PaperRow => {
      const start = [rig(name), truth(name)];
      const cells: [string, PaperCell][] = [
        ['plain skinning', { lines: [...start, against('RIG.glb')], read }],
        ['DDM', { lines: [...start, ['mush', 'RIG.glb', 'DDM.glb'], against('DDM.glb')], read }],
        ...bones.map((count): [string, PaperCell] => [
          `two layers, ${count} virtual bones`,
          {
            lines: [...start, ['compress', 'RIG.glb', 'TWO.glb', '--virtual-bones', count], against('TWO.glb')],
            read,
          },
        ]),
      ];
      return { name, input: { kind: 'word', word: name }, cells: Object.fromEntries(cells) };
    }),
  };
}
