// SPDX-License-Identifier: MIT
// Table 2 of the course (Le and Deng 2014): four methods of skeleton extraction with joints that are strictly connected.
import type { Report } from '../../src/entry/index.ts';
import type { BenchSuite } from '../shared/bench-suite.ts';
import { capturedInput, findDataFolder } from '../shared/decompose-cases.ts';
import { makePaperPage } from '../shared/paper-page.ts';
import { type PaperCell, type PaperRow, type PaperTable, runPaperTables } from '../shared/paper-table.ts';

/** Clip, bones, RMSE of the four methods. The course calls pdance "dance" and pcow "cow". */
const TABLE: readonly [string, number, ...number[]][] = [
  ['cat-poses', 28, 0.25, 0.68, 1.04, 0.63],
  ['horse-poses', 27, 0.21, 0.54, 1.24, 0.75],
  ['lion-poses', 30, 0.27, 0.83, 1.62, 1.14],
  ['horse-gallop', 27, 0.22, 0.44, 1.1, 0.88],
  ['hand', 18, 0.18, 0.23, 0.42, 0.18],
  ['pdance', 16, 0.22, 0.76, 0.78, 0.53],
  ['scape', 23, 0.42, 1.03, 1.18, 1.24],
  ['samba', 22, 0.56, 1.29, 1.57, 1.79],
  ['pcow', 11, 1.52, 5.41, 5.61, 5.58],
];
/** Name in the table, and words. The methods that solve once are hung on their joints as published, and with poses and weights fitted again. */
const METHODS: readonly { column: string; place: number; words: readonly string[] }[] = [
  { column: 'I, multi-pass', place: 0, words: ['--method', 'multipass'] },
  { column: 'II, Schaefer', place: 1, words: ['--method', 'schaefer', '--as-published'] },
  { column: 'III, de Aguiar', place: 2, words: ['--method', 'deaguiar', '--as-published'] },
  { column: 'IV, Hasler', place: 3, words: ['--method', 'hasler', '--as-published'] },
  { column: 'II, refitted', place: -1, words: ['--method', 'schaefer'] },
  { column: 'III, refitted', place: -1, words: ['--method', 'deaguiar'] },
  { column: 'IV, refitted', place: -1, words: ['--method', 'hasler'] },
];

export const skeletonSuite: BenchSuite = {
  name: 'skeleton',
  description: 'skeletons by four methods, as Table 2 of the course compares them; RMSE in % of the box diagonal',
  async run(context) {
    return runPaperTables(context, [makeTable(findDataFolder(process.env), context.quick)]);
  },
  makePage: (rows) =>
    makePaperPage(
      'skeleton',
      'Skeletons with strictly connected joints ([skeletons](../../src/methods/skeleton/README.md)). *As published* (`--as-published`): bones keep the rotations of their own fits and are hung on their joints, as in the papers. *Refitted*: poses and weights are solved again with these joints, the default here.',
      rows,
    ),
};

function makeTable(folder: string | undefined, quick: boolean): PaperTable {
  const rows = TABLE.map(
    ([clip, bones, ...published]): PaperRow => ({
      name: `${clip}, ${bones} bones`,
      input: folder === undefined ? undefined : { kind: 'file', path: capturedInput(folder, clip) },
      cells: cellsOf(bones, published),
    }),
  );
  const generated: PaperRow = {
    name: 'quadruped, 5 bones',
    input: { kind: 'sample', sample: 'quadruped', as: 'pc2', options: { resolution: 300, frames: 6 } },
    cells: cellsOf(5, []),
  };
  return {
    name: 'Course, Table 2',
    caption: 'RMSE in percent of the rest pose’s box diagonal; joints strictly connected; four weights per vertex.',
    columns: METHODS.map(({ column }) => column),
    rows: quick ? [generated] : rows,
  };
}

function cellsOf(bones: number, published: readonly number[]): Record<string, PaperCell> {
  return Object.fromEntries(
    METHODS.map(({ column, place, words }) => [
      column,
      {
        published: published[place],
        lines: [['skeleton', 'IN', 'OUT.glb', '--bones', String(bones), ...words]],
        read: ({ metrics }: Report) => metrics.rmsePercent ?? Number.NaN,
      },
    ]),
  );
}
