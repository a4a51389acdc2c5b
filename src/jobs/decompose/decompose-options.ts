// SPDX-License-Identifier: MIT

import { TRANSFORM_KINDS } from '../../core/kernels/bones/bone-sweep.ts';
import { UsageError } from '../../core/model/errors.ts';
import { checkMaxError } from '../../core/options/length.ts';
import {
  choice,
  count,
  file,
  flag,
  flagOf,
  group,
  length,
  notNegative,
  numberFrom,
  type Option,
  type OptionForm,
  type OptionsOf,
  type OptionType,
  option,
  orWord,
  positive,
  ratio,
  text,
  type Values,
} from '../../core/options/option.ts';
import { SUPPORT_RULES } from '../../fit/skin/index.ts';
import {
  BONE_RULES,
  DECOMPOSE_METHOD_NAMES,
  type DecomposeMethodName,
  decomposeMethodOf,
  findForeignOption,
  listMethodsWith,
  WEIGHT_RULES,
} from '../../methods/decompose/index.ts';
import { COMMON_OPTIONS, FRAME_OPTIONS, KEY_OPTIONS, TOGETHER_OPTION } from '../engine/index.ts';
import { checkDenoise, checkSizeOptions, MEAN_OPTIONS, NOISE_OPTIONS, SIZE_OPTIONS } from '../shared/index.ts';
import { CORRECTION_OPTIONS, checkCorrections } from './correction-options.ts';
import { DECOMPOSE_DEFAULTS } from './decompose.ts';

/** glTF stores joint indices in 16 bits. */
const MAX_BONES = 65_535;
/** Eight sets of four; no viewer reads more. */
const MAX_INFLUENCES = 32;

const methodOf = (values: Values) =>
  decomposeMethodOf((values.method ?? DECOMPOSE_DEFAULTS.method) as DecomposeMethodName);

/** An option that some methods have: help lists them and their defaults. */
function ofMethods<T>(key: string, type: OptionType<T>, help: string, form?: OptionForm): Option<T, false> {
  const owners = listMethodsWith(key);
  const values = owners.map((name) => (decomposeMethodOf(name).defaults as Values)[key]);
  const show = (value: unknown) => (key === 'bones' && value === 0 ? 'found' : String(value));
  const isSame = values.every((value) => value === values[0]);
  const fallback = isSame ? show(values[0]) : owners.map((name, n) => `${name} ${show(values[n])}`).join(', ');
  const only = owners.length < DECOMPOSE_METHOD_NAMES.length ? `${owners.join(', ')}; ` : '';
  return option(type, `${help} (${only}default: ${fallback})`, {
    isFor: (o) => Object.hasOwn(methodOf(o).defaults, key),
    defaultFor: (o) => (methodOf(o).defaults as Values)[key] as never,
    ...(form ? { form } : {}),
  });
}

const summaries = DECOMPOSE_METHOD_NAMES.map((name) => `${name}: ${decomposeMethodOf(name).summary}`).join('; ');

