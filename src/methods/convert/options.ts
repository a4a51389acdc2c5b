// SPDX-License-Identifier: MIT

import { MAX_CONTROLLER_ORDER } from '../../core/model/deformed/helper-bones.ts';
import { BLEND_KINDS } from '../../core/model/deformed/skin-blend.ts';
import { UsageError } from '../../core/model/errors.ts';
import {
  choice,
  count,
  flag,
  group,
  list,
  notNegative,
  type OptionsOf,
  option,
  orWord,
  ratio,
  text,
} from '../../core/options/option.ts';

/** Transformations of helper bones: rotation and translation, or also scale along their own axes. */
export const HELPER_TRANSFORMS = ['rigid', 'similarity'] as const;
/** Transformations of helper bones. */
export type HelperTransforms = (typeof HELPER_TRANSFORMS)[number];

/** What ε is a ratio of. */
export const EPSILON_RULES = ['region', 'model'] as const;
export type EpsilonRule = (typeof EPSILON_RULES)[number];

/** How training poses are chosen. */
export const SAMPLING_RULES = ['importance', 'random'] as const;
export type SamplingRule = (typeof SAMPLING_RULES)[number];

/** Number of helper bones if neither a number nor a maximum error is given. */
export const HELPERS = 4;

/** Options of the conversion to helper bones. */
export const HELPER_OPTIONS = {
  ...group('Helper options:', {
    /** Number of helper bones to add; 0 only solves the weights of the joints. */
    helpers: option(
      count(0, 256),
      `number of helper bones; 0 only solves weights (default: ${HELPERS} without --max-error)`,
      {
        defaultFor: ({ maxError }) => (maxError === undefined ? HELPERS : undefined),
        form: { label: 'Helpers', note: 'Number of helper bones to add.', range: [0, 64, 1] },
      },
    ),
    /** Names of joints: helpers may start only at their vertices. Empty: anywhere. */
    around: option<readonly string[]>(
      list(text('<name>'), '<joints>'),
      'joints at which helpers may start: names separated by commas',
      { default: [], defaultText: 'all' },
    ),
    /** Transformations of helper bones. */
    transforms: option(
      choice(HELPER_TRANSFORMS, '<kind>'),
      'transforms of helpers: rigid, or similarity, which adds scale along their own axes',
      { default: 'similarity' },
    ),
    /** Maximum number of weights per vertex. */
    influences: option(count(1, 64), 'maximum bones per vertex', {
      default: 4,
      form: { label: 'Influences', note: 'Maximum weights per vertex.', range: [1, 16, 1] },
    }),
    /** Weight of normals in the fit of weights: 0: positions only; 1: a normal has the weight of a point at the distance of the nearest vertices. */
    normals: option(notNegative('<weight>'), 'weight of normals relative to positions when solving weights', {
      default: 0,
    }),
    /** Separate weights for normals, fitted to the normals of the source; positions keep theirs. */
    normalWeights: option(flag, 'fit separate weights for normals (OSSIFY_skin_blend); positions keep theirs'),
    /** How the bones of the result are blended. Dual quaternions require rigid helpers. A plain skin for linear blending is made as well. */
    target: option(
      choice(BLEND_KINDS, '<blend>'),
      'how bones are blended: linear, or dual-quaternion (OSSIFY_skin_blend, rigid helpers, with a plain skin beside it)',
      { default: 'linear' },
    ),
    /** Iterations over weights and helpers after each added helper, and after the last. */
    iterations: option(count(0, 1000), 'iterations of weights and helpers after each helper', { default: 20 }),
  }),
  ...group('Sampling options:', {
    /** M: number of training poses per joint. */
    samples: option(count(2, 10_000), 'training poses per joint', {
      default: 20,
      form: { label: 'Samples', note: 'Training poses per joint.', range: [2, 200, 1], isFine: true },
    }),
    /** How training poses are chosen: by 'importance', as in the paper, or at 'random', as a baseline. */
    sampling: option(choice(SAMPLING_RULES, '<rule>'), 'how training poses are chosen: by importance, or at random', {
      default: 'importance',
    }),
    /** ε: displacements below this ratio of the size of a joint's region are ignored. */
    epsilon: option(ratio(), 'ignore displacements below this ratio of a size, see --epsilon-of', { default: 0.01 }),
    /** What ε is a ratio of: the size of the region that a joint moves, or of the model. */
    epsilonOf: option(
      choice(EPSILON_RULES, '<size>'),
      'size that epsilon is a ratio of: region (what a joint moves), or model (one threshold for all)',
      { default: 'region' },
    ),
  }),
  ...group('Controller options:', {
    /** B: order of the controllers' polynomials. */
    order: option(count(1, MAX_CONTROLLER_ORDER), 'order of the polynomials', { default: 4 }),
    /** Strength of the lasso, relative to the smallest strength at which all coefficients vanish; 'auto': by cross-validation. */
    beta: option(orWord(['auto'], ratio()), 'strength of the lasso, from 0 to below 1, or auto (cross-validation)', {
      default: 'auto',
    }),
    /** Maximum number of joints that control a helper. */
    joints: option(count(1, 64), 'maximum joints that a helper depends on', { default: 4 }),
    /** Seconds that helpers lag behind their joints; 'auto', for a clip: by helper, the delay and damping that fit its frames best. */
    delay: option(
      orWord(['auto'], notNegative('<seconds>')),
      'seconds that helpers lag behind their joints; auto, for a clip: found for each helper from the frames',
      { default: 0 },
    ),
  }),
  ...group('Common options:', {
    /** Random seed. */
    seed: option(count(0, 2 ** 32 - 1), 'random seed', { default: 0 }),
    /** Time limit in seconds; the best result so far is returned. 0: no limit. */
    time: option(notNegative('<seconds>'), 'time limit in seconds; 0: no limit', { default: 0 }),
  }),
};

