// SPDX-License-Identifier: MIT

import { UsageError } from '../../core/model/errors.ts';
import { checkMaxError } from '../../core/options/length.ts';
import {
  choice,
  file,
  flagOf,
  group,
  length,
  type OptionsOf,
  option,
  text,
  type Values,
} from '../../core/options/option.ts';
import { checkPath, defineStep, type Path, type Step, schemaOf } from '../../core/options/step.ts';
import {
  DECOMPOSE_METHOD_NAMES,
  type DecomposeMethodName,
  type DecomposeMethodOptions,
  decomposeMethodOf,
  listMethodsWith,
  methodOptionsOf,
} from '../../methods/decompose/index.ts';
import {
  COMMON_STEP,
  FRAMES_STEP,
  KEYS_STEP,
  READ_STEP,
  REST_STEP,
  STORE_STEP,
  TOGETHER_STEP,
} from '../engine/index.ts';
import { checkSizeOptions, DENOISE_STEP, MEAN_OPTIONS, NOISE_STEP, SIZE_STEP } from '../shared/index.ts';
import { CORRECTIONS_STEP, checkCorrections } from './correction-options.ts';
import { DEFAULT_METHOD, mergeMethodOptions } from './method-options.ts';

const methodIn = (values: Values) => decomposeMethodOf((values.method ?? DEFAULT_METHOD) as DecomposeMethodName);
const summaries = DECOMPOSE_METHOD_NAMES.map((name) => `${name}: ${decomposeMethodOf(name).summary}`).join('; ');
const { bones, ...methodOptions } = mergeMethodOptions();

const BONES_STEP = defineStep({
  name: 'bones',
  options: {
    ...group('Model options:', {
      method: option(choice(DECOMPOSE_METHOD_NAMES), `decomposition method; ${summaries}`, {
        default: DEFAULT_METHOD,
        form: {
          label: 'Method',
          note: 'SSDR is the most accurate one with rigid bones; the other names are those of their papers.',
          labels: Object.fromEntries(DECOMPOSE_METHOD_NAMES.map((name) => [name, name.toUpperCase()])),
        },
      }),
    }),
    bones,
  },
});

const MAX_STEP = defineStep({
  name: 'largest error',
  options: group('Model options:', {
    maxError: option(
      length,
      'maximum vertex error: 0.01, 1mm or 0.5%. Without --bones: find the fewest bones that meet it. With --bones: exit with status 3 if it is exceeded',
      {
        isFor: (o) => methodIn(o).capabilities.goals.length > 0,
        form: {
          label: 'Max error',
          note: 'Above zero: find the fewest bones that keep every vertex within this error.',
        },
      },
    ),
  }),
  check: ({ maxError }) => checkMaxError(maxError, 'skin'),
});

const MEAN_STEP = defineStep({ name: 'mean error', options: MEAN_OPTIONS });

const METHOD_STEP = defineStep({ name: 'method', options: methodOptions });

const GIVEN_STEP = defineStep({
  name: 'given parts',
  options: group('Given parts:', {
    skeleton: option(file, 'keep the bones of this skinned file and their animation; solve the weights', {
      conflicts: ['bones', 'weights'],
    }),
    weights: option(file, 'keep the weights of this skinned file; solve the motion', { conflicts: ['bones'] }),
    locked: option(
      text('<attribute>'),
      'with --weights: keep only the weights of vertices where this attribute is above 0.5',
    ),
  }),
  check({ locked, weights }) {
    if (locked !== undefined && weights === undefined) throw new UsageError('--locked', 'requires --weights');
  },
});

/** All steps, in the order of the help. */
const STEPS = [
  ...[BONES_STEP, MAX_STEP, MEAN_STEP, METHOD_STEP, GIVEN_STEP, NOISE_STEP, DENOISE_STEP, SIZE_STEP],
  ...[KEYS_STEP, STORE_STEP, CORRECTIONS_STEP, READ_STEP, REST_STEP, FRAMES_STEP, TOGETHER_STEP, COMMON_STEP],
] as const;

export const DECOMPOSE_OPTIONS = schemaOf(STEPS);

export type DecomposeValues = OptionsOf<typeof DECOMPOSE_OPTIONS>;

const without = (...left: readonly Step[]): Step[] => STEPS.filter((step: Step) => !left.includes(step));

