// SPDX-License-Identifier: MIT
// Options that several decompositions have, each with a default of its own.

import type { TransformKind } from '../../../core/kernels/bones/bone-sweep.ts';
import {
  choice,
  count,
  flag,
  group,
  notNegative,
  numberFrom,
  type Option,
  option,
  orWord,
  positive,
} from '../../../core/options/option.ts';
import { SEED } from '../../../core/options/seed.ts';

/** glTF stores joint indices in 16 bits. */
const MAX_BONES = 65_535;
/** Eight sets of four; no viewer reads more. */
const MAX_INFLUENCES = 32;

/** Headings in the help. */
export const MODEL_GROUP = 'Model options:';
export const SOLVER_GROUP = 'Solver options:';

/** The order of these options in the help: what the model is, what only one method has, how it is solved. */
export const MODEL_KEYS = ['bones', 'influences', 'transforms', 'keepRest'] as const;
export const SOLVER_KEYS = ['iterations', 'tolerance', 'ridge', 'norm', 'support', 'time'] as const;

/**
 * Number of bones.
 * @param inWords the default in the help, if it is not a number
 */
export const bonesOption = (fallback: number, inWords?: string): Option<number, true> =>
  option(count(1, MAX_BONES), 'number of bones', {
    ...{ group: MODEL_GROUP, default: fallback, defaultText: inWords },
    form: {
      label: 'Bones',
      note: 'Number of bones. More bones lower the error and cost more. With SMA, 0 lets the method choose.',
      range: [0, 400, 1],
      isLog: true,
    },
  });

/**
 * Maximum weights per vertex.
 * @param inWords the default in the help, if it is not a number
 */
export const influencesOption = (fallback: number, inWords?: string): Option<number, true> =>
  option(count(1, MAX_INFLUENCES), 'maximum weights per vertex', {
    ...{ group: MODEL_GROUP, default: fallback, defaultText: inWords },
    form: {
      label: 'Influences',
      note: 'Maximum weights per vertex. Every viewer reads four.',
      range: [1, 16, 1],
    },
  });

/** Transforms of bones, of those that a method supports. */
export const transformsOption = (kinds: readonly TransformKind[], fallback: TransformKind) =>
  option(choice(kinds, '<kind>'), 'transforms of a bone; similarity adds scale, affine adds shear', {
    ...{ group: MODEL_GROUP, default: fallback },
    form: {
      label: 'Transforms',
      note: 'Not every engine supports scale and shear.',
      labels: { rigid: 'Rigid', similarity: '+ scale', affine: '+ shear' },
    },
  });

export const iterationsOption = (fallback: number) =>
  option(count(0), 'maximum iterations over all vertices', {
    ...{ group: SOLVER_GROUP, default: fallback },
    form: { label: 'Iterations', range: [0, 200, 1], isFine: true },
  });

export const toleranceOption = (fallback: number) =>
  option(notNegative('<ratio>'), 'stop when an iteration improves the error by less than this ratio', {
    ...{ group: SOLVER_GROUP, default: fallback },
    form: { label: 'Tolerance', range: [0, 0.1, 0.0005], isFine: true },
  });

/** Options that have the same default in every method. */
export const SAME_OPTIONS = {
  ...group(MODEL_GROUP, {
    /** Keeps the rest pose of the clip. Otherwise it is corrected; only its vertices move. */
    keepRest: option(flag, 'keep the rest pose (default: it is corrected, unless bones or weights are given)', {
      // without a default: given bones and weights keep the rest pose unless this is false
      defaultFor: () => false,
      form: {
        label: 'Keep the rest pose',
        note: 'By default the rest pose is corrected too, which lowers the error.',
        isFine: true,
      },
    }),
  }),
  ...group(SOLVER_GROUP, {
    /** Relative regularization of the weight solve: 1e-9 only avoids singular systems, 0.01 makes weights more local. */
    ridge: option(notNegative('<ratio>'), 'regularization; larger values (0.01) give more local weights', {
      default: 1e-9,
      form: { label: 'Ridge', range: [0, 0.1, 0.001], isFine: true },
    }),
    /** Norm of the distances that is lowered: p, 2 is the mean square; or 'max', the largest distance. */
    norm: option(
      orWord(['max'], numberFrom(1, 8, '<p>')),
      'norm of vertex errors that is lowered: 1 to 8, or max for the largest error',
      { default: 2 },
    ),
    /** Time limit in seconds; the best result so far is returned. Default: none. */
    time: option(positive('<seconds>'), 'time limit in seconds; the best result so far is kept'),
  }),
  /** Random seed. */
  seed: SEED,
};
