// SPDX-License-Identifier: MIT
// Which clips are large, and which options a solve in blocks (solve-large.ts) has.

import type { DistanceNorm } from '../../../fit/norm/index.ts';
import type { SupportRule } from '../../../fit/skin/index.ts';

/** Points times frames from which a clip is large. Smaller clips fit in memory several times and are solved as a whole. */
const LARGE = 2e6;

export function isLarge(pointCount: number, frameCount: number): boolean {
  return pointCount * frameCount > LARGE;
}

/** Options of SSDR that decide whether a large clip is solved in blocks. */
export interface BlockChoice {
  norm?: DistanceNorm;
  support?: SupportRule;
  keepRest?: boolean;
  /** Standard deviation of the noise; 0: none. */
  deviation?: number;
}

/** Whether a solve in blocks has all that the options need: other norms, the rule of the paper and noise need the whole clip. */
export function canSolveInBlocks({ norm = 2, support = 'exchange', keepRest, deviation = 0 }: BlockChoice): boolean {
  return norm === 2 && support === 'exchange' && (keepRest === true || deviation === 0);
}
