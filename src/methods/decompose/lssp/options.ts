// SPDX-License-Identifier: MIT

import { UsageError } from '../../../core/model/errors.ts';
import { type OptionsOf, option, ratio } from '../../../core/options/option.ts';
import type { SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import {
  bonesOption,
  influencesOption,
  iterationsOption,
  SAME_OPTIONS,
  SOLVER_GROUP,
  transformsOption,
} from '../shared/decomposition-options.ts';

const { seed, time } = SAME_OPTIONS;

export const LSSP_OPTIONS = {
  /** Bones to find. */
  bones: bonesOption(20),
  /** Maximum number of weights per vertex: the largest are kept, scaled to sum to one; 0: no limit. */
  influences: influencesOption(0, 'all'),
  /** Bones are rigid. */
  transforms: transformsOption(['rigid'], 'rigid'),
  /** Weight of the L1 penalty, relative to the one at which a vertex has no weights; larger values give fewer weights. */
  penalty: option(ratio(), 'L1 penalty on weights, below 1; larger values give fewer weights', {
    group: SOLVER_GROUP,
    default: 0.02,
  }),
  /** Iterations over weights and bones. */
  iterations: iterationsOption(10),
  time,
  /** Random seed. */
  seed,
};

/** All options of lssp. */
export type LsspSettings = OptionsOf<typeof LSSP_OPTIONS> & SolveMonitorOptions;

/**
 * Options of lssp.
 * @interface
 */
export type LsspOptions = Partial<OptionsOf<typeof LSSP_OPTIONS>> & SolveMonitorOptions;

/** Throws a UsageError for invalid values. */
export function checkLsspOptions(o: OptionsOf<typeof LSSP_OPTIONS>): void {
  if (!Number.isInteger(o.bones) || o.bones < 1)
    throw new UsageError('lssp', `bones must be a whole number, at least 1, got ${o.bones}`);
  if (!Number.isInteger(o.influences) || o.influences < 0)
    throw new UsageError('lssp', `influences must be a whole number, 0 for no limit, got ${o.influences}`);
  if (o.transforms !== 'rigid') throw new UsageError('lssp', `transforms must be rigid, got ${o.transforms}`);
  if (!(o.iterations >= 0)) throw new UsageError('lssp', `iterations must not be negative, got ${o.iterations}`);
  if (!(o.penalty >= 0 && o.penalty < 1))
    throw new UsageError('lssp', `penalty must be from 0 to below 1, got ${o.penalty}`);
}
