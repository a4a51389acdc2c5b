// SPDX-License-Identifier: MIT
import { fileOrWord, type OptionType } from '../../core/options/option.ts';

/** Where ranges of motion come from, if they are not in a file. */
export const RANGE_WORDS = ['default', 'auto', 'limits'] as const;

/** The ranges of motion: a word, or a JSON file of degrees by bone name. */
export const RANGES_FILE: OptionType<string> = fileOrWord((value) => RANGE_WORDS.some((word) => word === value));
