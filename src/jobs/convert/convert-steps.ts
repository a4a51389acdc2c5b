// SPDX-License-Identifier: MIT
// The parts of convert and their options. convert does four things, depending on its input, and --eliminate a fifth: each is a path of some of these
// parts (convert-paths.ts).
import { TRANSFORM_KINDS } from '../../core/kernels/bones/bone-sweep.ts';
import {
  choice,
  count,
  file,
  group,
  length,
  type OptionsOf,
  option,
  orWord,
  outputFile,
  positive,
} from '../../core/options/option.ts';
import { defineStep, schemaOf } from '../../core/options/step.ts';
import { RANGES_FILE } from '../../fit/poses/index.ts';
import { HELPER_OPTIONS } from '../../methods/convert/index.ts';
import { ELIMINATE_OPTIONS } from '../../methods/eliminate/index.ts';
import { FACE_OPTIONS } from '../../methods/faces/index.ts';
import { COMMON_OPTIONS, FRAME_OPTIONS, READ_OPTIONS, STORE_OPTIONS } from '../engine/index.ts';
import { ROOT_STEP, SMALL_OPTIONS } from '../shared/index.ts';
import { CONVERT_DEFAULTS } from './convert.ts';

const { helpers, around, influences, normals, normalWeights, target, iterations, ...OTHERS } = HELPER_OPTIONS;
const { samples, sampling, epsilon, epsilonOf, order, beta, joints, delay } = OTHERS;
const { bones, nonzeros, examples, pairs } = FACE_OPTIONS;
const { frames, animation, rate } = FRAME_OPTIONS;

export const HELPER_COUNT = defineStep({ name: 'helper count', options: { helpers } });

export const ERROR_LIMIT = defineStep({
  name: 'error limit',
  options: group('Helper options:', {
    maxError: option(
      length,
      'maximum vertex error in the animations, or in random poses if there are none: 0.01, 2mm or 0.5%. Without --helpers: add helpers until it is met. ' +
        'With --helpers: exit with status 3 if it is exceeded',
    ),
  }),
});

export const HELPER_PLACE = defineStep({ name: 'place of helpers', options: { around } });

const TRANSFORM_HELP =
  'transforms of helpers: rigid, or similarity, which adds scale along their own axes; of bones of morph targets: also affine (their default)';

export const BONES = defineStep({
  name: 'bones',
  options: {
    ...group('Helper options:', {
      transforms: option(choice(TRANSFORM_KINDS, '<kind>'), TRANSFORM_HELP, {
        default: CONVERT_DEFAULTS.transforms,
        form: {
          label: 'Transforms',
          note: 'Transforms of helper bones.',
          labels: { rigid: 'Rigid', similarity: '+ scale', affine: '+ shear' },
        },
      }),
    }),
    influences,
  },
});

/** The same options of bones of morph targets, whose defaults differ. */
export const SHAPE_BONES = defineStep({
  name: 'bones of shapes',
  options: { transforms: FACE_OPTIONS.transforms, influences: FACE_OPTIONS.influences },
});

export const HELPER_FIT = defineStep({
  name: 'fit of helpers',
  options: { normals, normalWeights, target, iterations },
});

export const SAMPLING = defineStep({
  name: 'sampling',
  options: {
    ...{ samples, sampling, epsilon, epsilonOf },
    ...group('Sampling options:', {
      ranges: option<string>(
        RANGES_FILE,
        'ranges of joint rotations: a JSON file of degrees by joint name, auto (from the animations), or limits (joint limits of the file)',
        {
          default: CONVERT_DEFAULTS.ranges,
          defaultText: '90° about each axis',
          form: {
            label: 'Ranges of motion',
            note: 'Training poses: 90° about each axis, or the rotations of the animations.',
            labels: { default: '±90°', auto: 'Animations' },
          },
        },
      ),
    }),
  },
});

