// SPDX-License-Identifier: MIT
// The options of the compression: those of commands, and those of the library alone.

import { UsageError } from '../../core/model/errors.ts';
import { type DefaultsOf, defaultsOf } from '../../core/options/fill-defaults.ts';
import {
  choice,
  count,
  group,
  length,
  list,
  notNegative,
  numberFrom,
  type OptionsOf,
  type OptionType,
  option,
  orWord,
  ratio,
} from '../../core/options/option.ts';
import { checkNorm } from '../../fit/norm/index.ts';
import { RANGES_FILE, type RangeTable } from '../../fit/poses/index.ts';

/** Virtual bones where no number and no error is given, as far as there are points. */
export const VIRTUAL_BONES = 200;
/** Virtual bones per vertex where no number is given, as far as there are virtual bones. */
export const INFLUENCES = 8;
/** Maximum of rangeRatio. */
const MAX_RANGE_RATIO = 2;

/** Commands take the name of a file with the table; functions take the table. */
const rangesOption: OptionType<string | RangeTable> = RANGES_FILE;

/** How many virtual bones a command makes. */
export const COUNT_OPTIONS = group('Compression options:', {
  virtualBones: option(
    list(count(1, 65_535), '<n>'),
    `number of virtual bones, or several for several files: 100,200,500 (default: ${VIRTUAL_BONES} without --max-error)`,
    {
      form: {
        label: 'Virtual bones',
        note: 'Bones between the skeleton and the skin.',
        range: [2, 1000, 1],
        isLog: true,
      },
      defaultFor: ({ maxError }) => (maxError === undefined ? [VIRTUAL_BONES] : undefined),
    },
  ),
  maxError: option(
    length,
    'maximum distance of a vertex from Direct Delta Mush in the animations: 0.01, 2mm or 0.5%. Without --virtual-bones: find the fewest that meet it. ' +
      'With --virtual-bones: exit with status 3 if it is exceeded',
  ),
});

/** Options of the compression. */
export const COMPRESS_OPTIONS = group('Compression options:', {
  /** Maximum number of virtual bones per vertex. Default: 8, or the number of virtual bones if that is less. */
  influences: option(count(1, 64), `maximum virtual bones per vertex (default: ${INFLUENCES})`, {
    defaultFor: () => INFLUENCES,
    form: { label: 'Influences', note: 'Maximum virtual bones per vertex.', range: [1, 16, 1] },
  }),
  /** Ranges of joints in example poses: the paper's defaults, those of the motions ('auto'), or a table by bone name. */
  ranges: option(
    rangesOption,
    'ranges of joint rotations: a JSON file of degrees by bone name, auto (from the animations), or limits (joint limits of the file)',
    {
      default: 'default',
      defaultText: '30° for hips and spine, 120° for others',
      form: {
        label: 'Ranges of motion',
        note: 'Joint rotations to preserve: the ranges of the paper, or those of the animations.',
        labels: { default: 'Paper', auto: 'Animations' },
      },
    },
  ),
  /** What is minimized: 'nonlinear': the error of the true transform; 'linear': the paper's Eq. 11a. */
  objective: option(choice(['nonlinear', 'linear']), "what is minimized: the true error, or the paper's linear form", {
    default: 'nonlinear',
    form: {
      label: 'Objective',
      note: "What is minimized: the true error, or the paper's linear form.",
      labels: { nonlinear: 'True', linear: 'Linear' },
      isFine: true,
    },
  }),
  /** Maximum number of iterations over weights and multi-weights. */
  iterations: option(count(0, 1000), 'maximum iterations of weights and multi-weights', {
    default: 16,
    form: { label: 'Iterations', range: [0, 64, 1], isFine: true },
  }),
  /**
   * Nonlinear: weight of the frames of motions relative to the continuous examples. 0: frames are not used; 1: the mean over frames has the weight of one pose of every
   * joint together, about one half of the objective.
   */
  examples: option(
    notNegative('<weight>'),
    'weight of animation frames relative to generated poses; 1 weights both about equally',
    { default: 0 },
  ),
  /** Nonlinear: the minimized norm over points, 1 to 8, or 'max' for the largest error; above 2, large errors have more weight. */
  norm: option(
    orWord(['max'], numberFrom(1, 8, '<p>')),
    'norm of vertex errors that is lowered: 1 to 8, or max for the largest error',
    { default: 2 },
  ),
  /** Linear: regularization of weights towards those of neighbours (§4.2), relative to the error of the initial virtual bones; 0.01 in the paper. */
  smoothness: option(
    notNegative('<weight>'),
    'regularization of weights between neighbours (linear objective only; the paper uses 0.01)',
    { default: 0 },
  ),
});

