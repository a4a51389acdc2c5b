// SPDX-License-Identifier: MIT
// What the options of decompose mean for one input: a number of bones or an error limit, in file units.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { smallestEnclosingBall } from '../../core/mesh/geometry/enclosing-ball.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { lengthInFileUnits, parseLength } from '../../core/options/length.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import type { CorrectOptions } from '../../methods/corrections/index.ts';
import { decomposeMethodOf, type GivenParts } from '../../methods/decompose/index.ts';
import { goalOf, keyTolerance, keyToleranceOfLimit, ROUNDED, SOLVED_OF_MAX, solverLimit } from '../shared/index.ts';
import { isAutoRank, planCorrections } from './correction-options.ts';
import type { DecomposeValues } from './decompose-options.ts';
import { searchedBy } from './plan-solve.ts';

/** With --for size: the part of the error that bones may have, the rest being rounding (chosen on horse-gallop and samba). */
const SOLVED_OF_RMS = 0.72;
const CLOSE = 0.85;

export interface DecomposePlan {
  given?: GivenParts;
  /** Absent if the number follows from an error limit, from the method, or from given bones or weights. */
  bones?: number;
  /** Whether the number of bones is the default. */
  isDefaultCount: boolean;
  /** Error limit of the solver if it determines the number of bones, file units. */
  target?: number;
  /** The same for the root mean square error. */
  targetRms?: number;
  /** Error limit of the written file, file units. */
  limit?: number;
  /** The search for the number of bones may end with an error from this part of its limit on. */
  close?: number;
  /** The error that the file has to meet. */
  goal?: ErrorGoal;
  /** The same; without one, for --for size, the error of the solve with a tenth added. */
  goalAt(eRms: number): ErrorGoal;
  corrections?: CorrectOptions;
  /** Maximum displacement of a vertex by key reduction, for a result with this E_RMS, file units; 0: keep all keys. */
  keysAt(eRms: number): number;
}

/** Makes the plan. Throws a UsageError for a length in metres if the unit of the file is unknown. */
export function makeDecomposePlan(
  options: DecomposeValues,
  asset: Asset,
  given: GivenParts | undefined,
  clips: readonly Clip[],
): DecomposePlan {
  const { mesh, metresPerUnit } = asset;
  const { diagonal } = measureBounds(mesh.positions);
  const { radius } = smallestEnclosingBall(mesh.positions);
  const lengthOf = (text: string) => lengthInFileUnits(parseLength(text), { diagonal, metresPerUnit });
  const wanted = options.maxError ?? options.correctionsError;
  const limit = wanted === undefined ? undefined : lengthOf(wanted);
  const goal = goalOf(options, asset, clips);
  const isSmall = options.for === 'size';
  const { default: usual = 0 } = decomposeMethodOf(options.method).options.bones;
  const kind = searchedBy(options, given !== undefined);
  const isFree = options.bones === undefined && !given;
  // corrections that meet an error limit refine a given number of bones, or the default
  const isAuto = isAutoRank(options);
  const isRmsTarget = kind === 'rms';
  const isTarget = kind === 'max';
  const isDefaultCount = (limit === undefined || isAuto) && !isRmsTarget && isFree && usual > 0;
  const keysAt = (eRms: number): number => {
    if (options.keys === undefined) return 0;
    if (options.keys !== true) return lengthOf(options.keys);
    if (limit !== undefined && (isTarget || isAuto)) return keyToleranceOfLimit(limit);
    return keyTolerance(rmsOf(eRms, radius), diagonal);
  };
  /** The limit of the solver, less than that of the file. */
  const solved = limit === undefined ? undefined : () => solverLimit(limit, diagonal, { keys: keysAt(0) });
  return {
    given,
    bones: options.bones ?? (isDefaultCount ? usual : undefined),
    isDefaultCount,
    target: isTarget && solved ? (isSmall ? SOLVED_OF_MAX : 1) * solved() : undefined,
    targetRms: isRmsTarget && goal ? (isSmall ? SOLVED_OF_RMS : 1) * goal.limit : undefined,
    ...(isSmall ? { close: CLOSE } : {}),
    goal,
    goalAt: (eRms) => goal ?? { kind: 'rms', limit: ROUNDED * rmsOf(eRms, radius) },
    limit,
    corrections: planCorrections(options, isAuto ? solved?.() : undefined),
    keysAt,
  };
}

/** The root mean square error of an E_RMS of a clip, file units. */
export function rmsOfErms(eRms: number, { mesh }: Clip): number {
  return rmsOf(eRms, smallestEnclosingBall(mesh.positions).radius);
}

function rmsOf(eRms: number, radius: number): number {
  return (eRms / 1000) * radius * Math.sqrt(3);
}
