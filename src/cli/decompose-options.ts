// SPDX-License-Identifier: MIT
import { type Command, Option } from 'commander';
import { BONE_RULES, type BoneRule } from '../decompose/sma.ts';
import { SUPPORT_RULES, type SupportRule } from '../fit/skin-fit.ts';
import { WEIGHT_RULES, type WeightRule } from '../fit/vertex-weights.ts';
import { TRANSFORM_KINDS, type TransformKind } from '../kernels/bone-sweep.ts';
import { DECOMPOSE_DEFAULTS } from '../recipe/decompose.ts';
import {
  DECOMPOSE_METHOD_NAMES,
  type DecomposeMethodName,
  decomposeMethodOf,
  findForeignOption,
  listMethodsWith,
} from '../recipe/decompose-methods.ts';
import { addFrameOptions, type FrameOptions } from './clip-options.ts';
import { addCorrectionsOptions, type CorrectionsOptions } from './corrections.ts';
import { UsageError } from './exit-status.ts';
import { belowOne, notNegative, positiveNumber, readValue, wholeNumber } from './option-values.ts';
import { type Length, parseLength } from './parse-length.ts';

/** Options of methods are undefined where they were not given: each method has its own defaults, and its own options. */
export interface DecomposeCommandOptions extends FrameOptions, CorrectionsOptions {
  method: DecomposeMethodName;
  bones?: number;
  maxError?: Length;
  epsilon?: number;
  bonesBy?: BoneRule;
  weightsBy?: WeightRule;
  negativity?: number;
  penalty?: number;
  influences?: number;
  transforms?: TransformKind;
  iterations?: number;
  tolerance?: number;
  keepRest?: boolean;
  ridge?: number;
  support?: SupportRule;
  time?: number;
  skeleton?: string;
  weights?: string;
  locked?: string;
  /** true: thinned within a tolerance that is chosen. */
  keys?: Length | true;
  quantize?: boolean;
  meshopt?: boolean;
}

/** glTF names joints by 16 bits. */
const MOST_BONES = 65_535;
/** Eight sets of four: more than any player reads. */
const MOST_INFLUENCES = 32;

/** Adds the options of decompose; what they do where they are not given is said from the methods' own defaults. */
export function addDecomposeOptions(command: Command): void {
  const methods = DECOMPOSE_METHOD_NAMES.map((name) => `${name}: ${decomposeMethodOf(name).summary}`).join('; ');
  command
    .optionsGroup('Model options:')
    .addOption(
      new Option('--method <name>', `decomposition; ${methods}`)
        .choices(DECOMPOSE_METHOD_NAMES)
        .default(DECOMPOSE_DEFAULTS.method),
    )
    .addOption(ofMethods('bones', '--bones <n>', 'bones to find').argParser(wholeNumber(1, MOST_BONES)))
    .addOption(
      new Option(
        '--max-error <length>',
        'farthest that any vertex may be off: 0.01, 1mm or 0.5%; alone, finds the fewest bones that hold it, ' +
          'else status 3 when it is not held',
      ).argParser(readValue(parseLength)),
    )
    .addOption(
      ofMethods('influences', '--influences <n>', 'most weights per vertex').argParser(wholeNumber(1, MOST_INFLUENCES)),
    )
    .addOption(
      ofMethods(
        'transforms',
        '--transforms <kind>',
        'what a bone may do; similarity also scales, affine also shears',
      ).choices(TRANSFORM_KINDS),
    )
    .option('--keep-rest', 'leave the rest pose as it is (default: it is corrected, unless bones or weights are given)')
    .addOption(
      ofMethods(
        'epsilon',
        '--epsilon <ratio>',
        'how unlike triangles may turn on one bone; larger finds fewer',
      ).argParser(positiveNumber),
    )
    .optionsGroup('Solver options:')
    .addOption(
      ofMethods(
        'bonesBy',
        '--bones-by <rule>',
        "triangles that make a bone: connected patches and what they predict best, or the paper's core triangles",
      ).choices(BONE_RULES),
    )
    .addOption(
      ofMethods(
        'weightsBy',
        '--weights-by <rule>',
        'not negative, any (closest to the clip), or bounded below; the latter two write more bones',
      ).choices(WEIGHT_RULES),
    )
    .addOption(
      ofMethods('negativity', '--negativity <ratio>', 'with --weights-by bounded: how far below zero').argParser(
        notNegative,
      ),
    )
    .addOption(
      ofMethods('penalty', '--penalty <ratio>', 'L1 penalty of weights, below 1; more makes them fewer').argParser(
        belowOne,
      ),
    )
    .addOption(
      ofMethods('iterations', '--iterations <n>', 'most alternations over all vertices').argParser(wholeNumber(0)),
    )
    .addOption(
      ofMethods('tolerance', '--tolerance <ratio>', 'an alternation that brings less is the last').argParser(
        notNegative,
      ),
    )
    .addOption(
      ofMethods('ridge', '--ridge <ratio>', 'more makes weights more local, such as 0.01').argParser(notNegative),
    )
    .addOption(
      ofMethods(
        'support',
        '--support <rule>',
        "how a vertex gets its bones: by exact gains, or by the paper's largest effects",
      ).choices(SUPPORT_RULES),
    )
    .addOption(
      new Option('--time <seconds>', 'solve no longer than this and keep the best so far').argParser(positiveNumber),
    )
    .optionsGroup('Given parts:')
    .addOption(
      new Option(
        '--skeleton <file>',
        'keep the bones of this skinned file and their animation; solve weights',
      ).conflicts(['bones', 'weights']),
    )
    .addOption(
      new Option('--weights <file>', 'keep the weights of this skinned file; solve the motion').conflicts('bones'),
    )
    .option('--locked <attribute>', 'with --weights: keep only those of vertices where this attribute is above 0.5')
    .optionsGroup('Output options:')
    .addOption(
      new Option(
        '--keys [length]',
        'fewer animation keys, within this length (default: a tenth of the RMSE, or 0.01% if that is more)',
      ).argParser(readValue(parseLength)),
    )
    .option('--quantize', 'store joints, weights, normals and UVs in fewer bytes')
    .option('--meshopt', 'compress with EXT_meshopt_compression; players need its decoder');
  addCorrectionsOptions(command);
  addFrameOptions(command);
}

