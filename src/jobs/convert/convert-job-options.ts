// SPDX-License-Identifier: MIT
import { TRANSFORM_KINDS } from '../../core/kernels/bones/bone-sweep.ts';
import { MAX_CONTROLLER_ORDER } from '../../core/model/deformed/helper-bones.ts';
import { BLEND_KINDS } from '../../core/model/deformed/skin-blend.ts';
import {
  choice,
  count,
  file,
  flag,
  group,
  length,
  list,
  notNegative,
  option,
  orWord,
  outputFile,
  ratio,
  text,
} from '../../core/options/option.ts';
import { EPSILON_RULES, SAMPLING_RULES } from '../../methods/convert/index.ts';
import { COMMON_OPTIONS, FRAME_OPTIONS, STORE_OPTIONS } from '../engine/index.ts';
import { SMALL_OPTIONS } from '../shared/index.ts';
import { CONVERT_DEFAULTS } from './convert.ts';
import { SHAPE_OPTIONS } from './convert-shapes-job.ts';
import { ELIMINATE_OPTION } from './eliminate-job.ts';

const D = CONVERT_DEFAULTS;

/** Options of the job convert. */
export const CONVERT_OPTIONS = {
  ...group('Helper options:', {
    helpers: option(
      count(0, 256),
      `number of helper bones; 0 only solves weights (default: ${D.helpers} without --max-error)`,
      {
        defaultFor: ({ maxError }) => (maxError === undefined ? D.helpers : undefined),
        form: { label: 'Helpers', note: 'Number of helper bones to add.', range: [0, 64, 1] },
      },
    ),
    maxError: option(
      length,
      'maximum vertex error in the animations, or in random poses if there are none: 0.01, 2mm or 0.5%. Without --helpers: add helpers until it is met. ' +
        'With --helpers: exit with status 3 if it is exceeded',
    ),
    around: option(list(text('<name>'), '<joints>'), 'joints at which helpers may start: names separated by commas', {
      default: [...D.around],
      defaultText: 'all',
    }),
    transforms: option(
      choice(TRANSFORM_KINDS, '<kind>'),
      'transforms of helpers: rigid, or similarity, which adds scale along their own axes; of bones of morph targets: also affine (their default)',
      {
        default: D.transforms as (typeof TRANSFORM_KINDS)[number],
        form: {
          label: 'Transforms',
          note: 'Transforms of helper bones.',
          labels: { rigid: 'Rigid', similarity: '+ scale', affine: '+ shear' },
        },
      },
    ),
    influences: option(count(1, 64), 'maximum bones per vertex', {
      default: D.influences,
      form: { label: 'Influences', note: 'Maximum weights per vertex.', range: [1, 16, 1] },
    }),
    normals: option(notNegative('<weight>'), 'weight of normals relative to positions when solving weights', {
      default: D.normals,
    }),
    normalWeights: option(flag, 'fit separate weights for normals (OSSIFY_skin_blend); positions keep theirs'),
    target: option(
      choice(BLEND_KINDS, '<blend>'),
      'how bones are blended: linear, or dual-quaternion (OSSIFY_skin_blend, rigid helpers, with a plain skin beside it)',
      { default: D.target },
    ),
    iterations: option(count(0, 1000), 'iterations of weights and helpers after each helper', {
      default: D.iterations,
    }),
  }),
  ...group('Sampling options:', {
    samples: option(count(2, 10_000), 'training poses per joint', {
      default: D.samples,
      form: { label: 'Samples', note: 'Training poses per joint.', range: [2, 200, 1], isFine: true },
    }),
    sampling: option(choice(SAMPLING_RULES, '<rule>'), 'how training poses are chosen: by importance, or at random', {
      default: D.sampling,
    }),
    epsilon: option(ratio(), 'ignore displacements below this ratio of a size, see --epsilon-of', {
      default: D.epsilon,
    }),
    epsilonOf: option(
      choice(EPSILON_RULES, '<size>'),
      'size that epsilon is a ratio of: region (what a joint moves), or model (one threshold for all)',
      { default: D.epsilonOf },
    ),
    ranges: option(
      file,
      'ranges of joint rotations: a JSON file of degrees by joint name, auto (from the animations), or limits (joint limits of the file)',
      {
        default: D.ranges as string,
        defaultText: '90° about each axis',
        form: {
          label: 'Ranges of motion',
          note: 'Training poses: 90° about each axis, or the rotations of the animations.',
          labels: { default: '±90°', auto: 'Animations' },
        },
      },
    ),
  }),
  ...group('Controller options:', {
    order: option(count(1, MAX_CONTROLLER_ORDER), 'order of the polynomials', { default: D.order }),
    beta: option(orWord(['auto'], ratio()), 'strength of the lasso, from 0 to below 1, or auto (cross-validation)', {
      default: D.beta,
    }),
    joints: option(count(1, 64), 'maximum joints that a helper depends on', { default: D.joints }),
    delay: option(
      orWord(['auto'], notNegative('<seconds>')),
      'seconds that helpers lag behind their joints; auto, for a clip: found for each helper from the frames',
      { default: D.delay },
    ),
    edit: option(
      file,
      'controllers of an earlier conversion (--controllers), edited: joints, ranges and key poses are kept, the rest is fitted again',
      {
        conflicts: ['helpers', 'maxError', 'around'],
      },
    ),
    controllers: option(outputFile, 'also write the controllers as JSON'),
    drivers: option(choice(['blender'], '<tool>'), 'also write a script that sets up drivers: out.blender.py'),
  }),
  ...group('Source options:', {
    skeleton: option(file, 'for a clip: the glTF with the bones that moved it', { conflicts: ['morphDrivers'] }),
    cage: option(file, 'bind the input to this cage; its motion space is converted like morph targets', {
      conflicts: ['skeleton', 'morphDrivers'],
    }),
    morphDrivers: option(
      file,
      'drivers of the morph targets of the input: a driver file, see docs/reference/samples.md',
    ),
  }),
  ...SHAPE_OPTIONS,
  ...group('Output options:', {
    poses: option(count(1, 1_000_000), 'number of random poses to measure; 1000 for morph targets', {
      default: 10_000,
    }),
    ...ELIMINATE_OPTION,
  }),
  ...SMALL_OPTIONS,
  ...STORE_OPTIONS,
  ...FRAME_OPTIONS,
  ...COMMON_OPTIONS,
};
