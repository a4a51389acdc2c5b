// SPDX-License-Identifier: MIT
import { type Command, Option } from 'commander';
import { readMorphDrivers } from '../io/morph-driver-file.ts';
import { MOST_CONTROLLER_ORDER } from '../model/helper-bones.ts';
import type { MorphDriver } from '../model/morph-drivers.ts';
import { CONVERT_DEFAULTS } from '../recipe/convert.ts';
import { HELPER_TRANSFORMS, type HelperTransforms } from '../rig/convert-options.ts';
import { SAMPLING_RULES, type SamplingRule } from '../rig/sample-poses.ts';
import { addFrameOptions, type FrameOptions } from './clip-options.ts';
import { JobError } from './exit-status.ts';
import { belowOne, notNegative, readValue, wholeNumber } from './option-values.ts';
import { type Length, parseLength } from './parse-length.ts';
import { readBytes } from './read-bytes.ts';

export const DRIVER_TOOLS = ['blender'] as const;

export interface ConvertCommandOptions extends FrameOptions {
  helpers?: number;
  maxError?: Length;
  around: string[];
  influences: number;
  transforms: HelperTransforms;
  samples: number;
  sampling: SamplingRule;
  epsilon: number;
  /** 'default', 'auto', 'limits' or a file. */
  ranges: string;
  order: number;
  beta: number | 'auto';
  joints: number;
  normals: number;
  iterations: number;
  skeleton?: string;
  morphDrivers?: string;
  controllers?: string;
  drivers?: (typeof DRIVER_TOOLS)[number];
  /** Random poses to measure at. */
  poses: number;
  quantize?: boolean;
  meshopt?: boolean;
}

const MOST_HELPERS = 256;
const MOST_INFLUENCES = 64;
const MOST_SAMPLES = 10_000;
const MOST_JOINTS = 64;
const MOST_ALTERNATIONS = 1000;
const MOST_POSES = 1_000_000;
const DEFAULT_POSES = 10_000;

/** Adds the options of convert; defaults are the recipe's own. */
export function addConvertOptions(command: Command): void {
  const d = CONVERT_DEFAULTS;
  command
    .optionsGroup('Helper options:')
    .addOption(
      new Option(
        '--helpers <n>',
        `helper bones; 0 only solves weights (default: ${d.helpers} where --max-error is not given)`,
      ).argParser(wholeNumber(0, MOST_HELPERS)),
    )
    .addOption(
      new Option(
        '--max-error <length>',
        'farthest that any vertex may be off in the animations, or in random poses where there are none: 0.01, 2mm or 0.5%; alone, adds helpers until it ' +
          'holds, else status 3 when it does not',
      ).argParser(readValue(parseLength)),
    )
    .addOption(
      new Option('--around <joints>', 'joints at which helpers may start, by name, with commas')
        .default([...d.around], 'anywhere')
        .argParser((text) => text.split(',').map((name) => name.trim())),
    )
    .addOption(
      new Option('--transforms <kind>', 'what helpers do: turn and move, or also scale along their own axes')
        .choices(HELPER_TRANSFORMS)
        .default(d.transforms),
    )
    .addOption(
      new Option('--influences <n>', 'most bones per vertex')
        .default(d.influences)
        .argParser(wholeNumber(1, MOST_INFLUENCES)),
    )
    .addOption(
      new Option('--normals <weight>', 'how much normals count in the weights: 0 not at all, 1 as much as positions')
        .default(d.normals)
        .argParser(notNegative),
    )
    .addOption(
      new Option('--iterations <n>', 'alternations of weights and helpers after each helper')
        .default(d.iterations)
        .argParser(wholeNumber(0, MOST_ALTERNATIONS)),
    )
    .optionsGroup('Sampling options:')
    .addOption(
      new Option('--samples <n>', 'training poses per joint')
        .default(d.samples)
        .argParser(wholeNumber(2, MOST_SAMPLES)),
    )
    .addOption(
      new Option('--sampling <rule>', 'which: those that tell most, or any')
        .choices(SAMPLING_RULES)
        .default(d.sampling),
    )
    .addOption(
      new Option('--epsilon <ratio>', "displacements below this part of a joint's region do not count")
        .default(d.epsilon)
        .argParser(belowOne),
    )
    .addOption(
      new Option(
        '--ranges <file>',
        'how far joints turn: a JSON file of degrees by joint name, auto: as in the animations, or limits: as the joints of the file say',
      ).default(d.ranges, '90° either way about each axis'),
    )
    .optionsGroup('Controller options:')
    .addOption(
      new Option('--order <n>', 'order of the polynomials')
        .default(d.order)
        .argParser(wholeNumber(1, MOST_CONTROLLER_ORDER)),
    )
    .addOption(
      new Option('--beta <ratio>', 'strength of the lasso, 0 up to 1 (nothing is left), or auto: by cross-validation')
        .default(d.beta)
        .argParser((text) => (text === 'auto' ? text : belowOne(text))),
    )
    .addOption(
      new Option('--joints <n>', 'most joints that a helper reads')
        .default(d.joints)
        .argParser(wholeNumber(1, MOST_JOINTS)),
    )
    .option('--controllers <file>', 'write the controllers as JSON too')
    .addOption(
      new Option('--drivers <tool>', 'write a script beside the output that sets up drivers: out.blender.py').choices(
        DRIVER_TOOLS,
      ),
    )
    .optionsGroup('Source options:')
    .option('--skeleton <file>', 'the input is a clip; this glTF has the bones that moved in it')
    .option('--morph-drivers <file>', 'what drives the morph targets of the input: a driver file, see docs/samples.md')
    .optionsGroup('Output options:')
    .addOption(
      new Option('--poses <n>', 'random poses to measure at')
        .default(DEFAULT_POSES)
        .argParser(wholeNumber(1, MOST_POSES)),
    )
    .option('--quantize', 'store joints, weights, normals and UVs in fewer bytes')
    .option('--meshopt', 'compress with EXT_meshopt_compression; players need its decoder');
  addFrameOptions(command);
}

/** The drivers that an option names. Joints and targets are checked later, against the file. */
export async function readDriversOption(path: string): Promise<MorphDriver[]> {
  const bytes = await readBytes(path, false);
  try {
    return readMorphDrivers(bytes);
  } catch (error) {
    throw new JobError(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
