// SPDX-License-Identifier: MIT

import type { TransformKind } from '../../../core/kernels/bones/bone-sweep.ts';
import { UsageError } from '../../../core/model/errors.ts';
import { fillDefaults } from '../../../core/options/fill-defaults.ts';
import { choice, group, notNegative, type OptionsOf, option, positive } from '../../../core/options/option.ts';
import type { SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import {
  bonesOption,
  influencesOption,
  MODEL_GROUP,
  SAME_OPTIONS,
  SOLVER_GROUP,
  transformsOption,
} from '../shared/decomposition-options.ts';

export const BONE_RULES = ['patches', 'cores'] as const;
export const WEIGHT_RULES = ['nnls', 'tsvd', 'bounded'] as const;
export type WeightRule = (typeof WEIGHT_RULES)[number];

const SMA_TRANSFORMS: readonly TransformKind[] = ['rigid', 'affine'];

/** The tolerance on rotations, where none is given and none is searched for. */
export const FIRST_EPSILON = 0.05;

const { seed, time } = SAME_OPTIONS;

export const SMA_OPTIONS = {
  /** Number of bones: epsilon is searched for; 0: the number that the given epsilon finds. */
  bones: bonesOption(0, 'found'),
  /** Maximum number of weights per vertex. */
  influences: influencesOption(4),
  /** 'affine': the paper's flexible bones; 'rigid': rotation and translation. */
  transforms: transformsOption(SMA_TRANSFORMS, 'affine'),
  ...group(MODEL_GROUP, {
    /** Tolerance on the elements of triangle rotations within a bone, on average over elements and frames; larger values give fewer bones. */
    epsilon: option(
      positive('<ratio>'),
      'tolerance on triangle rotations within a bone; larger values give fewer bones',
      // without a default: a number of bones searches for it unless it is given
      { defaultFor: () => FIRST_EPSILON },
    ),
  }),
  ...group(SOLVER_GROUP, {
    /** 'patches': connected core triangles and the outliers nearest to them; 'cores': the paper's rule, all core triangles of a mode and no others. */
    bonesBy: option(
      choice(BONE_RULES, '<rule>'),
      "triangles that define a bone: connected patches, or the paper's core triangles",
      { default: 'patches' },
    ),
    /** 'nnls': non-negative weights; 'tsvd': any sign, lowest error; 'bounded': at least -negativity. */
    weightsBy: option(
      choice(WEIGHT_RULES, '<rule>'),
      'weights: not negative, unconstrained, or bounded below; the latter two write more bones',
      { default: 'nnls' },
    ),
    /** δ: bounded weights are at least -negativity. */
    negativity: option(notNegative('<ratio>'), 'lower bound of weights with --weights-by bounded', { default: 0.1 }),
  }),
  time,
  /** Random seed. */
  seed,
};

/**
 * Options of sma.
 * @interface
 */
export type SmaOptions = Partial<OptionsOf<typeof SMA_OPTIONS>> & SolveMonitorOptions;

/** All options of sma. */
export interface SmaSettings
  extends Omit<OptionsOf<typeof SMA_OPTIONS>, 'epsilon' | 'transforms' | 'time'>,
    SolveMonitorOptions {
  epsilon: number;
  /** Whether epsilon is not to be searched for. */
  isEpsilonGiven: boolean;
  transforms: 'rigid' | 'affine';
}

/** Throws a UsageError for invalid values. */
export function checkSmaOptions(o: OptionsOf<typeof SMA_OPTIONS>): void {
  if (o.epsilon !== undefined && !(o.epsilon > 0))
    throw new UsageError('sma', `epsilon must be above zero, got ${o.epsilon}`);
  if (!Number.isInteger(o.bones) || o.bones < 0)
    throw new UsageError('sma', `bones must be a whole number, at least 1, got ${o.bones}`);
  if (!Number.isInteger(o.influences) || o.influences < 1)
    throw new UsageError('sma', `influences must be a whole number, at least 1, got ${o.influences}`);
  if (!BONE_RULES.includes(o.bonesBy))
    throw new UsageError('sma', `bonesBy must be ${BONE_RULES.join(' or ')}, got ${o.bonesBy}`);
  if (!WEIGHT_RULES.includes(o.weightsBy))
    throw new UsageError('sma', `weightsBy must be ${WEIGHT_RULES.join(', ')}, got ${o.weightsBy}`);
  if (!(o.negativity >= 0)) throw new UsageError('sma', `negativity must not be negative, got ${o.negativity}`);
  narrowTransforms(o.transforms);
}

function narrowTransforms(kind: TransformKind): 'rigid' | 'affine' {
  if (kind !== 'rigid' && kind !== 'affine')
    throw new UsageError('sma', `transforms must be ${SMA_TRANSFORMS.join(' or ')}, got ${kind}`);
  return kind;
}

/** What the solvers use. */
export function makeSmaSettings(
  { epsilon, transforms, ...o }: OptionsOf<typeof SMA_OPTIONS>,
  monitor: SolveMonitorOptions,
): SmaSettings {
  return {
    ...{ ...o, ...monitor, transforms: narrowTransforms(transforms) },
    ...{ epsilon: epsilon ?? FIRST_EPSILON, isEpsilonGiven: epsilon !== undefined },
  };
}

/** All options. Throws a UsageError for invalid values. */
export function settleSmaOptions({ signal, onProgress, ...own }: SmaOptions): SmaSettings {
  const settled = fillDefaults(SMA_OPTIONS, own);
  checkSmaOptions(settled);
  return makeSmaSettings(settled, { signal, onProgress });
}
