// SPDX-License-Identifier: MIT

import { TRANSFORM_KINDS } from '../../../core/kernels/bones/bone-sweep.ts';
import { UsageError } from '../../../core/model/errors.ts';
import { choice, numberThat, type OptionsOf, option } from '../../../core/options/option.ts';
import type { SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import { checkNorm } from '../../../fit/norm/index.ts';
import { SUPPORT_RULES } from '../../../fit/skin/index.ts';
import {
  bonesOption,
  influencesOption,
  iterationsOption,
  SAME_OPTIONS,
  SOLVER_GROUP,
  toleranceOption,
  transformsOption,
} from '../shared/decomposition-options.ts';

export const SSDR_OPTIONS = {
  /** Number of bones. */
  bones: bonesOption(20),
  /** Maximum number of weights per vertex. */
  influences: influencesOption(4),
  /** Bone transformations: 'rigid': rotation and translation, 'similarity': also scales along its own axes, 'affine': any 3x4. */
  transforms: transformsOption(TRANSFORM_KINDS, 'rigid'),
  /** Maximum number of iterations over all vertices at the end. */
  iterations: iterationsOption(30),
  /** Stop when an iteration lowers the error by less than this ratio. */
  tolerance: toleranceOption(2e-3),
  ...SAME_OPTIONS,
  /** How supports are chosen: 'exchange' by exact gains, 'effect' by the course's rule (slower, less accurate; for comparison). */
  support: option(
    choice(SUPPORT_RULES, '<rule>'),
    "how the bones of a vertex are chosen: by exact error reduction, or by the paper's effect ranking",
    { group: SOLVER_GROUP, default: 'exchange' },
  ),
  /** How much of the search for a structure is done: its number of points, and its trials of other places for bones. Above 0, at most 1. */
  effort: option(
    numberThat((x) => x > 0 && x <= 1, 'a number above 0, at most 1', '<ratio>'),
    'how much of the search for a structure is done',
    { default: 1 },
  ),
};

/** All options of ssdr. */
export type SsdrSettings = OptionsOf<typeof SSDR_OPTIONS> & SolveMonitorOptions & { deviation: number };

/**
 * Options of ssdr.
 * @interface
 */
export type SsdrOptions = Partial<OptionsOf<typeof SSDR_OPTIONS>> &
  SolveMonitorOptions & {
    /** Standard deviation of the noise per coordinate, file units; 0: none. */
    deviation?: number;
  };

/** Throws a UsageError for invalid values. */
export function checkSsdrOptions(o: OptionsOf<typeof SSDR_OPTIONS>): void {
  if (!Number.isInteger(o.bones) || o.bones < 1)
    throw new UsageError('ssdr', `bones must be a whole number, at least 1, got ${o.bones}`);
  if (!Number.isInteger(o.influences) || o.influences < 1)
    throw new UsageError('ssdr', `influences must be a whole number, at least 1, got ${o.influences}`);
  if (!TRANSFORM_KINDS.includes(o.transforms))
    throw new UsageError('ssdr', `transforms must be ${TRANSFORM_KINDS.join(', ')}, got ${o.transforms}`);
  if (!SUPPORT_RULES.includes(o.support))
    throw new UsageError('ssdr', `support must be ${SUPPORT_RULES.join(' or ')}, got ${o.support}`);
  if (!(o.iterations >= 0)) throw new UsageError('ssdr', `iterations must not be negative, got ${o.iterations}`);
  if (!(o.effort > 0 && o.effort <= 1))
    throw new UsageError('ssdr', `effort must be above 0 and at most 1, got ${o.effort}`);
  checkNorm('ssdr', o.norm);
  if (!(o.tolerance >= 0)) throw new UsageError('ssdr', `tolerance must not be negative, got ${o.tolerance}`);
}
