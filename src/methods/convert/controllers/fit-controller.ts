// SPDX-License-Identifier: MIT
// Helper, §5.4, Eq. 18 and 19: a helper's local transform as a sparse polynomial of joint rotations, by the lasso; the strength of the lasso by
// cross-validation. While helpers still change, a ridge replaces the lasso (ridge-fit.ts). The parent ψ(h), for which the paper cites earlier work, is the joint with the lowest held-out error of the region.
//
// If every training pose rotates one joint, the terms of other joints are zero: the problem separates into one per joint, each with its own poses.

import { powerOf } from '../../../core/math/sine.ts';
import { CONTROLLER_OUTPUTS, type HelperFollow, monomialCountOf } from '../../../core/model/deformed/helper-bones.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { jointTermsInto, makeSpring } from '../../../deformers/helper-bones/index.ts';
import { makeLassoFitter } from '../fit/lasso-cross-validate.ts';
import { helperTargets, type SolvedHelper } from '../helpers/helper-targets.ts';
import type { TrainingSet } from '../sample/shape-set.ts';
import type { GivenController, KeyPose } from './given-controller.ts';
import { meetKeys } from './meet-keys.ts';
import { type RidgeFit, ridgeFit } from './ridge-fit.ts';

export interface FitControllerOptions {
  /** B: order of the polynomial. */
  order: number;
  /** β relative to the smallest value at which all coefficients vanish; 'auto': by cross-validation. */
  beta: number | 'auto';
  /** Maximum number of joints that control a helper. */
  joints: number;
  /** Sparse coefficients by the lasso; otherwise dense ones by the ridge. */
  isSparse: boolean;
  /** Delays to choose from, for poses with times; undefined in the list: none. Default: none. */
  follows?: readonly (HelperFollow | undefined)[];
  /** Called regularly with a ratio from 0 to 1: the sparse fit of many poses takes seconds. */
  onStep?: (ratio: number) => Promise<unknown>;
}

export interface FittedController {
  parent: number;
  /** Joints that control it, and their largest angles in training, radians. */
  joints: number[];
  reaches: number[];
  /** 9 x joints x terms */
  coefficients: Float64Array;
  order: number;
  follow?: HelperFollow;
  /** Sum of squared errors of the region in held-out poses. */
  heldOut: number;
}

/** A joint does not control a helper if its poses cause less than this ratio of the helper's motion. Chosen by hand. */
const MIN_PART = 1e-4;
/** Squared motion of a helper due to rounding, relative to the spread of its region. */
const NOISE = 1e-12;
/** Candidates of the penalty in cross-validation, and sweeps of each coordinate descent. */
const RATIOS: readonly number[] = Array.from({ length: 11 }, (_, n) => powerOf(10, -1 - n / 2));
const SWEEPS = 100;
/** Maximum rise of the region's held-out error by each of the nine outputs, as a ratio, in exchange for fewer terms. Chosen by hand. */
const ALLOWANCE = 0.01;
/** Steps of the search between candidates of delays. */
const FINER = [1.25, 1.12, 1.06, 1.03];
const SMALLEST_REACH = 1e-6;
/**
 * Minimum root mean square of an angle, radians; terms of smaller angles are not used. A hinge rotates about one axis. Its angles about the other axes are rounding errors, which
 * change when the file is stored in single precision: a fit to them would be wrong there, and its coefficients would be unbounded.
 */
const SMALLEST_TERM = 1e-5;
const SMALLEST = 1e-300;

/** The best controller over all candidates: parents, and what else is given with them. Deterministic: ties go to the first. */
export async function fitController(
  helper: SolvedHelper,
  skeleton: Skeleton,
  set: TrainingSet,
  candidates: readonly GivenController[],
  options: FitControllerOptions,
): Promise<FittedController> {
  let best: FittedController | undefined;
  for (const [n, given] of candidates.entries()) {
    const follows = given.follow === undefined ? (options.follows ?? [undefined]) : [given.follow ?? undefined];
    const attempt = async (follow: HelperFollow | undefined): Promise<void> => {
      const onStep = async (ratio: number) => options.onStep?.((n + ratio) / candidates.length);
      const fitted = await fitFor(helper, skeleton, set, given, follow, { ...options, onStep });
      if (!best || fitted.heldOut < best.heldOut) best = fitted;
    };
    for (const follow of set.times ? follows : [undefined]) await attempt(follow);
    // between the candidates
    if (set.times && follows.length > 1)
      for (const step of FINER) for (const follow of listNear(best?.follow, step)) await attempt(follow);
  }
  if (!best) throw new InputError('convert', 'a helper bone has no candidate parent joint');
  return best;
}

/** Delays next to a given one: slower and faster, more and less damped at the same frequency. */
function listNear(follow: HelperFollow | undefined, step: number): HelperFollow[] {
  if (!follow) return [];
  const { delay, damping } = follow;
  return [step, 1 / step].flatMap((factor) => {
    const other = Math.min(1, damping * factor);
    return [
      { delay: delay * factor, damping },
      { delay: (delay * other) / damping, damping: other },
    ];
  });
}

