// SPDX-License-Identifier: MIT
import type { SkinnedModel } from '../model/asset.ts';

/** What every decomposition returns; each method adds fields of its own, numbers and words, which go into the report as they are. */
export interface Decomposition {
  model: SkinnedModel;
  /** Error of the result as solved, before anything is rounded for a file (docs/metrics.md). */
  eRms: number;
  status: 'converged' | 'max-iterations' | 'stalled' | 'stopped';
  /** Sentences a user should read: what the input is a poor candidate for, what was done instead. */
  warnings?: string[];
}
