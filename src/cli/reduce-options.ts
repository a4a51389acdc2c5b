// SPDX-License-Identifier: MIT
import { type Command, Option } from 'commander';
import {
  REDUCE_DEFAULTS,
  REDUCE_METHODS,
  REDUCE_PURSUITS,
  type ReduceMethod,
  type ReducePursuit,
} from '../recipe/reduce.ts';
import { addReadOptions, type ReadOptions } from './clip-options.ts';
import { belowOne, notNegative, positiveNumber, readValue, wholeNumber } from './option-values.ts';
import { type Length, parseLength } from './parse-length.ts';

export interface ReduceCommandOptions extends ReadOptions {
  method?: ReduceMethod;
  influences?: number;
  virtualBones?: number;
  maxError?: Length;
  /** 'auto', 'animations', 'ranges', 'none' or a clip. */
  poses: string;
  ranges?: string;
  normals: number;
  printed?: boolean;
  pursuit?: ReducePursuit;
  /** true: what nobody sees. */
  pruneBones?: number | true;
  maxBones?: number;
  cage?: string;
  quantize?: boolean;
  meshopt?: boolean;
}

const MOST_VIRTUAL_BONES = 65_535;
const MOST_BONES = 65_536;

/** Adds the options of reduce; defaults are the recipe's own. */
export function addReduceOptions(command: Command): void {
  const d = REDUCE_DEFAULTS;
  command
    .optionsGroup('Model options:')
    .addOption(
      new Option(
        '--method <name>',
        'exchange: the best few bones, by poses; klargest; smooth; geometric; poisson; twolayer: virtual bones (default: exchange, klargest without poses)',
      ).choices(REDUCE_METHODS),
    )
    .addOption(
      new Option(
        '--influences <k>',
        `most weights per vertex; with twolayer, most blends per vertex of both layers, such as 2.5 (default: ${d.influences})`,
      ).argParser(positiveNumber),
    )
    .addOption(
      new Option('--virtual-bones <n>', 'twolayer: so many virtual bones, instead of --influences').argParser(
        wholeNumber(2, MOST_VIRTUAL_BONES),
      ),
    )
    .addOption(
      new Option(
        '--max-error <length>',
        'farthest that any vertex may be off in the animations: 0.01, 2mm or 0.5%; alone, finds the fewest weights or virtual bones that hold it, ' +
          'else status 3 when it is not held',
      ).argParser(readValue(parseLength)),
    )
    .option('--printed', 'twolayer: the algorithm as printed, to compare with')
    .addOption(
      new Option(
        '--pursuit <name>',
        'twolayer: how vertices choose virtual bones; pairs: the best pair, exactly; to compare with: matching pursuit, orthogonal matching pursuit, or K-SVD with either (default: pairs)',
      ).choices(REDUCE_PURSUITS),
    )
    .optionsGroup('Pose options:')
    .addOption(
      new Option(
        '--poses <source>',
        'what the look is held in: auto (the animations, else ranges), animations, ranges (poses are drawn), none, or a clip of the same mesh (rest.obj+motion.pc2)',
      ).default(d.poses),
    )
    .addOption(new Option('--ranges <file>', 'how far joints turn: a JSON file of degrees by bone name'))
    .addOption(
      new Option('--normals <ratio>', 'how much normals count: a length, in parts of the model; 0: positions only')
        .default(d.normals)
        .argParser(notNegative),
    )
    .addOption(
      new Option(
        '--cage <file>',
        'the input is bound to this cage, by mean value coordinates; its motion gives the poses',
      ),
    )
    .optionsGroup('Bone options:')
    .addOption(
      new Option(
        '--prune-bones [ratio]',
        'take out bones that move less than this part of the model (default: 0.0005)',
      ).argParser(belowOne),
    )
    .addOption(
      new Option('--max-bones <n>', 'split the mesh so that no piece needs more bones').argParser(
        wholeNumber(1, MOST_BONES),
      ),
    )
    .optionsGroup('Output options:')
    .option('--quantize', 'store joints, weights, normals and UVs in fewer bytes')
    .option('--meshopt', 'compress with EXT_meshopt_compression; players need its decoder');
  addReadOptions(command);
}
