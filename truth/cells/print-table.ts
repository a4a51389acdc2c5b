// SPDX-License-Identifier: MIT
import type { CellResult } from './cell.ts';

/** Counts of the matrix. */
export interface Counts {
  cells: number;
  /** Cells whose printed error is that of the players. */
  within: number;
  off: number;
  /** Commands that rightly refused. */
  refused: number;
  /** Commands that failed, and outputs that no player opens. */
  failed: number;
  lossesNamed: number;
  lossesUnnamed: number;
  /** Counts of reports that are not those of the file. */
  countsOff: number;
  /** Faults of files by the rules of their formats. */
  faults: number;
}

export function countCells(results: readonly CellResult[]): Counts {
  const count = (...verdicts: readonly string[]) => results.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const losses = results.flatMap((result) => result.losses);
  const lossesNamed = losses.filter(({ isNamed }) => isNamed).length;
  return {
    ...{ cells: results.length, within: count('true'), off: count('under', 'over', 'silent') },
    ...{
      refused: count('refused'),
      failed: count('failed', 'unplayed'),
      lossesNamed,
      lossesUnnamed: losses.length - lossesNamed,
      countsOff: results.reduce((sum, { counts = [] }) => sum + counts.length, 0),
      faults: results.reduce((sum, { faults = [] }) => sum + faults.length, 0),
    },
  };
}

/** The matrix as a page: counts per command, then every cell that is not true, and every loss that no note names. */
export function printTable(results: readonly CellResult[]): string {
  const groups = new Map<string, CellResult[]>();
  for (const result of results) {
    const [command] = result.cell.split(' ');
    groups.set(command, [...(groups.get(command) ?? []), result]);
  }
  const row = (name: string, list: readonly CellResult[]) => {
    const { cells, within, off, refused, failed, lossesNamed, lossesUnnamed, countsOff, faults } = countCells(list);
    return `| ${[name, cells, within, off, refused, failed, lossesNamed, lossesUnnamed, countsOff, faults].join(' | ')} |`;
  };
  const bad = results.filter(({ verdict }) => verdict !== 'true');
  const miscounted = results.filter(({ counts = [] }) => counts.length > 0);
  const faulty = results.filter(({ faults = [] }) => faults.length > 0);
  const unnamed = results.filter(({ losses }) => losses.some(({ isNamed }) => !isNamed));
  return [
    '| command | cells | within 5 % | off | refused | failed | losses named | losses unnamed | counts off | faults |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...[...groups].map(([name, list]) => row(name, list)),
    row('all', results),
    '',
    '| cell | verdict | printed | played | where |',
    '|---|---|---|---|---|',
    ...bad.map(
      ({ cell, verdict, printed, played, worst, message }) =>
        `| ${cell} | ${verdict} | ${format(printed)} | ${format(played)} | ${(message ?? worst ?? '').replaceAll('|', '\\|')} |`,
    ),
    '',
    ...(miscounted.length > 0 ? ['| cell | counts |', '|---|---|'] : []),
    ...miscounted.map(({ cell, counts = [] }) => `| ${cell} | ${counts.join('; ')} |`),
    ...(miscounted.length > 0 ? [''] : []),
    ...(faulty.length > 0 ? ['| cell | faults |', '|---|---|'] : []),
    ...faulty.map(({ cell, faults = [] }) => `| ${cell} | ${faults.join('; ').replaceAll('|', '\\|')} |`),
    ...(faulty.length > 0 ? [''] : []),
    '| cell | lost without a note |',
    '|---|---|',
    ...unnamed.map(
      ({ cell, losses }) =>
        `| ${cell} | ${losses
          .filter(({ isNamed }) => !isNamed)
          .map(({ what }) => what)
          .join('; ')
          .replaceAll('|', '\\|')} |`,
    ),
    '',
  ].join('\n');
}

const format = (percent: number | undefined): string => (percent === undefined ? '–' : `${percent.toPrecision(3)} %`);
