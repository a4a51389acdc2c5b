// SPDX-License-Identifier: MIT
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXTRACT_DEFAULTS } from '../recipe/skeleton.ts';
import type { RootChoice } from '../skeleton/choose-root.ts';
import { JOINT_SOLVERS, type JointSolver } from '../skeleton/pair-joints.ts';
import { PRUNE_RULES, type PruneRule, SKELETON_METHODS, type SkeletonMethod } from '../skeleton/skeleton-options.ts';
import { addFrameOptions, type FrameOptions } from './clip-options.ts';
import { notNegative, positiveNumber, readValue, wholeNumber } from './option-values.ts';
import { type Length, parseLength } from './parse-length.ts';

export interface SkeletonCommandOptions extends FrameOptions {
  method: SkeletonMethod;
  bones?: number;
  maxError?: Length;
  influences: number;
  root?: RootChoice;
  endJoints?: boolean;
  tidy?: boolean;
  anywhere?: boolean;
  hierarchy?: string;
  prune: PruneRule;
  starts: number;
  overestimate: number;
  smoothness: number;
  passes: number;
  iterations: number;
  tolerance: number;
  jointSolver: JointSolver | 'auto';
  time?: number;
  bvh?: string;
  /** true: thinned within a tolerance that is chosen. */
  keys?: Length | true;
  quantize?: boolean;
  meshopt?: boolean;
}

const MOST_BONES = 4096;
const MOST_INFLUENCES = 32;

/** Adds the options of skeleton; defaults are the recipe's own. */
export function addSkeletonOptions(command: Command): void {
  const d = EXTRACT_DEFAULTS;
  command
    .optionsGroup('Model options:')
    .addOption(
      new Option('--method <name>', 'multipass is the accurate one; the others pass once')
        .choices(SKELETON_METHODS)
        .default(d.method),
    )
    .addOption(
      new Option('--bones <n>', 'bones in all (default: as many as the motion needs)').argParser(
        wholeNumber(1, MOST_BONES),
      ),
    )
    .addOption(
      new Option('--influences <n>', 'most weights per vertex')
        .default(d.influences)
        .argParser(wholeNumber(1, MOST_INFLUENCES)),
    )
    .addOption(
      new Option(
        '--max-error <length>',
        'status 3 when a vertex is off by more than this: 0.01, 1mm or 0.5%',
      ).argParser(readValue(parseLength)),
    )
    .optionsGroup('Skeleton options:')
    .addOption(
      new Option(
        '--root <bone>',
        'the bone that all hang on: a name of a run without it, or the one nearest to x,y,z (default: central)',
      ).argParser(readRoot),
    )
    .option('--end-joints', 'add a joint without weights at the end of every chain')
    .addOption(
      new Option(
        '--hierarchy <file>',
        'impose the joints of this skinned glTF, or of a JSON list of { name, parent, position }',
      ).conflicts(['bones', 'root', 'method']),
    )
    .addOption(
      new Option('--tidy', 'joints nearer to where their bones blend, for a larger error').conflicts('anywhere'),
    )
    .option('--anywhere', 'joints wherever the error is lowest, inside the body or not; not with --tidy')
    .optionsGroup('Solver options:')
    .addOption(
      new Option('--prune <rule>', 'without --bones: remove bones by exact cost, or when their weights have faded')
        .choices(PRUNE_RULES)
        .default(d.prune),
    )
    .addOption(
      new Option('--starts <n>', 'decompositions to start from; the lowest error is kept')
        .default(d.starts)
        .argParser(wholeNumber(1, 100)),
    )
    .addOption(
      new Option('--overestimate <n>', 'without --bones: bones to start from')
        .default(d.overestimate)
        .argParser(wholeNumber(2, MOST_BONES)),
    )
    .addOption(
      new Option('--smoothness <x>', 'of weights, in the first passes').default(d.smoothness).argParser(notNegative),
    )
    .addOption(
      new Option('--passes <n>', 'passes with soft joints before they are strict')
        .default(d.passes)
        .argParser(wholeNumber(0)),
    )
    .addOption(
      new Option('--iterations <n>', 'most alternations with strict joints')
        .default(d.iterations)
        .argParser(wholeNumber(0)),
    )
    .addOption(
      new Option('--tolerance <ratio>', 'two alternations in a row that bring less are the last')
        .default(d.tolerance)
        .argParser(notNegative),
    )
    .addOption(
      new Option('--joint-solver <name>', 'first place of a joint (auto: as the paper of the method)')
        .choices(['auto', ...JOINT_SOLVERS])
        .default(d.jointSolver),
    )
    .addOption(
      new Option('--time <seconds>', 'solve no longer than this and keep the best so far').argParser(positiveNumber),
    )
    .optionsGroup('Output options:')
    .option('--bvh <file>', 'also write the motion as BVH; of several clips, one file each')
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

function readRoot(text: string): RootChoice {
  const parts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (parts.length === 3 && parts.every(Number.isFinite)) return [parts[0], parts[1], parts[2]];
  if (text.trim() === '') throw new InvalidArgumentError('Give the name of a bone, or a point such as 0,1,0.');
  return text;
}
