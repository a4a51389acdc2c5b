// SPDX-License-Identifier: MIT

import { UsageError } from '../../../core/model/errors.ts';
import type { OptionsOf } from '../../../core/options/option.ts';
import type { SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import { checkNorm } from '../../../fit/norm/index.ts';
import { bonesOption, influencesOption, SAME_OPTIONS } from '../shared/decomposition-options.ts';

export const AUTO_OPTIONS = {
  /** Number of bones. */
  bones: bonesOption(20),
  /** Maximum number of weights per vertex. */
  influences: influencesOption(4),
  ...SAME_OPTIONS,
};

/** All options of auto. */
export type AutoSettings = OptionsOf<typeof AUTO_OPTIONS> & SolveMonitorOptions & { deviation: number };

/**
 * Options of auto, which chooses SSDR or FSD by a quick trial.
 * @interface
 */
export type AutoOptions = Partial<OptionsOf<typeof AUTO_OPTIONS>> &
  SolveMonitorOptions & {
    /** Standard deviation of the noise per coordinate, file units; 0: none. */
    deviation?: number;
  };

/** Throws a UsageError for invalid values. */
export function checkAutoOptions(o: OptionsOf<typeof AUTO_OPTIONS>): void {
  if (!Number.isInteger(o.bones) || o.bones < 1)
    throw new UsageError('auto', `bones must be a whole number, at least 1, got ${o.bones}`);
  if (!Number.isInteger(o.influences) || o.influences < 1)
    throw new UsageError('auto', `influences must be a whole number, at least 1, got ${o.influences}`);
  checkNorm('auto', o.norm);
}
