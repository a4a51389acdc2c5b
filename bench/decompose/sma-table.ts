// SPDX-License-Identifier: MIT
// Table 1 of James and Twigg 2005: distortion of rigid and flexible bones with TSVD and NNLS weights, and after corrections of rank 10.
import type { Report } from '../../src/entry/index.ts';
import { capturedInput } from '../shared/decompose-cases.ts';
import type { PaperCell, PaperRow, PaperTable } from '../shared/paper-table.ts';

interface Published {
  name: string;
  /** Our clip, where it is the same. */
  clip?: string;
  epsilon: string;
  bones: number;
  eta: number;
  /** Rigid TSVD, rigid NNLS, flexible TSVD, flexible NNLS. */
  plain: readonly number[];
  corrected: readonly (number | undefined)[];
}

const of = (
  name: string,
  clip: string | undefined,
  bones: number,
  eta: number,
  plain: readonly number[],
  corrected: readonly (number | undefined)[],
  epsilon = '0.05',
): Published => ({ name, clip, epsilon, bones, eta, plain, corrected });

const TABLE: readonly Published[] = [
  of('ball', undefined, 1, 1, [0.78, 0.78, 0.0002, 0.0002], [0, 0, 0, 0]),
  of('snake', undefined, 27, 0.98, [0.2, 0.24, 0.12, 0.17], [0.1, 0.1, 0.06, 0.06]),
  of('dance', 'pdance', 21, 0.93, [1.21, 1.34, 0.65, 0.77], [0.29, 0.29, 0.17, 0.18]),
  of('bridge', undefined, 14, 0.92, [20.3, 27.1, 12.1, 17.6], [0.16, 0.15, 0.1, 0.05]),
  of('camel', undefined, 23, 0.88, [7.76, 8.17, 3.11, 4.43], [0.98, 0.93, 0.54, 0.54]),
  of('elephant', undefined, 25, 0.85, [10.6, 12.5, 4.8, 6.22], [2.81, 1.78, 1.01, 0.85]),
  of('horse', 'horse-gallop', 30, 0.84, [8.1, 8.9, 3.62, 4.53], [1.46, 1.38, 0.59, 0.53]),
  of('chicken', undefined, 22, 0.83, [0.69, 0.84, 0.39, 0.45], [0.2, 0.17, 0.57, 0.14]),
  of('hands', undefined, 17, 0.79, [2.63, 2.78, 2.5, 2.63], [0.64, 0.62, 0.59, 0.56]),
  of('elasticCow', undefined, 18, 0.41, [2.82, 3.27, 3.09, 3.18], [1.54, 1.55, 1.94, 2.02]),
  of('clothHorse', 'horse-collapse', 6, 0.13, [41.7, 44.1, 28.1, 30.3], [15.3, 0.88, undefined, 0.74]),
  of('flag, ε = 0.05', undefined, 32, 0.42, [21.2, 21.5, 26, 26.6], [7.12, 5.93, 147, 38.9]),
  of('flag, ε = 0.10', undefined, 100, 0.92, [2.26, 2.39, 1.49, 1.58], [1.26, 1.25, 1.67, 1.78], '0.1'),
];
const MODELS: readonly { name: string; words: readonly string[] }[] = [
  { name: 'rigid TSVD', words: ['--transforms', 'rigid', '--weights-by', 'tsvd'] },
  { name: 'rigid NNLS', words: ['--transforms', 'rigid', '--weights-by', 'nnls'] },
  { name: 'flexible TSVD', words: ['--transforms', 'affine', '--weights-by', 'tsvd'] },
  { name: 'flexible NNLS', words: ['--transforms', 'affine', '--weights-by', 'nnls'] },
];

export function makeSmaTable(folder: string | undefined, quick: boolean): PaperTable {
  const rows = TABLE.map((one): PaperRow => {
    const path = folder !== undefined && one.clip !== undefined ? capturedInput(folder, one.clip) : undefined;
    return {
      name: one.clip && one.clip !== one.name ? `${one.name} (${one.clip})` : one.name,
      input: path === undefined ? undefined : { kind: 'file', path },
      cells: cellsOf(one),
    };
  });
  const generated: PaperRow = {
    name: 'quadruped',
    input: { kind: 'sample', sample: 'quadruped', as: 'pc2', options: { resolution: 300, frames: 6 } },
    cells: cellsOf({ name: '', epsilon: '0.05', bones: Number.NaN, eta: Number.NaN, plain: [], corrected: [] }),
  };
  return {
    name: 'SMA, Table 1',
    caption:
      'Bones and near-rigid fraction η by mean shift, distortion in percent (Karni and Gotsman), and after corrections of rank 10. TSVD weights have either sign; a file holds them as more bones.',
    columns: ['bones', 'η', ...MODELS.flatMap(({ name }) => [name, `${name}, rank 10`])],
    rows: quick ? [generated] : rows,
  };
}

function cellsOf({ epsilon, bones, eta, plain, corrected }: Published): Record<string, PaperCell> {
  const known = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? undefined : value);
  const line = (words: readonly string[]) => [
    'decompose',
    'IN',
    'OUT.glb',
    '--method',
    'sma',
    '--epsilon',
    epsilon,
    ...words,
  ];
  const distortion = ({ metrics }: Report) => metrics.distortion ?? Number.NaN;
  const first = [line(MODELS[1].words)];
  const cells: [string, PaperCell][] = [
    ['bones', { published: known(bones), lines: first, read: ({ result }) => Number(result.bones) }],
    ['η', { published: known(eta), lines: first, read: ({ result }) => Number(result.eta) }],
  ];
  MODELS.forEach(({ name, words }, n) => {
    cells.push([name, { published: known(plain[n]), lines: [line(words)], read: distortion }]);
    // corrections go with weights that a file can hold
    const lines = words.includes('nnls') ? [[...line(words), '--corrections', '10']] : undefined;
    cells.push([`${name}, rank 10`, { published: known(corrected[n]), lines, read: distortion }]);
  });
  return Object.fromEntries(cells);
}
