// SPDX-License-Identifier: MIT

import { InputError } from '../../../core/model/errors.ts';
import { RANGE_WORDS, type RangeTable } from '../../../fit/poses/index.ts';
import { type JobContext, readJsonFile } from '../../engine/index.ts';

/** The ranges of motion of an option: a keyword, or the table in a file. Functions give the table itself. Bone names are checked later, against the skeleton. */
export async function readRangesOption(
  ranges: string | RangeTable,
  context: JobContext,
): Promise<(typeof RANGE_WORDS)[number] | RangeTable> {
  if (typeof ranges !== 'string') return ranges;
  const word = RANGE_WORDS.find((one) => one === ranges);
  if (word) return word;
  const table = await readJsonFile(ranges, 'ranges of motion', context);
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    throw new InputError(ranges, 'is not an object with degrees per bone name');
  return table as RangeTable;
}
