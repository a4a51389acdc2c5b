// SPDX-License-Identifier: MIT
// What the options of decompose mean for one input: how many bones or how small an error, in file units.
import type { CorrectOptions } from '../correct/correct-model.ts';
import type { GivenParts } from '../decompose/fit-given.ts';
import { measureBounds } from '../mesh/bounds.ts';
import { smallestEnclosingBall } from '../mesh/enclosing-ball.ts';
import type { Asset } from '../model/asset.ts';
import { decomposeMethodOf } from '../recipe/decompose-methods.ts';
import { isAutoRank, planCorrections } from './corrections.ts';
import type { DecomposeCommandOptions } from './decompose-options.ts';
import { UsageError } from './exit-status.ts';
import { lengthInFileUnits } from './parse-length.ts';

export interface DecomposePlan {
  given?: GivenParts;
  /** Absent where the number is to be found, by an error or by the method, or given with bones or weights. */
  bones?: number;
  /** Nothing was said about the number of bones. */
  isDefaultCount: boolean;
  /** Where the number is to be found: what the solver must hold, file units. */
  target?: number;
  /** What the file must hold, file units. */
  limit?: number;
  corrections?: CorrectOptions;
  /** By how much fewer keys may move the surface of a result with such an error, file units. */
  keysAt(eRms: number): number;
}

/** A tenth of an error adds half a percent to it: squares add up. */
const KEYS_OF_ERROR = 0.1;
/** Of the box diagonal: below this, nobody sees what keys cost. */
const KEYS_OF_DIAGONAL = 1e-4;
/** Of the box diagonal: what a file of 32-bit floats may move a vertex, with room to spare; and the most of a limit to give up for it. */
const ROUNDING = 1e-6;
const MOST_ROUNDING = 0.01;

/** Makes the plan. A length that needs a unit the file does not have is a usage error. */
export function makeDecomposePlan(
  options: DecomposeCommandOptions,
  { mesh, metresPerUnit }: Asset,
  given: GivenParts | undefined,
): DecomposePlan {
  const { diagonal } = measureBounds(mesh.positions);
  const { radius } = smallestEnclosingBall(mesh.positions);
  const scale = { diagonal, metresPerUnit };
  const wanted = options.maxError ?? options.correctionsError;
  const limit = wanted && lengthInFileUnits(wanted, scale);
  const { defaults, solveByError } = decomposeMethodOf(options.method);
  const isFree = options.bones === undefined && !given;
  // corrections that hold an error come to bones of a given number, or of the usual one
  const isAuto = isAutoRank(options);
  const isTarget = limit !== undefined && isFree && !isAuto && solveByError !== undefined;
  const isDefaultCount = (limit === undefined || isAuto) && isFree && defaults.bones > 0;
  const keysAt = (eRms: number): number => {
    if (options.keys === undefined) return 0;
    if (options.keys !== true) return lengthInFileUnits(options.keys, scale);
    if (limit !== undefined && (isTarget || isAuto)) return KEYS_OF_ERROR * limit;
    const rmse = (eRms / 1000) * radius * Math.sqrt(3);
    return Math.max(KEYS_OF_ERROR * rmse, KEYS_OF_DIAGONAL * diagonal);
  };
  return {
    given,
    bones: options.bones ?? (isDefaultCount ? defaults.bones : undefined),
    isDefaultCount,
    target: isTarget ? targetOf(limit, keysAt(0), diagonal) : undefined,
    limit,
    corrections: planCorrections(
      options,
      limit !== undefined && isAuto ? targetOf(limit, keysAt(0), diagonal) : undefined,
    ),
    keysAt,
  };
}

/** What is left of a limit once keys and rounding have taken theirs. */
function targetOf(limit: number, keys: number, diagonal: number): number {
  if (keys >= limit) throw new UsageError('--keys must be a smaller length than --max-error');
  const left = limit - keys;
  return left - Math.min(ROUNDING * diagonal, MOST_ROUNDING * left);
}
