// SPDX-License-Identifier: MIT
// Table 3 of the course (Le and Deng 2014): reduction of dense skins and of eight weights per vertex to four, and of dense ones to eight.
import type { Report } from '../../src/entry/index.ts';
import type { BenchSuite } from '../shared/bench-suite.ts';
import { capturedInput, findDataFolder } from '../shared/decompose-cases.ts';
import { makePaperPage } from '../shared/paper-page.ts';
import { type PaperCell, type PaperRow, type PaperTable, runPaperTables } from '../shared/paper-table.ts';

interface Published {
  clip: string;
  bones: number;
  /** k-largest, smooth, two layers, geometric, Poisson, two layers with poses */
  eightToFour: readonly number[];
  denseToFour: readonly number[];
  denseToEight: readonly number[];
  /** The decompositions they start from: four weights, eight, dense. */
  solved: readonly number[];
}

const row = (clip: string, bones: number, ...lists: (readonly number[])[]): Published => {
  const [eightToFour, denseToFour, denseToEight, solved] = lists;
  return { clip, bones, eightToFour, denseToFour, denseToEight, solved };
};

// biome-ignore format: a table
const TABLE: readonly Published[] = [
  row('samba', 10, [10.6, 11.5, 5, 9.4, 10.5, 4.8], [11.8, 12.7, 4.8, 10.5, 11.6, 4.7], [5.1, 5.3, 4.8, 4.8, 5, 4.8], [5.7, 4.9, 4.8]),
  row('samba', 20, [5.7, 6.5, 2.3, 5, 5.8, 2.1], [7.6, 8.3, 2.4, 6.8, 7.6, 2], [3.8, 4.4, 2, 3.1, 3.7, 1.9], [2.7, 2.2, 1.9]),
  row('camel-gallop', 15, [8.3, 9.7, 1.6, 6, 8, 1.4], [13.1, 14.9, 1.5, 9.5, 11.9, 1.3], [5, 6.5, 1.3, 3.2, 4.2, 1.3], [2.3, 1.6, 1.3]),
  row('camel-gallop', 30, [8.1, 9.4, 1, 4.9, 7.6, 0.8], [13.8, 15.5, 2, 8.3, 10.6, 0.8], [7.5, 9.2, 0.7, 3.7, 5.4, 0.4], [1.3, 0.8, 0.3]),
  row('elephant-gallop', 15, [11.5, 13.8, 2.1, 9.1, 12.4, 1.9], [18.7, 21.2, 1.8, 13.7, 16.9, 1.6], [9, 10.9, 1.7, 5.2, 7.1, 1.6], [3.2, 2, 1.6]),
  row('elephant-gallop', 30, [4.5, 5.4, 1, 3.3, 4.8, 0.8], [13, 15.2, 1.5, 9.1, 11.3, 0.7], [6.6, 8.3, 0.7, 4.2, 5.8, 0.5], [1.5, 0.9, 0.4]),
  row('horse-gallop', 15, [9.5, 10.3, 2.6, 7, 8.2, 2.3], [20.7, 23.5, 2.4, 10.1, 11.5, 2], [5.9, 6.9, 1.9, 3.9, 4.7, 1.9], [3.2, 2.5, 1.9]),
  row('horse-gallop', 30, [5.4, 5.7, 1.2, 3.8, 4.5, 1], [18.1, 20.8, 3.4, 12.3, 14.7, 1.6], [9.6, 11.6, 1.6, 5.3, 6.7, 0.8], [1.8, 0.9, 0.5]),
  row('camel-collapse', 20, [10.6, 12.4, 1.8, 6.2, 8.4, 1.5], [15.5, 17.4, 1.9, 10.3, 13.4, 1.4], [7.2, 9.5, 1.2, 3.6, 5.4, 1.1], [2.8, 1.5, 1.1]),
  row('camel-collapse', 40, [6.9, 7.6, 1.6, 4, 5.8, 1.2], [15.1, 16.4, 3.1, 9.8, 12.5, 1.5], [9.2, 11, 1.5, 4.5, 6.5, 0.8], [2.1, 1.1, 0.5]),
  row('horse-collapse', 20, [12, 13.4, 3, 7.2, 9, 2.1], [17.9, 20.3, 3.5, 11, 13.5, 2.1], [8.4, 10.5, 1.9, 4.2, 5.5, 1.4], [3.2, 1.9, 1.3]),
  row('horse-collapse', 40, [8.2, 8.4, 2.8, 4.4, 5.6, 2], [17.8, 20, 4.8, 10.1, 12.6, 2.5], [10.9, 12.8, 2.9, 4.9, 6.4, 1.3], [2.3, 1.3, 0.6]),
];

