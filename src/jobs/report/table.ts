// SPDX-License-Identifier: MIT
import { plainText } from '../../core/model/plain-text.ts';

export interface TableOptions {
  /** One letter per column: l left, r right. Columns past the end are left. */
  align?: string;
  /** Prefix of every line. */
  indent?: string;
  /** Styles the first row as a heading with a rule below it. */
  heading?: (text: string) => string;
}

/** Rows of cells as aligned lines of plain text, each ending in a line break. Widths count code points. */
export function formatTable(rows: readonly (readonly string[])[], options: TableOptions = {}): string {
  const { align = '', indent = '', heading } = options;
  const cells = rows.map((row) => row.map((cell) => plainText(cell)));
  const widths: number[] = [];
  for (const row of cells) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, [...cell].length);
    });
  }
  const lines = cells.map((row) => {
    const padded = row.map((cell, column) => {
      const space = ' '.repeat(widths[column] - [...cell].length);
      if (align[column] === 'r') return space + cell;
      return column === row.length - 1 ? cell : cell + space;
    });
    return `${indent}${padded.join('  ')}`.trimEnd();
  });
  if (heading && lines.length > 0) {
    const rule = widths.map((width) => '-'.repeat(width)).join('  ');
    lines[0] = heading(lines[0]);
    lines.splice(1, 0, indent + rule);
  }
  return lines.map((line) => `${line}\n`).join('');
}