/** Controllers of one helper for one parent and one delay. */
interface Attempt {
  skeleton: Skeleton;
  set: TrainingSet;
  order: number;
  /** 9 x frameCount: transforms of the helper */
  targets: Float64Array;
  joints: readonly number[];
  reaches: readonly number[];
  follow: HelperFollow | undefined;
}

async function fitFor(
  helper: SolvedHelper,
  skeleton: Skeleton,
  set: TrainingSet,
  given: GivenController,
  follow: HelperFollow | undefined,
  { order, beta, joints: maxJoints, isSparse, onStep }: FitControllerOptions,
): Promise<FittedController> {
  const { parent, keys = [] } = given;
  const { frameCount, moved } = set;
  const jointCount = skeleton.names.length;
  const targets = helperTargets(helper, skeleton, parent, set);
  const costs = costsOf(helper);
  const energy = energyOf(targets, costs, set);
  const joints = given.joints
    ? [...given.joints]
    : chooseJoints(energy, set, jointCount, maxJoints, noiseOf(helper, set));
  const reaches = joints.map((joint, n) => given.reaches?.[n] ?? measureReach(set, jointCount, joint));
  if (given.fixed) return { parent, joints, reaches, ...given.fixed, follow, heldOut: 0 };
  const attempt: Attempt = { skeleton, set, order, targets, joints, reaches, follow };
  const termCount = monomialCountOf(order);
  const width = joints.length * termCount;
  const coefficients = new Float64Array(CONTROLLER_OUTPUTS * width);
  let heldOut = 0;
  // a key may rotate several joints
  const isApart = keys.length === 0 && moved.every((j) => j >= 0);
  const groups = isApart ? joints.map((_, n) => [n]) : [joints.map((_, n) => n)];
  const used = new Uint8Array(frameCount);
  for (const group of groups) {
    if (group.length === 0) continue;
    const problem = makeRows(attempt, group);
    const { rows, columns, values } = problem;
    for (const k of problem.frames) used[k] = 1;
    const isLasso = isSparse && keys.length === 0;
    const onOutput = async (c: number) => onStep?.((groups.indexOf(group) + c / CONTROLLER_OUTPUTS) / groups.length);
    const fitted = isLasso ? await lassoFit(problem, beta, costs, onOutput) : ridgeFit(rows, columns, values, costs);
    await onOutput(CONTROLLER_OUTPUTS);
    if (keys.length > 0) meetKeys(fitted.coefficients, rows, columns, keyRowsOf(keys, order, reaches), keys);
    for (let c = 0; c < CONTROLLER_OUTPUTS; c++) {
      coefficients.set(fitted.coefficients.subarray(c * columns, (c + 1) * columns), c * width + group[0] * termCount);
      heldOut += costs[c] * fitted.heldOut[c];
    }
  }
  for (let k = 0; k < frameCount; k++) if (!used[k]) heldOut += energy[k];
  return { parent, joints, reaches, coefficients, order, follow, heldOut };
}

/** frameCount: the weighted squared motion of a helper */
function energyOf(targets: Float64Array, costs: readonly number[], { frameCount, weights }: TrainingSet): Float64Array {
  const energy = new Float64Array(frameCount);
  for (let c = 0; c < CONTROLLER_OUTPUTS; c++)
    for (let k = 0; k < frameCount; k++) energy[k] += weights[k] * costs[c] * targets[c * frameCount + k] ** 2;
  return energy;
}

/** The squared motion of a helper that is due to rounding. */
function noiseOf({ moments: [, ...spread] }: SolvedHelper, { weights }: TrainingSet): number {
  return NOISE * weights.reduce((sum, weight) => sum + weight, 0) * spread.reduce((sum, moment) => sum + moment, 0);
}

/** Least squares of some of the joints. Rows and values are multiplied by the root of the weight of their pose. */
interface Rows {
  /** Poses of the rows. */
  frames: number[];
  /** frames x columns: terms of the joints */
  rows: Float64Array;
  columns: number;
  /** 9 x frames */
  values: Float64Array;
}

/** The terms of some joints, by their places in the list of all, in the poses that rotate them. */
function makeRows({ skeleton, set, order, targets, joints, reaches, follow }: Attempt, group: readonly number[]): Rows {
  const { frameCount, rotations, moved } = set;
  const jointCount = skeleton.names.length;
  const termCount = monomialCountOf(order);
  // if only other joints rotate, all terms are zero
  const frames = Array.from(moved.keys()).filter((k) => moved[k] < 0 || group.some((n) => moved[k] === joints[n]));
  const columns = group.length * termCount;
  const rows = new Float64Array(frames.length * columns);
  frames.forEach((k, row) => {
    group.forEach((n, place) => {
      const at = (k * jointCount + joints[n]) * 4;
      jointTermsInto(rotations, order, reaches[n], rows, at, row * columns + place * termCount);
    });
  });
  if (follow && set.times) followRows(rows, columns, set.times, follow);
  for (let e = 0; e < columns; e++)
    dropSmall(rows, columns, e, SMALLEST_TERM / reaches[group[Math.floor(e / termCount)]]);
  const values = new Float64Array(CONTROLLER_OUTPUTS * frames.length);
  for (let c = 0; c < CONTROLLER_OUTPUTS; c++)
    frames.forEach((k, row) => {
      values[c * frames.length + row] = targets[c * frameCount + k];
    });
  // a pose has the weight of the rotations that it represents
  frames.forEach((k, row) => {
    const root = Math.sqrt(set.weights[k]);
    for (let e = row * columns; e < (row + 1) * columns; e++) rows[e] *= root;
    for (let c = 0; c < CONTROLLER_OUTPUTS; c++) values[c * frames.length + row] *= root;
  });
  return { frames, rows, columns, values };
}

