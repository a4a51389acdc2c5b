// SPDX-License-Identifier: MIT
import { UsageError } from '../model/errors.ts';

/** A length with its unit. */
export interface Length {
  value: number;
  /** file: file units; metres: requires a file with units; ratio: relative to the box diagonal of the rest pose (0.01 is 1 %). */
  of: 'file' | 'metres' | 'ratio';
  /** The text it was parsed from. */
  text: string;
}

/** The file that a length refers to. */
export interface LengthScale {
  metresPerUnit?: number;
  /** Box diagonal of the rest pose, file units. */
  diagonal: number;
}

/** Metres per unit, by its suffix. */
export const METRES: Readonly<Record<string, number>> = {
  um: 1e-6,
  mm: 1e-3,
  cm: 1e-2,
  dm: 1e-1,
  m: 1,
  km: 1e3,
  in: 0.0254,
  ft: 0.3048,
};

/** Reads `0.02` (file units), `1mm` or `0.5%`. Throws a UsageError for anything else, negative numbers included. */
export function parseLength(text: string): Length {
  const match = /^\s*(\d+(?:\.\d*)?(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?)\s*(%|[a-z]*)\s*$/i.exec(text);
  const value = match ? Number(match[1]) : Number.NaN;
  if (!match || !Number.isFinite(value)) {
    throw new UsageError('', `"${text}" is not a length; write a number in file units, or 1mm, or 0.5%`);
  }
  const unit = match[2].toLowerCase();
  if (unit === '') return { value, of: 'file', text };
  if (unit === '%') return { value: value / 100, of: 'ratio', text };
  const metres = METRES[unit];
  if (metres === undefined) {
    throw new UsageError('', `"${text}" has an unknown unit; known are ${Object.keys(METRES).join(', ')} and %`);
  }
  return { value: value * metres, of: 'metres', text };
}

/**
 * Throws a UsageError for a limit of zero.
 * @param what the operation that is never exact: 'compression'
 */
export function checkMaxError(maxError: string | undefined, what: string): void {
  if (maxError !== undefined && parseLength(maxError).value === 0)
    throw new UsageError('--max-error', `must be above zero: no ${what} is exact`);
}

/** The length in file units. Throws a UsageError if the unit of the file is unknown. */
export function lengthInFileUnits(length: Length, scale: LengthScale): number {
  if (length.of === 'file') return length.value;
  if (length.of === 'ratio') return length.value * scale.diagonal;
  if (!scale.metresPerUnit) {
    throw new UsageError(
      '',
      `"${length.text}" needs a file that has units; give --unit (for example --unit cm), a plain number, or a percentage`,
    );
  }
  return length.value / scale.metresPerUnit;
}
