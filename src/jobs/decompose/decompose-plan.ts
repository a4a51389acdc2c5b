// SPDX-License-Identifier: MIT
// What the options of decompose mean for one input: a number of bones or an error limit, in file units.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { smallestEnclosingBall } from '../../core/mesh/geometry/enclosing-ball.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { lengthInFileUnits, parseLength } from '../../core/options/length.ts';
import type { InputSize, SolvePlan } from '../../core/options/method.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import type { CorrectOptions } from '../../methods/corrections/index.ts';
import { decomposeMethodOf, type GivenParts } from '../../methods/decompose/index.ts';
import type { JobPlan } from '../engine/index.ts';
import { goalOf, keyTolerance, keyToleranceOfLimit, ROUNDED, SOLVED_OF_MAX, solverLimit } from '../shared/index.ts';
import { isAutoRank, planCorrections } from './correction-options.ts';
import type { DecomposeValues } from './decompose-options.ts';

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

/** The error that the fewest bones are searched for; undefined if their number is given, the default, or found by the method. */
function searchedBy(options: DecomposeValues, isGiven: boolean): ErrorGoal['kind'] | undefined {
  const { method, bones, maxError, rms, kg } = options;
  if (bones !== undefined || isGiven) return undefined;
  // corrections that meet an error limit refine the default number of bones
  const isMax = maxError !== undefined && !isAutoRank(options);
  const kind = rms !== undefined || kg !== undefined ? 'rms' : isMax ? 'max' : undefined;
  return kind && decomposeMethodOf(method).capabilities.goals.includes(kind) ? kind : undefined;
}

/**
 * How an input will be solved, as far as the options tell: noise that is to be estimated counts as none, since it is known only after reading. Reading, the check of memory and
 * the solver follow the plan of the method.
 */
export function planSolve(options: DecomposeValues, size: InputSize): SolvePlan {
  const { method, skeleton, weights, noise, bones = 0 } = options;
  const keeps = skeleton !== undefined ? 'skeleton' : weights !== undefined ? 'weights' : undefined;
  const deviation = noise === 'auto' ? 0 : parseLength(noise).value;
  const kind = searchedBy(options, keeps !== undefined);
  return decomposeMethodOf(method).planFor({ ...options, bones }, kind && { kind }, {
    ...{ ...size, keeps, noise: deviation },
  });
}

/** The plan of the job, and whether only the noise keeps a clip from being solved in blocks. */
export function planDecompose(options: DecomposeValues, size: InputSize): JobPlan {
  const plan = planSolve(options, size);
  const { noise, denoise } = options;
  if (noise === 'auto' && denoise === undefined) return plan;
  const silent = planSolve({ ...options, noise: '0' }, size);
  const isNoiseOnly = silent.reads === 'stream' && (plan.reads === 'clip' || denoise !== undefined);
  return isNoiseOnly ? { ...plan, remedy: '--noise 0 without --denoise, which can be solved in blocks' } : plan;
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