/** Replaces the columns of rows in the order of time by what follows them late. */
function followRows(rows: Float64Array, columns: number, times: Float64Array, follow: HelperFollow): void {
  const spring = makeSpring(follow);
  const values = rows.slice(0, columns);
  const speeds = new Float64Array(columns);
  let before = rows.slice(0, columns);
  for (let k = 1; k < times.length; k++) {
    const row = rows.subarray(k * columns, (k + 1) * columns);
    const target = row.slice();
    spring.advance(values, speeds, before, target, times[k] - times[k - 1]);
    row.set(values);
    before = target;
  }
}

/** The terms of key poses, keys x columns. */
function keyRowsOf(keys: readonly KeyPose[], order: number, reaches: readonly number[]): Float64Array {
  const termCount = monomialCountOf(order);
  const columns = reaches.length * termCount;
  const rows = new Float64Array(keys.length * columns);
  keys.forEach(({ turns }, k) => {
    reaches.forEach((reach, n) => {
      jointTermsInto(turns, order, reach, rows, 4 * n, k * columns + n * termCount);
    });
  });
  return rows;
}

/** Clears a column whose root mean square is below a value. */
function dropSmall(rows: Float64Array, columns: number, column: number, least: number): void {
  let sum = 0;
  for (let e = column; e < rows.length; e += columns) sum += rows[e] * rows[e];
  if (sum * columns < least * least * rows.length) for (let e = column; e < rows.length; e += columns) rows[e] = 0;
}

/** The lasso for every output, with the interface of ridgeFit. */
async function lassoFit(
  { rows, columns, values }: Rows,
  beta: number | 'auto',
  costs: readonly number[],
  onOutput: (c: number) => Promise<unknown>,
): Promise<RidgeFit> {
  const rowCount = rows.length / columns;
  const fitter = makeLassoFitter(rows, columns, { ratios: RATIOS, sweeps: SWEEPS });
  const coefficients = new Float64Array(CONTROLLER_OUTPUTS * columns);
  const heldOut = new Float64Array(CONTROLLER_OUTPUTS);
  const dense = ridgeFit(rows, columns, values, costs).heldOut;
  const total = dense.reduce((sum, error, c) => sum + costs[c] * error, 0);
  for (let c = 0; c < CONTROLLER_OUTPUTS; c++) {
    const own = values.subarray(c * rowCount, (c + 1) * rowCount);
    const fit = fitter.fit(own, beta === 'auto' ? undefined : beta, (ALLOWANCE * total) / Math.max(costs[c], SMALLEST));
    coefficients.set(fit.coefficients, c * columns);
    heldOut[c] = fit.heldOut;
    await onOutput(c);
  }
  return { coefficients, heldOut };
}

/** The largest angle of a joint in training. */
function measureReach({ frameCount, rotations }: TrainingSet, jointCount: number, joint: number): number {
  let least = 1;
  for (let k = 0; k < frameCount; k++) least = Math.min(least, Math.abs(rotations[(k * jointCount + joint) * 4 + 3]));
  return Math.max(2 * Math.acos(Math.min(1, least)), SMALLEST_REACH);
}

/** Squared error of the region per unit of each output: translation, rotation and scale along the region's axes. */
function costsOf({ moments: [weight, x, y, z] }: SolvedHelper): number[] {
  const all = x + y + z;
  return [weight, weight, weight, all - x, all - y, all - z, x, y, z];
}

/** The joints whose rotation moves the helper relative to its parent the most; indices in ascending order. */
function chooseJoints(
  energy: Float64Array,
  { moved, rotations }: TrainingSet,
  jointCount: number,
  maxJoints: number,
  noise: number,
): number[] {
  const moving = new Float64Array(jointCount);
  const total = energy.reduce((sum, e) => sum + e, 0);
  for (let k = 0; k < energy.length; k++) {
    if (moved[k] >= 0) {
      moving[moved[k]] += energy[k];
      continue;
    }
    for (let j = 0; j < jointCount; j++) {
      // several joints move at once: each is credited with the motion that correlates with its rotation
      const w = Math.abs(rotations[(k * jointCount + j) * 4 + 3]);
      moving[j] += energy[k] * (1 - w);
    }
  }
  return Array.from(moving.keys())
    .filter((j) => moving[j] > MIN_PART * total && moving[j] > noise)
    .sort((a, b) => moving[b] - moving[a] || a - b)
    .slice(0, maxJoints)
    .sort((a, b) => a - b);
}
