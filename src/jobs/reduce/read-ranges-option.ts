// SPDX-License-Identifier: MIT

import { InputError } from '../../core/model/errors.ts';
import type { RangeTable } from '../../fit/poses/ranges-of-motion.ts';
import { RANGE_WORDS } from '../engine/common-options.ts';
import type { JobContext } from '../engine/job-context.ts';
import { readJsonFile } from '../engine/read-json-file.ts';

/** The ranges of motion of an option: a keyword, or the table in a file. Bone names are checked later, against the skeleton. */
export async function readRangesOption(
  ranges: string,
  context: JobContext,
): Promise<(typeof RANGE_WORDS)[number] | RangeTable> {
  const word = RANGE_WORDS.find((one) => one === ranges);
  if (word) return word;
  const table = await readJsonFile(ranges, 'ranges of motion', context);
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    throw new InputError(ranges, 'is not an object with degrees per bone name');
  return table as RangeTable;
}