/** Options that commands do not have. */
export const TUNING_OPTIONS = {
  /** Multi-weights of virtual bones with a weight below this are added to the nearest kept bone. */
  threshold: option(ratio('<weight>'), 'minimum weight of kept multi-weights', { default: 3e-4 }),
  /** Nonlinear: rotations per joint. */
  poses: option(count(1), 'rotations per joint', { default: 24 }),
  /** Nonlinear: factor on the ranges; 0: 1 for 'auto', otherwise one half. */
  rangeRatio: option(numberFrom(0, MAX_RANGE_RATIO, '<ratio>'), 'factor on the ranges', { default: 0 }),
  /** Number of candidate virtual bones per vertex, the nearest ones. */
  candidates: option(count(1), 'candidate virtual bones per vertex', { default: 28 }),
  /** Nonlinear: fraction of the virtual bones that are relocated per iteration. */
  relocate: option(ratio(), 'fraction of the virtual bones that are relocated per iteration', { default: 0.05 }),
  /** Linear: the update of multi-weights with a scalar Φ and a line search ('guarded'), the published one with determinants ('printed'), or none. Nonlinear: any value except 'none' is Gauss-Newton. */
  update: option(choice(['guarded', 'printed', 'none']), 'update of multi-weights', { default: 'guarded' }),
  /** Random seed. */
  seed: option(count(0, 2 ** 32 - 1), 'random seed', { default: 0 }),
};

export type CompressValues = OptionsOf<typeof COMPRESS_OPTIONS>;
export type TuningValues = OptionsOf<typeof TUNING_OPTIONS>;

/**
 * The defaults of CompressOptions.
 * @interface
 */
export type CompressDefaults = DefaultsOf<typeof COMPRESS_OPTIONS> &
  DefaultsOf<typeof TUNING_OPTIONS> & {
    /** As far as there are points. */
    readonly virtualBones: number;
    /** As far as there are virtual bones. */
    readonly influences: number;
  };

/** Defaults of CompressOptions. */
export const COMPRESS_DEFAULTS: CompressDefaults = {
  virtualBones: VIRTUAL_BONES,
  influences: INFLUENCES,
  ...defaultsOf(COMPRESS_OPTIONS),
  ...defaultsOf(TUNING_OPTIONS),
};

/** Throws a UsageError where options contradict one another. */
export function checkCompressOptions(
  options: Pick<CompressValues, 'objective' | 'examples' | 'norm' | 'smoothness'>,
): void {
  const { objective, examples, norm, smoothness } = options;
  if (objective === 'linear' && examples > 0) throw new UsageError('--examples', 'requires --objective nonlinear');
  if (objective === 'linear' && norm !== 2)
    throw new UsageError('--norm', 'other than 2 requires --objective nonlinear');
  if (objective === 'nonlinear' && smoothness > 0) throw new UsageError('--smoothness', 'requires --objective linear');
}

/** Throws a UsageError for values that the types of options would refuse: functions are called with plain values. */
export function checkCompressValues(options: CompressValues, tuning: TuningValues): void {
  const { objective, examples, norm, smoothness } = options;
  const { threshold, poses, rangeRatio, candidates, relocate, update } = tuning;
  checkWhole('poses', poses, 1);
  checkWhole('candidates', candidates, 1);
  checkChoice('objective', objective, COMPRESS_OPTIONS.objective.type.choices);
  checkChoice('update', update, TUNING_OPTIONS.update.type.choices);
  checkRange('threshold', threshold >= 0 && threshold < 1, `at least 0 and below 1, got ${threshold}`);
  checkRange('relocate', relocate >= 0 && relocate < 1, `at least 0 and below 1, got ${relocate}`);
  checkNorm('compress', norm);
  checkRange('examples', examples >= 0 && Number.isFinite(examples), `a weight of at least 0, got ${examples}`);
  checkRange('smoothness', smoothness >= 0 && Number.isFinite(smoothness), `at least 0, got ${smoothness}`);
  checkRange('rangeRatio', rangeRatio >= 0 && rangeRatio <= MAX_RANGE_RATIO, `from 0 to 2, got ${rangeRatio}`);
}

/** Throws a UsageError unless an option is a whole number that is large enough. */
export function checkWhole(name: string, value: number, min: number): void {
  checkRange(name, Number.isInteger(value) && value >= min, `a whole number of at least ${min}, got ${value}`);
}

function checkChoice(name: string, value: string, choices: readonly string[] = []): void {
  const words = choices.map((one) => `'${one}'`).join(', ');
  checkRange(name, choices.includes(value), `${words.replace(/, ([^,]*)$/, ' or $1')}, got '${value}'`);
}

function checkRange(name: string, isGood: boolean, rule: string): void {
  if (!isGood) throw new UsageError('compress', `${name} must be ${rule}`);
}
