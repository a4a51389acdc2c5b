// SPDX-License-Identifier: MIT
import { UsageError } from '../model/errors.ts';
import type { OptionType } from './option.ts';

/** Bytes in each unit. */
const UNITS: Readonly<Record<string, number>> = {
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** An amount of memory as it is written: 800MB, 2GB, 1.5GiB. The value is in bytes. */
export const memorySize: OptionType<number> = {
  placeholder: '<size>',
  isText: true,
  parse(text) {
    const match = /^\s*(\d+(?:\.\d+)?|\.\d+)\s*([kmgt]i?b)\s*$/i.exec(text);
    const bytes = match ? Number(match[1]) * UNITS[match[2].toLowerCase()] : Number.NaN;
    if (!(bytes > 0 && Number.isFinite(bytes))) throw new UsageError('', 'Give a size with its unit: 800MB, 2GB.');
    return bytes;
  },
};
