// SPDX-License-Identifier: MIT
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RangeTable } from '../fit/ranges-of-motion.ts';
import { COMPRESS_DEFAULTS } from '../recipe/compress.ts';
import { MUSH_DEFAULTS } from '../recipe/mush.ts';
import { JobError } from './exit-status.ts';
import { addDdmOptions, type DdmCommandOptions, MOST_ITERATIONS } from './mush-options.ts';
import { notNegative, readValue, wholeNumber } from './option-values.ts';
import { type Length, parseLength } from './parse-length.ts';
import { readBytes } from './read-bytes.ts';

export interface CompressCommandOptions extends DdmCommandOptions {
  /** One, or a ladder. */
  virtualBones?: number[];
  maxError?: Length;
  influences?: number;
  /** 'default', 'auto', 'limits' or a file. */
  ranges: string;
  objective: 'nonlinear' | 'linear';
  iterations: number;
  examples: number;
  norm: number;
  smoothness: number;
  /** Smoothing steps of Direct Delta Mush. */
  smoothing: number;
}

/** Options that say how Direct Delta Mush is made: of no use to a file that has it. */
export const MUSH_OPTION_NAMES: readonly (keyof CompressCommandOptions)[] = [
  ...(['smoothing', 'lambda', 'kappa', 'alpha', 'map', 'bind', 'method', 'threshold', 'drop', 'bridge'] as const),
];

const MOST_VIRTUAL_BONES = 65_535;
const MOST_INFLUENCES = 64;
const MOST_ALTERNATIONS = 1000;

/** Adds the options of compress; defaults are the recipe's own. */
export function addCompressOptions(command: Command): void {
  const d = COMPRESS_DEFAULTS;
  command
    .optionsGroup('Compression options:')
    .addOption(
      new Option(
        '--virtual-bones <n>',
        `virtual bones, or a ladder of files: 100,200,500 (default: ${d.virtualBones} where --max-error is not given)`,
      ).argParser(readCounts),
    )
    .addOption(
      new Option(
        '--max-error <length>',
        'farthest that any vertex may be off Direct Delta Mush in the animations: 0.01, 2mm or 0.5% of the box diagonal; alone, finds the fewest virtual bones that ' +
          'hold it, else status 3 when it is not held',
      ).argParser(readValue(parseLength)),
    )
    .addOption(
      new Option('--influences <n>', `most virtual bones per vertex (default: ${d.influences})`).argParser(
        wholeNumber(1, MOST_INFLUENCES),
      ),
    )
    .addOption(
      new Option(
        '--ranges <file>',
        'how far joints turn: a JSON file of degrees by bone name, auto: as in the animations, or limits: as the joints of the file say',
      ).default(d.ranges, 'hips and spine 30°, others 120°, either way'),
    )
    .addOption(
      new Option('--objective <name>', 'what is lowered: the true error, or its linear form as in the paper')
        .choices(['nonlinear', 'linear'])
        .default(d.objective),
    )
    .addOption(
      new Option('--iterations <n>', 'alternations of weights and multi-weights')
        .default(d.iterations)
        .argParser(wholeNumber(0, MOST_ALTERNATIONS)),
    )
    .addOption(
      new Option(
        '--examples <weight>',
        'what frames of the animations count beside the poses that are made up: 0 nothing, 1 about one half',
      )
        .default(d.examples)
        .argParser(notNegative),
    )
    .addOption(
      new Option('--norm <p>', 'of the errors of vertices: above 2 the largest count for more')
        .default(d.norm)
        .argParser(readNorm),
    )
    .addOption(
      new Option(
        '--smoothness <weight>',
        'linear objective: how much weights keep to those of neighbours; the paper has 0.01',
      )
        .default(d.smoothness)
        .argParser(notNegative),
    )
    .optionsGroup('Direct Delta Mush options, where the file has none:')
    .addOption(
      new Option('--smoothing <n>', 'smoothing steps')
        .default(MUSH_DEFAULTS.iterations)
        .argParser(wholeNumber(1, MOST_ITERATIONS)),
    );
  addDdmOptions(command);
}

function readCounts(text: string): number[] {
  const read = wholeNumber(1, MOST_VIRTUAL_BONES);
  const counts = text.split(',').map(read);
  if (new Set(counts).size < counts.length) throw new InvalidArgumentError('Give each number once.');
  return counts;
}

function readNorm(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value >= 2 && value <= 8)) throw new InvalidArgumentError('Give a number from 2 to 8.');
  return value;
}

/** The ranges that an option names. Bones are checked later, against the skeleton. */
export async function readRangesOption(ranges: string): Promise<'default' | 'auto' | 'limits' | RangeTable> {
  if (ranges === 'default' || ranges === 'auto' || ranges === 'limits') return ranges;
  const bytes = await readBytes(ranges, false);
  let table: unknown;
  try {
    table = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new JobError(`${ranges}: is not JSON; write an object with degrees per bone name`, { cause: error });
  }
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    throw new JobError(`${ranges}: is not an object with degrees per bone name`);
  return table as RangeTable;
}