/** The ways through the job. */
export const DECOMPOSE_PATHS = {
  /** Frames in memory. */
  whole: { of: 'files that every viewer reads', steps: without(SIZE_STEP), faults: { codec: 'requires --for size' } },
  /** The smallest file that meets an error. */
  small: { of: '--for size', steps: without(KEYS_STEP, CORRECTIONS_STEP, GIVEN_STEP) },
  /** A point cache larger than the memory. */
  streamed: {
    of: 'a point cache that is read in blocks',
    steps: without(MEAN_STEP, DENOISE_STEP, SIZE_STEP, CORRECTIONS_STEP, REST_STEP, FRAMES_STEP, GIVEN_STEP),
  },
} as const satisfies Record<string, Path>;

/** Throws a UsageError where options contradict one another or the method. */
export function checkDecomposeOptions(options: DecomposeValues, given: Values, output = ''): void {
  checkMethod(options, given);
  checkCorrections(options);
  GIVEN_STEP.check?.(options);
  MAX_STEP.check?.(options);
  checkSizeOptions(options, output);
  DENOISE_STEP.check?.(options);
  const isGiven = options.skeleton !== undefined || options.weights !== undefined;
  if (options.for !== undefined && (options.corrections !== undefined || isGiven))
    throw new UsageError('--for size', 'cannot be used with --corrections, --skeleton or --weights');
  checkMeans(options);
  checkPath(options.for === undefined ? DECOMPOSE_PATHS.whole : DECOMPOSE_PATHS.small, given);
}

/** The options of the method, as they are given: checkMethod has refused those of others. The seed has a value in every job. */
export function methodValuesOf(options: DecomposeValues): DecomposeMethodOptions {
  const hasSeed = Object.hasOwn(methodOptionsOf(options.method), 'seed');
  const keys = [...Object.keys(METHOD_STEP.options), 'bones', ...(hasSeed ? ['seed'] : [])];
  const values: Values = options;
  return Object.fromEntries(keys.map((key) => [key, values[key]]));
}

/** Whether a path has all options that are given and have an effect. */
export function hasPath({ steps }: Path, options: DecomposeValues, given: Values): boolean {
  const values: Values = options;
  const isOn = (key: string) =>
    given[key] !== undefined && given[key] !== null && values[key] !== false && values[key] !== 0;
  return Object.keys(given).every((key) => !isOn(key) || steps.some((step) => Object.hasOwn(step.options, key)));
}

/** Options of other methods, and values or parts that the method does not support. */
function checkMethod(
  { method: name, transforms, skeleton, weights, bones, maxError }: DecomposeValues,
  given: Values,
): void {
  const { capabilities, options } = decomposeMethodOf(name);
  for (const key of Object.keys(given)) {
    const owners = listMethodsWith(key);
    if (given[key] !== undefined && given[key] !== null && owners.length > 0 && !owners.includes(name))
      throw new UsageError(flagOf(key), `not supported by ${name}; it is an option of ${owners.join(', ')}`);
  }
  const kinds = 'transforms' in options ? options.transforms.type.choices : undefined;
  if (transforms !== undefined && kinds?.includes(transforms) === false)
    throw new UsageError(
      `--transforms ${transforms}`,
      `not supported by ${name}, whose bones are ${kinds.join(' or ')}`,
    );
  const keeps = skeleton === undefined ? (weights === undefined ? undefined : 'weights') : 'skeleton';
  if (keeps !== undefined && !capabilities.keeps.includes(keeps))
    throw new UsageError(`--${keeps}`, `not supported by ${name}`);
  if (maxError !== undefined && bones === undefined && !capabilities.goals.includes('max') && hasDefaultCount(name))
    throw new UsageError('--max-error', `requires --bones with ${name}, which does not search for the number of bones`);
}

function checkMeans({ method, rms, kg, bones }: DecomposeValues): void {
  if (
    (rms !== undefined || kg !== undefined) &&
    bones === undefined &&
    !decomposeMethodOf(method).capabilities.goals.includes('rms')
  )
    throw new UsageError(kg === undefined ? '--rms' : '--kg', `requires --bones with ${method}`);
}

/** Whether a method has a number of bones unless one is given, as opposed to finding it. */
function hasDefaultCount(name: DecomposeMethodName): boolean {
  return decomposeMethodOf(name).options.bones.default !== 0;
}
