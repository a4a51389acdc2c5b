// SPDX-License-Identifier: MIT
import { formatNumber } from '../../../jobs/engine/index.ts';

/** A row of a published table with both values of each column. */
export interface PaperGridRow {
  row: string;
  /** Significant digits. Default: 3. */
  digits?: number;
  cells: readonly { column: string; published?: number; ours?: number }[];
}

const DIGITS = 3;

/**
 * A published table as texts, its head first. A column of the document has two columns, what was published and what was measured; others have one, and columns without any
 * number have none.
 *
 * @param rows The rows; each has all columns in the same order.
 * @param label The heads of the two columns.
 */
export function makePaperGrid(
  rows: readonly PaperGridRow[],
  label: (column: string) => { published: string; ours: string },
): string[][] {
  const values = (column: string, side: 'published' | 'ours') =>
    rows.map(({ cells }) => cells.find((cell) => cell.column === column)?.[side]);
  const columns = [...new Set(rows.flatMap(({ cells }) => cells.map(({ column }) => column)))];
  const shown = columns.flatMap((column) => {
    const [published, ours] = [values(column, 'published'), values(column, 'ours')];
    const isPublished = published.some((value) => value !== undefined);
    const own = isPublished ? label(column).ours : column;
    return [
      ...(isPublished ? [{ head: label(column).published, list: published }] : []),
      ...(isPublished || ours.some((value) => value !== undefined) ? [{ head: own, list: ours }] : []),
    ];
  });
  const body = rows.map(({ row, digits = DIGITS }, n) => [
    row,
    ...shown.map(({ list }) => {
      const value = list[n];
      return value === undefined ? '–' : formatNumber(value, digits);
    }),
  ]);
  return [['', ...shown.map(({ head }) => head)], ...body];
}
