// SPDX-License-Identifier: MIT
// Lengths in millimetres need a file with units. Formats that have none are known by their names, before anything is read.
import { UsageError } from '../../core/model/errors.ts';
import { parseLength } from '../../core/options/length.ts';
import { flagOf } from '../../core/options/option.ts';
import { ASSET_FORMATS } from '../../formats/assets/index.ts';
import type { Job, JobSpec } from '../engine/index.ts';

/** Throws a UsageError for a length in metres if no format of the input has units, and `unit` is not given. */
export function checkUnits({ options }: JobSpec, { inputs, options: given = {} }: Job): void {
  if (!options.unit || given.unit !== undefined) return;
  const labels = listUnitless(inputs[0] ?? '');
  if (!labels) return;
  for (const [key, value] of Object.entries(given)) {
    if (!options[key]?.type.isLength || !isMetric(value)) continue;
    throw new UsageError(
      flagOf(key),
      `"${value}" needs a file that has units, and ${labels.join(' and ')} files have none; give --unit (for example --unit cm), a plain number, or a percentage`,
    );
  }
}

function isMetric(value: unknown): value is string {
  // a word such as auto, or a switch, is no length
  return typeof value === 'string' && /\d/.test(value) && parseLength(value).of === 'metres';
}

/** Labels of the formats of an input; undefined if a file has units, or if its name does not tell. */
function listUnitless(input: string): string[] | undefined {
  const formats = input.split(/[+,]/).map((path) => {
    const extension = path.toLowerCase().replace(/^.*\./, '');
    return ASSET_FORMATS.find(({ extensions }) => extensions.includes(extension));
  });
  const labels: string[] = [];
  for (const format of formats) {
    if (!format || (format.kind === 'scene' && format.hasUnits)) return undefined;
    labels.push(format.label);
  }
  return [...new Set(labels)];
}
