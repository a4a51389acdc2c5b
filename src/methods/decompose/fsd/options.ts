// SPDX-License-Identifier: MIT

import { UsageError } from '../../../core/model/errors.ts';
import type { OptionsOf } from '../../../core/options/option.ts';
import type { SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import { checkNorm } from '../../../fit/norm/index.ts';
import {
  bonesOption,
  influencesOption,
  iterationsOption,
  SAME_OPTIONS,
  toleranceOption,
  transformsOption,
} from '../shared/decomposition-options.ts';

export const FSD_OPTIONS = {
  /** Number of bones. */
  bones: bonesOption(20),
  /** Maximum number of weights per vertex. */
  influences: influencesOption(4),
  /** Bones are affine. */
  transforms: transformsOption(['affine'], 'affine'),
  /** Maximum number of iterations over all vertices at the end. */
  iterations: iterationsOption(100),
  /** Stop when an iteration lowers the error by less than this ratio. */
  tolerance: toleranceOption(3e-4),
  ...SAME_OPTIONS,
};

/** All options of fsd. */
export type FsdSettings = OptionsOf<typeof FSD_OPTIONS> & SolveMonitorOptions;

/**
 * Options of fsd.
 * @interface
 */
export type FsdOptions = Partial<OptionsOf<typeof FSD_OPTIONS>> & SolveMonitorOptions;

/** Throws a UsageError for invalid values. */
export function checkFsdOptions(o: OptionsOf<typeof FSD_OPTIONS>): void {
  if (!Number.isInteger(o.bones) || o.bones < 1)
    throw new UsageError('fsd', `bones must be a whole number, at least 1, got ${o.bones}`);
  if (!Number.isInteger(o.influences) || o.influences < 1)
    throw new UsageError('fsd', `influences must be a whole number, at least 1, got ${o.influences}`);
  if (o.transforms !== 'affine') throw new UsageError('fsd', `transforms must be affine, got ${o.transforms}`);
  if (!(o.iterations >= 0)) throw new UsageError('fsd', `iterations must not be negative, got ${o.iterations}`);
  checkNorm('fsd', o.norm);
  if (!(o.tolerance >= 0)) throw new UsageError('fsd', `tolerance must not be negative, got ${o.tolerance}`);
}