export const CONTROLLERS = defineStep({
  name: 'controllers',
  options: {
    ...{ order, beta, joints, delay },
    ...group('Controller options:', {
      edit: option(
        file,
        'controllers of an earlier conversion (--controllers), edited: joints, ranges and key poses are kept, the rest is fitted again',
        { conflicts: ['helpers', 'maxError', 'around'] },
      ),
    }),
  },
});

export const SCRIPTS = defineStep({
  name: 'scripts',
  options: group('Controller options:', {
    controllers: option(outputFile, 'also write the controllers as JSON'),
    drivers: option(choice(['blender'], '<tool>'), 'also write a script that sets up drivers: out.blender.py'),
  }),
});

export const GIVEN_SKELETON = defineStep({
  name: 'given skeleton',
  options: group('Source options:', {
    skeleton: option(file, 'for a clip: the glTF with the bones that moved it', { conflicts: ['morphDrivers'] }),
  }),
});

export const CAGE = defineStep({
  name: 'cage',
  options: group('Source options:', {
    cage: option(file, 'bind the input to this cage; its motion space is converted like morph targets', {
      conflicts: ['skeleton', 'morphDrivers'],
    }),
  }),
});

export const MORPH_DRIVERS = defineStep({
  name: 'morph drivers',
  options: group('Source options:', {
    morphDrivers: option(
      file,
      'drivers of the morph targets of the input: a driver file, see docs/reference/samples.md',
    ),
  }),
});

export const SHAPES = defineStep({
  name: 'shapes',
  options: group('Shape options (for morph targets):', {
    ...{ bones, nonzeros, examples },
    keepShapes: option(
      orWord([], length),
      'shapes that remain as morph targets: a number of them (5), or all whose maximum error is larger than a length with a unit (1mm, 0.5%)',
    ),
    pairs,
  }),
});

/** Random poses to measure a rig in, if no number is given. */
export const DEFAULT_POSES = 10_000;
const POSES_HELP = 'number of random poses to measure; 1000 for morph targets';

export const POSES = defineStep({
  name: 'poses',
  options: group('Output options:', { poses: option(count(1, 1_000_000), POSES_HELP, { default: DEFAULT_POSES }) }),
});

/** The same option of morph targets, whose default differs. */
export const SHAPE_POSES = defineStep({
  name: 'poses of shapes',
  options: group('Output options:', { poses: option(count(1, 1_000_000), POSES_HELP, { default: 1000 }) }),
});

export const ELIMINATE = defineStep({ name: 'eliminate', options: group('Output options:', ELIMINATE_OPTIONS) });
export const SMALL = defineStep({ name: 'size', options: SMALL_OPTIONS });
export const STORE = defineStep({ name: 'store', options: STORE_OPTIONS });
export const READ = defineStep({ name: 'read', options: READ_OPTIONS });
export const FRAMES = defineStep({ name: 'frames', options: { frames, animation } });
export const RATE = defineStep({ name: 'frame rate', options: { rate } });

/** Seconds. Characters of 10,000 vertices and 65 joints (Michelle, ninja) take 30 s on two cores. */
const DEFAULT_TIME = 300;
export const TIME_LIMIT = defineStep({
  name: 'time limit',
  options: group('Common options:', {
    time: option(positive('<seconds>'), 'time limit of the solve in seconds; the best result so far is kept', {
      default: DEFAULT_TIME,
    }),
  }),
});
export const COMMON = defineStep({ name: 'common', options: COMMON_OPTIONS });

/** Options of the job convert, in the order of the help. */
export const CONVERT_OPTIONS = schemaOf([
  HELPER_COUNT,
  ERROR_LIMIT,
  HELPER_PLACE,
  BONES,
  HELPER_FIT,
  SAMPLING,
  CONTROLLERS,
  SCRIPTS,
  GIVEN_SKELETON,
  CAGE,
  MORPH_DRIVERS,
  SHAPES,
  POSES,
  ELIMINATE,
  SMALL,
  STORE,
  READ,
  FRAMES,
  RATE,
  ROOT_STEP,
  TIME_LIMIT,
  COMMON,
]);

/** The options of the job. */
export type ConvertJobOptions = OptionsOf<typeof CONVERT_OPTIONS>;
