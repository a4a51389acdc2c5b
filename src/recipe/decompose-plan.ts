// SPDX-License-Identifier: MIT
// What the options of decompose mean for one input: a number of bones or an error limit, in file units.
import type { CorrectOptions } from '../correct/correct-model.ts';
import { decomposeMethodOf } from '../decompose/decompose-methods.ts';
import type { GivenParts } from '../decompose/fit-given.ts';
import { measureBounds } from '../mesh/bounds.ts';
import { smallestEnclosingBall } from '../mesh/enclosing-ball.ts';
import type { Asset } from '../model/asset.ts';
import { isAutoRank, planCorrections } from './correction-options.ts';
import type { DecomposeValues } from './decompose-options.ts';
import { keyTolerance, keyToleranceOfLimit, solverLimit } from './error-budget.ts';
import { lengthInFileUnits, parseLength } from './length.ts';

export interface DecomposePlan {
  given?: GivenParts;
  /** Absent where the number is found by an error or by the method, or given with bones or weights. */
  bones?: number;
  /** Whether the number of bones is the default. */
  isDefaultCount: boolean;
  /** Where the number is found: the limit of the solver, file units. */
  target?: number;
  /** The limit of the file, file units. */
  limit?: number;
  corrections?: CorrectOptions;
  /** How far removing keys may move a vertex of a result with this E_RMS, file units; 0: keep all keys. */
  keysAt(eRms: number): number;
}

/** Makes the plan. Throws a UsageError for a length whose unit the file does not have. */
export function makeDecomposePlan(
  options: DecomposeValues,
  { mesh, metresPerUnit }: Asset,
  given: GivenParts | undefined,
): DecomposePlan {
  const { diagonal } = measureBounds(mesh.positions);
  const { radius } = smallestEnclosingBall(mesh.positions);
  const lengthOf = (text: string) => lengthInFileUnits(parseLength(text), { diagonal, metresPerUnit });
  const wanted = options.maxError ?? options.correctionsError;
  const limit = wanted === undefined ? undefined : lengthOf(wanted);
  const { defaults, solveByError } = decomposeMethodOf(options.method);
  const isFree = options.bones === undefined && !given;
  // corrections found by an error refine a given number of bones, or the default
  const isAuto = isAutoRank(options);
  const isTarget = limit !== undefined && isFree && !isAuto && solveByError !== undefined;
  const isDefaultCount = (limit === undefined || isAuto) && isFree && defaults.bones > 0;
  const keysAt = (eRms: number): number => {
    if (options.keys === undefined) return 0;
    if (options.keys !== true) return lengthOf(options.keys);
    if (limit !== undefined && (isTarget || isAuto)) return keyToleranceOfLimit(limit);
    return keyTolerance((eRms / 1000) * radius * Math.sqrt(3), diagonal);
  };
  const limitOfSolver = () => solverLimit(limit!, diagonal, { keys: keysAt(0) });
  return {
    given,
    bones: options.bones ?? (isDefaultCount ? defaults.bones : undefined),
    isDefaultCount,
    target: isTarget ? limitOfSolver() : undefined,
    limit,
    corrections: planCorrections(options, limit !== undefined && isAuto ? limitOfSolver() : undefined),
    keysAt,
  };
}
