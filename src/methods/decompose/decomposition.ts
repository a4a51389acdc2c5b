// SPDX-License-Identifier: MIT

import type { SkinnedModel } from '../../core/model/asset.ts';

/** The result of every decomposition; each method adds its own fields, numbers and strings, which are copied to the report. */
export interface Decomposition {
  /** Bones, weights and motion. */
  model: SkinnedModel;
  /** Error of the solution, before rounding for a file (docs/reference/metrics.md). */
  eRms: number;
  /** Why the solve ended. */
  status: 'converged' | 'max-iterations' | 'stalled' | 'stopped';
  /** Number of connected parts that move rigidly; their vertices have one weight. Absent if there are none, or if they were not solved apart. */
  rigidPieces?: number;
  /** Warnings for the user, one sentence each. */
  warnings?: string[];
}
