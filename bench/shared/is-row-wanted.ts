// SPDX-License-Identifier: MIT
import type { BenchContext } from './bench-suite.ts';

/** Whether `--only` includes a row. Commas separate names there, and are no part of them: 'horse-gallop 33' is the row 'horse-gallop, 33 bones'. */
export function isRowWanted({ only }: Pick<BenchContext, 'only'>, row: string): boolean {
  const plain = row.replaceAll(',', '');
  return only.length === 0 || only.some((name) => plain.includes(name));
}