/** The columns of the table, then those that it does not have; matching pursuits are of §3.5.2. */
const METHODS: readonly { column: string; place: number; words: readonly string[] }[] = [
  { column: 'k-largest', place: 0, words: ['--method', 'klargest'] },
  { column: 'smooth', place: 1, words: ['--method', 'smooth'] },
  { column: 'two-layer', place: 2, words: ['--method', 'twolayer', '--poses', 'none'] },
  { column: 'geometric', place: 3, words: ['--method', 'geometric'] },
  { column: 'Poisson', place: 4, words: ['--method', 'poisson'] },
  { column: 'two-layer, poses', place: 5, words: ['--method', 'twolayer'] },
  { column: 'exchange', place: -1, words: ['--method', 'exchange'] },
  { column: 'two-layer as published', place: -1, words: ['--method', 'twolayer', '--printed'] },
  { column: 'MP', place: -1, words: ['--method', 'twolayer', '--poses', 'none', '--pursuit', 'mp'] },
  { column: 'OMP', place: -1, words: ['--method', 'twolayer', '--poses', 'none', '--pursuit', 'omp'] },
  { column: 'K-SVD, MP', place: -1, words: ['--method', 'twolayer', '--poses', 'none', '--pursuit', 'ksvd-mp'] },
  { column: 'K-SVD, OMP', place: -1, words: ['--method', 'twolayer', '--poses', 'none', '--pursuit', 'ksvd-omp'] },
];

const readError = ({ metrics }: Report): number => metrics.eRms ?? Number.NaN;

export const weightsSuite: BenchSuite = {
  name: 'weights',
  description: 'weight reduction and compression, as Table 3 of the course compares them; E_RMS against the clip',
  async run(context) {
    const folder = findDataFolder(process.env);
    const hardest = makeTable(
      'denseToFour',
      'Course, Table 3, dense to 4 bones per vertex',
      0,
      4,
      folder,
      context.quick,
    );
    if (context.quick) return runPaperTables(context, [hardest]);
    return runPaperTables(context, [
      makeTable('eightToFour', 'Course, Table 3, 8 to 4 bones per vertex', 8, 4, folder, context.quick),
      hardest,
      makeTable('denseToEight', 'Course, Table 3, dense to 8 bones per vertex', 0, 8, folder, context.quick),
    ]);
  },
  makePage: (rows) =>
    makePaperPage(
      'weights',
      'Fewer weights per vertex ([weight reduction](../../src/methods/reduce/README.md)). *start* is the decomposition that is reduced (SD in the document). Positions only: `--normals 0`. Matching pursuit, orthogonal matching pursuit and K-SVD with either are those of §3.5.2, which the table does not have.',
      rows,
    ),
};

function makeTable(
  part: 'eightToFour' | 'denseToFour' | 'denseToEight',
  name: string,
  from: number,
  to: number,
  folder: string | undefined,
  quick: boolean,
): PaperTable {
  const rows = TABLE.map((one): PaperRow => {
    const input = folder === undefined ? undefined : ({ kind: 'file', path: capturedInput(folder, one.clip) } as const);
    return {
      name: `${one.clip}, ${one.bones} bones`,
      input,
      cells: cellsOf(one.bones, from, to, one[part], one.solved[from === 0 ? 2 : 1]),
    };
  });
  const generated: PaperRow = {
    name: 'quadruped, 10 bones',
    input: { kind: 'sample', sample: 'quadruped', as: 'pc2', options: { resolution: 300, frames: 6 } },
    cells: cellsOf(10, from, to, [], undefined),
  };
  return {
    name,
    caption: `E_RMS against the clip, ${to} blends per vertex.`,
    columns: ['start', ...METHODS.map(({ column }) => column)],
    rows: quick ? [generated] : rows,
  };
}

function cellsOf(
  bones: number,
  from: number,
  to: number,
  published: readonly number[],
  solved: number | undefined,
): Record<string, PaperCell> {
  const influences = String(from === 0 ? Math.min(bones, 32) : from);
  const start = [
    'decompose',
    'IN',
    `FROM${influences}B${bones}.glb`,
    '--bones',
    String(bones),
    '--influences',
    influences,
  ];
  start.push('--keep-rest');
  // what the document does not have is measured where reduction is hardest
  const isHardest = from === 0 && to === 4;
  const cells: [string, PaperCell][] = METHODS.filter(({ place }) => place >= 0 || isHardest).map(
    ({ column, place, words }) => [
      column,
      {
        published: published[place],
        lines: [
          start,
          ['reduce', start[2], 'OUT.glb', '--influences', String(to), '--normals', '0', ...words],
          ['compare', 'IN', 'OUT.glb'],
        ],
        read: readError,
      },
    ],
  );
  return Object.fromEntries([['start', { published: solved, lines: [start], read: readError }], ...cells]);
}