/** An option that some methods have; its description says which, and what holds where it is not given. */
function ofMethods(key: string, flags: string, description: string): Option {
  const owners = listMethodsWith(key);
  const values = owners.map((name) => (decomposeMethodOf(name).defaults as Record<string, unknown>)[key]);
  const told = (value: unknown) => (key === 'bones' && value === 0 ? 'found' : String(value));
  const isSame = values.every((value) => value === values[0]);
  const fallback = isSame ? told(values[0]) : owners.map((name, n) => `${name} ${told(values[n])}`).join(', ');
  const only = owners.length < DECOMPOSE_METHOD_NAMES.length ? `${owners.join(', ')}; ` : '';
  return new Option(flags, `${description} (${only}default: ${fallback})`);
}

/** Throws where an option, a kind of bone or a given part does not go with the method. */
export function checkMethodOptions(options: DecomposeCommandOptions): void {
  const { method: name, transforms } = options;
  const method = decomposeMethodOf(name);
  const foreign = findForeignOption(name, options);
  if (foreign !== undefined)
    throw new UsageError(
      `--${foreign.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} is an option of ` +
        `--method ${listMethodsWith(foreign).join(', ')}; ${name} has none such`,
    );
  if (transforms !== undefined && !method.transforms.includes(transforms))
    throw new UsageError(`--transforms ${transforms}: the bones of ${name} are ${method.transforms.join(' or ')}`);
  if ((options.skeleton ?? options.weights) !== undefined && !method.solveGiven)
    throw new UsageError(`--${options.skeleton === undefined ? 'weights' : 'skeleton'}: ${name} keeps no given parts`);
  if (
    options.maxError !== undefined &&
    options.bones === undefined &&
    !method.solveByError &&
    method.defaults.bones > 0
  )
    throw new UsageError(`--max-error: ${name} does not search for the number of bones; give --bones with it`);
}

/** The method's options after its defaults, as the report gives them. */
export function settleMethodOptions(options: DecomposeCommandOptions): DecomposeCommandOptions {
  const { defaults } = decomposeMethodOf(options.method);
  const { seed: _seed, time: _time, ...own } = defaults;
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...own, ...given } as DecomposeCommandOptions;
}
