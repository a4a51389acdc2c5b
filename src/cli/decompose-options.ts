// SPDX-License-Identifier: MIT
import { type Command, Option } from 'commander';
import { SUPPORT_RULES, type SupportRule } from '../fit/skin-fit.ts';
import { TRANSFORM_KINDS, type TransformKind } from '../kernels/bone-sweep.ts';
import { DECOMPOSE_DEFAULTS, DECOMPOSE_METHODS, type DecomposeOptions } from '../recipe/decompose.ts';
import { addFrameOptions, type FrameOptions } from './clip-options.ts';
import { notNegative, positiveNumber, readValue, wholeNumber } from './option-values.ts';
import { type Length, parseLength } from './parse-length.ts';

export interface DecomposeCommandOptions extends FrameOptions {
  method: NonNullable<DecomposeOptions['method']>;
  bones?: number;
  maxError?: Length;
  influences: number;
  transforms: TransformKind;
  iterations: number;
  tolerance: number;
  keepRest?: boolean;
  ridge: number;
  support: SupportRule;
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

/** Adds the options of decompose; defaults are the recipe's own. */
export function addDecomposeOptions(command: Command): void {
  const d = DECOMPOSE_DEFAULTS;
  command
    .optionsGroup('Model options:')
    .addOption(new Option('--method <name>', 'decomposition').choices(DECOMPOSE_METHODS).default(d.method))
    .addOption(
      new Option('--bones <n>', `bones to find (default: ${d.bones} where --max-error is not given)`).argParser(
        wholeNumber(1, MOST_BONES),
      ),
    )
    .addOption(
      new Option(
        '--max-error <length>',
        'farthest that any vertex may be off: 0.01, 1mm or 0.5%; alone, finds the fewest bones that hold it, ' +
          'else status 3 when it is not held',
      ).argParser(readValue(parseLength)),
    )
    .addOption(
      new Option('--influences <n>', 'most weights per vertex')
        .default(d.influences)
        .argParser(wholeNumber(1, MOST_INFLUENCES)),
    )
    .addOption(
      new Option('--transforms <kind>', 'what a bone may do; similarity also scales, affine also shears')
        .choices(TRANSFORM_KINDS)
        .default(d.transforms),
    )
    .option('--keep-rest', 'leave the rest pose as it is (default: it is corrected, unless bones or weights are given)')
    .optionsGroup('Solver options:')
    .addOption(
      new Option('--iterations <n>', 'most alternations over all vertices')
        .default(d.iterations)
        .argParser(wholeNumber(0)),
    )
    .addOption(
      new Option('--tolerance <ratio>', 'an alternation that brings less is the last')
        .default(d.tolerance)
        .argParser(notNegative),
    )
    .addOption(
      new Option('--ridge <ratio>', 'more makes weights more local, such as 0.01')
        .default(d.ridge)
        .argParser(notNegative),
    )
    .addOption(
      new Option('--support <rule>', "how a vertex gets its bones: by exact gains, or by the paper's largest effects")
        .choices(SUPPORT_RULES)
        .default(d.support),
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
  addFrameOptions(command);
}
