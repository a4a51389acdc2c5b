// SPDX-License-Identifier: MIT

import type { SkinnedModel } from '../../core/model/asset.ts';
import type { SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import type { DistanceNorm } from '../../fit/norm/index.ts';

/** Options of the alternating solves (SSDR and FSD). */
export interface AlternatingOptions extends SolveMonitorOptions {
  /** Number of bones. */
  bones?: number;
  /** Maximum number of weights per vertex. */
  influences?: number;
  /** Maximum number of iterations over all vertices at the end. */
  iterations?: number;
  /** Stop when an iteration lowers the error by less than this ratio. */
  tolerance?: number;
  /** Relative regularization of the weight solve: 1e-9 only avoids singular systems, 0.01 makes weights more local. */
  ridge?: number;
  /** Norm of the distances that is lowered: p, 2 is the mean square; or 'max', the largest distance. */
  norm?: DistanceNorm;
  /** Random seed. */
  seed?: number;
}

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