/** All options of the conversion to helper bones. */
export type HelperOptions = OptionsOf<typeof HELPER_OPTIONS>;

/** Throws a UsageError where options are invalid or contradict one another. */
export function checkHelperOptions(o: HelperOptions): void {
  const fault = (text: string): never => {
    throw new UsageError('convert', text);
  };
  const checkWhole = (name: 'helpers' | 'influences' | 'samples' | 'order' | 'joints' | 'iterations', min: number) => {
    const value = o[name];
    if (value !== undefined && !(Number.isInteger(value) && value >= min))
      fault(`${name} must be a whole number, at least ${min}, got ${value}`);
  };
  checkWhole('helpers', 0);
  checkWhole('influences', 1);
  checkWhole('samples', 2);
  checkWhole('order', 1);
  checkWhole('joints', 1);
  checkWhole('iterations', 0);
  if (o.order > MAX_CONTROLLER_ORDER) fault(`order must be at most ${MAX_CONTROLLER_ORDER}, got ${o.order}`);
  if (!HELPER_TRANSFORMS.includes(o.transforms))
    fault(`transforms must be ${HELPER_TRANSFORMS.join(' or ')}, got ${o.transforms}`);
  if (!SAMPLING_RULES.includes(o.sampling)) fault(`sampling must be ${SAMPLING_RULES.join(' or ')}, got ${o.sampling}`);
  if (!(o.epsilon >= 0 && o.epsilon < 1)) fault(`epsilon must be at least 0 and below 1, got ${o.epsilon}`);
  if (!EPSILON_RULES.includes(o.epsilonOf))
    fault(`epsilonOf must be ${EPSILON_RULES.join(' or ')}, got ${o.epsilonOf}`);
  if (o.beta !== 'auto' && !(o.beta >= 0 && o.beta < 1))
    fault(`beta must be 'auto', or at least 0 and below 1, got ${o.beta}`);
  if (!(o.normals >= 0 && Number.isFinite(o.normals)))
    fault(`normals must be a weight of at least 0, got ${o.normals}`);
  if (!BLEND_KINDS.includes(o.target)) fault(`target must be ${BLEND_KINDS.join(' or ')}, got ${o.target}`);
  if (o.target === 'dual-quaternion' && o.transforms !== 'rigid')
    fault('dual quaternions blend rigid bones only; set transforms to rigid');
  if (o.delay !== 'auto' && !(o.delay >= 0 && Number.isFinite(o.delay)))
    fault(`delay must be 'auto', or seconds, at least 0, got ${o.delay}`);
}
