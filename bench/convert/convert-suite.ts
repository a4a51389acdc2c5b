// SPDX-License-Identifier: MIT
// Table 1 of Mukai 2018: conversion of rigs into helper bones. Our rigs follow the description of theirs (docs/reference/samples.md).
import type { Report } from '../../src/entry/index.ts';
import type { BenchSuite } from '../shared/bench-suite.ts';
import { makePaperPage } from '../shared/paper-page.ts';
import { type PaperCell, type PaperRow, type PaperTable, runPaperTables } from '../shared/paper-table.ts';
import { runFuture } from './convert-future.ts';
import { runJointCounts } from './convert-joints.ts';

/** Row of the table, our rig, helpers, α in percent, seconds. */
const TABLE: readonly [string, string, number, number, number][] = [
  ['Branch (LBS)', 'lbs-branch', 0, 0, 3.5],
  ['Serial (LBS)', 'lbs-serial', 0, 0, 3.4],
  ['Helper bone', 'helper-bone', 1, 1.81, 49.9],
  ['Delta Mush', 'delta-mush-pole', 0, 0.86, 6.4],
  ['Arm (PSD)', 'pose-space-arm', 4, 2.97, 12.8],
  ['Female (CBS)', 'corrective-body', 0, 1.57, 1054],
  ['Leg (Muscle)', 'muscle-leg', 2, 7.85, 88],
  ['Arm (Muscle)', 'muscle-arm', 2, 3.26, 329.4],
];
/** Random poses that are measured; the large ones have fewer. */
const POSES = 10_000;
const FEW_POSES = 1000;
const LARGE = ['corrective-body', 'muscle-arm'];

const readAlpha = ({ metrics }: Report) => metrics.alpha ?? Number.NaN;

export const convertSuite: BenchSuite = {
  name: 'convert',
  description: 'rigs as helper bones, as Table 1 of Mukai 2018; α in % over random poses, seconds',
  async run(context) {
    const table = await runPaperTables(context, [makeTable(context.quick)]);
    return [...table, ...(await runJointCounts(context)), ...(await runFuture(context))];
  },
  makePage: (rows) =>
    makePaperPage(
      'convert',
      'Rigs as plain bones with helpers ([helper bones](../../src/methods/convert/README.md)). The rigs are ours, made after the description in the document.',
      rows,
    ),
};

function makeTable(quick: boolean): PaperTable {
  return {
    name: 'Helper, Table 1',
    caption: `α in percent over ${POSES} random poses (${FEW_POSES} for the body and the muscle arm): with scaled helpers, with rigid ones, and with random training poses (the baseline of the document, §6); seconds of solving.`,
    columns: ['α', 'α rigid helpers', 'α random sampling', 'seconds'],
    rows: TABLE.slice(0, quick ? 1 : undefined).map(([name, rig, helpers, alpha, seconds]): PaperRow => {
      const poses = quick ? 50 : LARGE.includes(rig) ? FEW_POSES : POSES;
      const line = ['convert', 'IN', 'OUT.glb', '--helpers', String(helpers), '--poses', String(poses)];
      const cells: Record<string, PaperCell> = {
        α: { published: alpha, lines: [line], read: readAlpha },
        seconds: { published: seconds, lines: [line], read: ({ seconds: own }) => own.solve ?? Number.NaN },
      };
      if (helpers > 0) cells['α rigid helpers'] = { lines: [[...line, '--transforms', 'rigid']], read: readAlpha };
      if (!LARGE.includes(rig))
        cells['α random sampling'] = { lines: [[...line, '--sampling', 'random']], read: readAlpha };
      return { name, input: { kind: 'word', word: `sample:${rig}` }, cells };
    }),
  };
}
