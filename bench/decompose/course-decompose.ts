// SPDX-License-Identifier: MIT
// Table 1 of the course (Le and Deng 2014): rigid bones, at most four weights per vertex, E_RMS; with corrections of rank 5 in brackets there, in columns here.
import type { Report } from '../../src/entry/index.ts';
import { capturedInput } from '../shared/decompose-cases.ts';
import type { PaperCell, PaperInput, PaperRow, PaperTable } from '../shared/paper-table.ts';

/** Clip, bones, and SMA, LSSP, SSDR, each without and with corrections; 0 where the table has none. */
const TABLE: readonly [string, number, ...(readonly [number, number])[]][] = [
  ['camel-collapse', 11, [125.3, 4], [0, 0], [5.4, 1.7]],
  ['camel-collapse', 20, [0, 0], [0, 0], [4, 1.4]],
  ['camel-gallop', 10, [0, 0], [0, 0], [8.1, 2.8]],
  ['camel-gallop', 20, [0, 0], [0, 0], [3.7, 1.5]],
  ['camel-gallop', 29, [17.6, 1.9], [0, 0], [3, 1.3]],
  ['camel-poses', 10, [0, 0], [0, 0], [10.1, 3.9]],
  ['camel-poses', 25, [8.3, 1.8], [0, 0], [2.7, 1.2]],
  ['cat-poses', 5, [0, 0], [0, 0], [26.3, 12.5]],
  ['cat-poses', 7, [0, 0], [21.2, 9.3], [21.2, 10.3]],
  ['cat-poses', 9, [0, 0], [0, 0], [13.7, 6.1]],
  ['cat-poses', 10, [0, 0], [12.6, 5.6], [13, 5.7]],
  ['cat-poses', 12, [0, 0], [0, 0], [8.6, 3.8]],
  ['cat-poses', 15, [0, 0], [10.7, 6.1], [6.5, 2.7]],
  ['cat-poses', 20, [0, 0], [0, 0], [4.7, 2]],
  ['cat-poses', 25, [8.5, 3.1], [6.2, 3.3], [3.4, 1.4]],
  ['chickenCrossing', 10, [0, 0], [20.9, 14.9], [21.8, 20.4]],
  ['chickenCrossing', 20, [0, 0], [10.1, 9.7], [8.7, 5.7]],
  ['chickenCrossing', 28, [12.5, 4.2], [6.2, 5.1], [8.1, 5.4]],
  ['elephant-gallop', 10, [0, 0], [0, 0], [8.3, 3.5]],
  ['elephant-gallop', 20, [0, 0], [0, 0], [4.3, 2.3]],
  ['elephant-gallop', 27, [5.6, 1.9], [0, 0], [2.7, 1.3]],
  ['elephant-poses', 10, [0, 0], [0, 0], [8.2, 4.2]],
  ['elephant-poses', 21, [5.8, 2.2], [0, 0], [3.2, 1.5]],
  ['face-poses', 9, [0, 0], [0, 0], [12, 5.7]],
  ['face-poses', 27, [0, 0], [0, 0], [7, 3.6]],
  ['flamingo-poses', 5, [0, 0], [0, 0], [16.6, 6.1]],
  ['flamingo-poses', 10, [0, 0], [0, 0], [4.8, 2.2]],
  ['flamingo-poses', 23, [5.7, 1.7], [0, 0], [1.7, 0.8]],
  ['horse-collapse', 3, [139.5, 5.1], [51, 3.1], [26.5, 4.1]],
  ['horse-collapse', 10, [0, 0], [15.5, 2.6], [7.4, 2.1]],
  ['horse-collapse', 20, [0, 0], [6, 2], [5, 1.6]],
  ['horse-gallop', 10, [0, 0], [28.1, 7.1], [8.3, 3.6]],
  ['horse-gallop', 20, [0, 0], [15.7, 5.3], [3.6, 1.8]],
  ['horse-gallop', 33, [9.5, 1.5], [12.5, 4.6], [2.2, 1.1]],
  ['horse-poses', 10, [0, 0], [18.8, 7.7], [9, 3.9]],
  ['horse-poses', 20, [0, 0], [20.6, 7.8], [3.8, 1.8]],
  ['horse-poses', 30, [0, 0], [2.8, 1.4], [2.2, 0.9]],
  ['lion-poses', 10, [0, 0], [22.1, 11], [11.3, 5]],
  ['lion-poses', 21, [62.8, 5.7], [7.7, 3.9], [4.4, 2.2]],
  ['pcow', 10, [0, 0], [16.5, 13.2], [14.4, 11.9]],
  ['pcow', 24, [24.8, 13.2], [7.2, 6.7], [5.7, 4.8]],
  ['pdance', 10, [0, 0], [8, 4.9], [6.3, 3.4]],
  ['pdance', 24, [3.8, 1.6], [3.4, 2.3], [1.3, 0.8]],
  ['pjump', 10, [0, 0], [0, 0], [10, 6.5]],
  ['pjump', 40, [15.3, 6.7], [0, 0], [4.5, 3.4]],
  ['pkanga', 10, [0, 0], [44.5, 11.5], [17, 7]],
  ['pkanga', 39, [134.1, 15.4], [22.4, 7], [6.7, 4.2]],
];
const COLUMNS = ['SMA', 'SMA rank 5', 'LSSP', 'LSSP rank 5', 'SSDR', 'SSDR rank 5'];
const RANK = 5;
const QUICK = { resolution: 300, frames: 6 };

/** Table 1, on captured clips, or with quick one row on a generated animal. */
export function makeCourseTable1(folder: string | undefined, quick: boolean): PaperTable {
  const generated: PaperRow = {
    name: 'quadruped, 5 bones',
    input: { kind: 'sample', sample: 'quadruped', as: 'pc2', options: QUICK },
    cells: cellsOf(5, [
      [0, 0],
      [0, 0],
      [0, 0],
    ]),
  };
  const rows = TABLE.map(([clip, bones, ...published]): PaperRow => {
    const input: PaperInput | undefined =
      folder === undefined ? undefined : { kind: 'file', path: capturedInput(folder, clip) };
    return { name: `${clip}, ${bones} bones`, input, cells: cellsOf(bones, published) };
  });
  return {
    name: 'Course, Table 1',
    caption:
      'E_RMS of rigid bones with at most four weights per vertex, and after corrections of rank 5. SMA finds the number of bones in the document; here it is given.',
    columns: COLUMNS,
    slow: COLUMNS.slice(0, 2),
    rows: quick ? [generated] : rows,
  };
}

function cellsOf(bones: number, published: readonly (readonly [number, number])[]): Record<string, PaperCell> {
  const methods = ['sma', 'lssp', 'ssdr'];
  return Object.fromEntries(
    COLUMNS.map((column, n): [string, PaperCell] => {
      const method = methods[Math.floor(n / 2)];
      const value = published[Math.floor(n / 2)][n % 2];
      const words = ['decompose', 'IN', 'OUT.glb', '--method', method, '--bones', String(bones), '--influences', '4'];
      if (method === 'sma') words.push('--transforms', 'rigid');
      // SMA and LSSP only where the document has them: they are slow
      const isMeasured = method === 'ssdr' || value > 0 || published.every(([one]) => one === 0);
      const corrected = [...words, '--corrections', String(RANK)];
      return [
        column,
        {
          published: value > 0 ? value : undefined,
          lines: isMeasured ? [n % 2 === 0 ? words : corrected] : undefined,
          read: readError,
        },
      ];
    }),
  );
}

function readError({ metrics }: Report): number {
  return metrics.eRms ?? Number.NaN;
}