export const DECOMPOSE_OPTIONS = {
  ...group('Model options:', {
    method: option(choice(DECOMPOSE_METHOD_NAMES), `decomposition method; ${summaries}`, {
      default: DECOMPOSE_DEFAULTS.method as DecomposeMethodName,
      form: {
        label: 'Method',
        note: 'SSDR is the most accurate one with rigid bones; the other names are those of their papers.',
        labels: Object.fromEntries(DECOMPOSE_METHOD_NAMES.map((name) => [name, name.toUpperCase()])),
      },
    }),
    bones: ofMethods('bones', count(1, MAX_BONES), 'number of bones', {
      label: 'Bones',
      note: 'Number of bones. More bones lower the error and cost more. With SMA, 0 lets the method choose.',
      range: [0, 400, 1],
      isLog: true,
    }),
    maxError: option(
      length,
      'maximum vertex error: 0.01, 1mm or 0.5%. Without --bones: find the fewest bones that meet it. With --bones: exit with status 3 if it is exceeded',
      {
        isFor: (o) => methodOf(o).solveByError !== undefined,
        form: {
          label: 'Max error',
          note: 'Above zero: find the fewest bones that keep every vertex within this error.',
        },
      },
    ),
    ...MEAN_OPTIONS,
    influences: ofMethods('influences', count(1, MAX_INFLUENCES), 'maximum weights per vertex', {
      label: 'Influences',
      note: 'Maximum weights per vertex. Every viewer reads four.',
      range: [1, 16, 1],
    }),
    transforms: {
      ...ofMethods(
        'transforms',
        choice(TRANSFORM_KINDS, '<kind>'),
        'transforms of a bone; similarity adds scale, affine adds shear',
        {
          label: 'Transforms',
          note: 'Not every engine supports scale and shear.',
          labels: { rigid: 'Rigid', similarity: '+ scale', affine: '+ shear' },
        },
      ),
      isFor: (o: Values) => methodOf(o).transforms.length > 1,
    },
    keepRest: {
      ...ofMethods(
        'keepRest',
        flag,
        'keep the rest pose, which is corrected otherwise unless bones or weights are given',
        {
          label: 'Keep the rest pose',
          note: 'By default the rest pose is corrected too, which lowers the error.',
          isFine: true,
        },
      ),
      help: 'keep the rest pose (default: it is corrected, unless bones or weights are given)',
    },
    epsilon: ofMethods(
      'epsilon',
      positive('<ratio>'),
      'tolerance on triangle rotations within a bone; larger values give fewer bones',
    ),
  }),
  ...group('Solver options:', {
    bonesBy: ofMethods(
      'bonesBy',
      choice(BONE_RULES, '<rule>'),
      "triangles that define a bone: connected patches, or the paper's core triangles",
    ),
    weightsBy: ofMethods(
      'weightsBy',
      choice(WEIGHT_RULES, '<rule>'),
      'weights: not negative, unconstrained, or bounded below; the latter two write more bones',
    ),
    negativity: ofMethods('negativity', notNegative('<ratio>'), 'lower bound of weights with --weights-by bounded'),
    penalty: ofMethods('penalty', ratio(), 'L1 penalty on weights, below 1; larger values give fewer weights'),
    iterations: ofMethods('iterations', count(0), 'maximum iterations over all vertices', {
      label: 'Iterations',
      range: [0, 200, 1],
      isFine: true,
    }),
    tolerance: ofMethods(
      'tolerance',
      notNegative('<ratio>'),
      'stop when an iteration improves the error by less than this ratio',
      { label: 'Tolerance', range: [0, 0.1, 0.0005], isFine: true },
    ),
    ridge: ofMethods('ridge', notNegative('<ratio>'), 'regularization; larger values (0.01) give more local weights', {
      label: 'Ridge',
      range: [0, 0.1, 0.001],
      isFine: true,
    }),
    norm: ofMethods(
      'norm',
      orWord(['max'], numberFrom(1, 8, '<p>')),
      'norm of vertex errors that is lowered: 1 to 8, or max for the largest error',
    ),
    support: ofMethods(
      'support',
      choice(SUPPORT_RULES, '<rule>'),
      "how the bones of a vertex are chosen: by exact error reduction, or by the paper's effect ranking",
    ),
    time: option(positive('<seconds>'), 'time limit in seconds; the best result so far is kept'),
  }),
  ...group('Given parts:', {
    skeleton: option(file, 'keep the bones of this skinned file and their animation; solve the weights', {
      conflicts: ['bones', 'weights'],
    }),
    weights: option(file, 'keep the weights of this skinned file; solve the motion', { conflicts: ['bones'] }),
    locked: option(
      text('<attribute>'),
      'with --weights: keep only the weights of vertices where this attribute is above 0.5',
    ),
  }),
  ...NOISE_OPTIONS,
  ...SIZE_OPTIONS,
  ...KEY_OPTIONS,
  ...CORRECTION_OPTIONS,
  ...FRAME_OPTIONS,
  ...TOGETHER_OPTION,
  ...COMMON_OPTIONS,
};

export type DecomposeValues = OptionsOf<typeof DECOMPOSE_OPTIONS>;

/** Throws a UsageError where options contradict one another or the method. */
export function checkDecomposeOptions(options: DecomposeValues, { output = '' }: { output?: string } = {}): void {
  const { method: name, transforms } = options;
  const method = decomposeMethodOf(name);
  const foreign = findForeignOption(name, options);
  if (foreign !== undefined)
    throw new UsageError(
      flagOf(foreign),
      `not supported by ${name}; it is an option of ${listMethodsWith(foreign).join(', ')}`,
    );
  if (transforms !== undefined && !method.transforms.includes(transforms))
    throw new UsageError(
      `--transforms ${transforms}`,
      `not supported by ${name}, whose bones are ${method.transforms.join(' or ') || 'chosen by it'}`,
    );
  const given = options.skeleton === undefined ? (options.weights === undefined ? undefined : 'weights') : 'skeleton';
  if (given !== undefined && !method.keeps?.includes(given))
    throw new UsageError(`--${given}`, `not supported by ${name}`);
  if (
    options.maxError !== undefined &&
    options.bones === undefined &&
    !method.solveByError &&
    method.defaults.bones > 0
  )
    throw new UsageError('--max-error', `requires --bones with ${name}, which does not search for the number of bones`);
  checkCorrections(options);
  if (options.locked !== undefined && options.weights === undefined)
    throw new UsageError('--locked', 'requires --weights');
  checkMaxError(options.maxError, 'skin');
  checkSizeOptions(options, output);
  checkDenoise(options.denoise);
  if (options.for !== undefined && (options.corrections !== undefined || given !== undefined))
    throw new UsageError('--for size', 'cannot be used with --corrections, --skeleton or --weights');
  if ((options.rms !== undefined || options.kg !== undefined) && !method.solveByError && options.bones === undefined)
    throw new UsageError(options.kg === undefined ? '--rms' : '--kg', `requires --bones with ${name}`);
}
