// SPDX-License-Identifier: MIT
// The multi-weights of one virtual bone, by damped Gauss-Newton steps on the true transform (in place of §4.3, whose objective is the linear one).
// The unknowns are symmetric changes of Δ on its present bones with a fixed sum: its center and spread do not change, nor does any pose that moves all or
// none of it.
//
// The derivatives by Y of each joint and by frames are those of bone-meter.ts. The Hessian of the bone follows by signs: Y sums the Δ under the joint. If the
// sums under joints are independent (virtual-tree.ts), each is a problem of ten unknowns.

import { factorCholesky, solveCholesky } from '../../../core/algebra/dense-cholesky.ts';
import { SYM4_SIZE } from '../../../core/math/sym4.ts';
import type { BoneMoments } from '../compress-moments.ts';
import type { FrameSpace } from '../examples/continuous-frames.ts';
import type { Joints } from '../examples/continuous-joints.ts';
import type { QuadratureSpace } from '../examples/continuous-quadrature.ts';
import { BoneMeter, HESSIAN_SIZE, type MeteredBone, type Slopes } from './bone-meter.ts';
import type { VirtualBone } from './virtual-bones.ts';
import { listTreeSums, type TreeSum } from './virtual-tree.ts';

/** Units of the ten unknowns: powers of the radius. */
const UNIT_POWERS = [2, 2, 2, 1, 2, 2, 1, 2, 1, 0];
/** Initial damping relative to the mean diagonal, its factor after a failure, and the number of attempts. Chosen by hand. */
const DAMPING = 1e-4;
const DAMPING_RISE = 20;
const TRIES = 6;

/** Updates one bone at a time. */
export class BoneUpdater {
  readonly #joints: Joints;
  readonly #meter: BoneMeter;
  readonly #matrix10 = new Float64Array(HESSIAN_SIZE);
  readonly #factor10 = new Float64Array(HESSIAN_SIZE);
  readonly #step10 = new Float64Array(SYM4_SIZE);

  constructor(joints: Joints, space: QuadratureSpace | FrameSpace) {
    this.#joints = joints;
    this.#meter = new BoneMeter(joints, space);
  }

  /** Lowers Eₖ by one accepted step per independent problem; returns the reduction, 0 if no step was found. */
  update(bone: VirtualBone, moments: BoneMoments, cross: Float64Array): number {
    const free = bone.bones.length - 1;
    if (free < 1 || moments.joints.length === 0) return 0;
    const sums = listTreeSums(this.#joints, bone.bones, moments);
    const slopes = makeSlopes(moments.joints.length, sums ? 0 : SYM4_SIZE * free);
    const metered: MeteredBone = { bone, moments, cross };
    const before = this.#meter.derive(metered, slopes);
    const units = unitsOf(moments);
    if (!sums) return this.#stepWhole(metered, slopes, units, before);
    let gain = 0;
    for (const sum of sums) gain += this.#stepSum(sum, metered, slopes, units);
    return gain;
  }

  /** One damped step of a sum that is free; the slopes of others stay true. Returns the reduction of Eₖ. */
  #stepSum(
    { entry, above, places }: TreeSum,
    metered: MeteredBone,
    { energies, hessians, gradients }: Slopes,
    units: readonly number[],
  ): number {
    const matrix = this.#matrix10;
    const factor = this.#factor10;
    const step = this.#step10;
    matrix.fill(0);
    let before = 0;
    for (const place of places) {
      before += energies[place];
      for (let a = 0; a < SYM4_SIZE; a++)
        for (let b = 0; b <= a; b++)
          matrix[SYM4_SIZE * a + b] += units[a] * units[b] * hessians[HESSIAN_SIZE * place + SYM4_SIZE * a + b];
    }
    const mean = meanDiagonal(matrix, SYM4_SIZE);
    if (!(mean > 0)) return 0;
    const { deltas } = metered.bone;
    let damping = DAMPING * mean;
    for (let attempt = 0; attempt < TRIES; attempt++, damping *= DAMPING_RISE) {
      for (let a = 0; a < SYM4_SIZE; a++) {
        step[a] = 0;
        for (const place of places) step[a] -= units[a] * gradients[SYM4_SIZE * place + a];
      }
      solveDamped(matrix, factor, step, damping);
      const own = deltas.slice(SYM4_SIZE * entry, SYM4_SIZE * (entry + 1));
      const other = deltas.slice(SYM4_SIZE * above, SYM4_SIZE * (above + 1));
      shift(deltas, entry, above, step, 0, units);
      const after = this.#meter.measure(metered, deltas, places);
      if (after < before) return before - after;
      deltas.set(own, SYM4_SIZE * entry);
      deltas.set(other, SYM4_SIZE * above);
    }
    return 0;
  }

  /** One damped step of all unknowns together. Returns the reduction of Eₖ. */
  #stepWhole(metered: MeteredBone, slopes: Slopes, units: readonly number[], before: number): number {
    const { bone, moments } = metered;
    const { matrix, slope } = slopes;
    const size = slope.length;
    assemble(this.#joints, bone, moments, slopes);
    for (let a = 0; a < size; a++) {
      slope[a] *= units[a % SYM4_SIZE];
      for (let b = 0; b <= a; b++) matrix[a * size + b] *= units[a % SYM4_SIZE] * units[b % SYM4_SIZE];
    }
    const mean = meanDiagonal(matrix, size);
    if (!(mean > 0)) return 0;
    const factor = new Float64Array(size * size);
    const step = new Float64Array(size);
    const trial = new Float64Array(bone.deltas.length);
    let damping = DAMPING * mean;
    for (let attempt = 0; attempt < TRIES; attempt++, damping *= DAMPING_RISE) {
      for (let a = 0; a < size; a++) step[a] = -slope[a];
      solveDamped(matrix, factor, step, damping);
      trial.set(bone.deltas);
      for (let j = 0; SYM4_SIZE * j < size; j++) shift(trial, j + 1, 0, step, SYM4_SIZE * j, units);
      const after = this.#meter.measure(metered, trial);
      if (after < before) {
        bone.deltas.set(trial);
        return before - after;
      }
    }
    return 0;
  }
}

function makeSlopes(jointCount: number, size: number): Slopes {
  return {
    energies: new Float64Array(jointCount),
    hessians: new Float64Array(HESSIAN_SIZE * jointCount),
    gradients: new Float64Array(SYM4_SIZE * jointCount),
    matrix: new Float64Array(size * size),
    slope: new Float64Array(size),
  };
}

/** Units of the region that the bone moves, so that damping treats unknowns alike. */
function unitsOf({ square: n }: BoneMoments): number[] {
  const radius = Math.sqrt(Math.max((n[0] + n[5] + n[10]) / Math.max(n[15], 1e-300), 1e-300));
  return UNIT_POWERS.map((power) => radius ** power);
}

function meanDiagonal(matrix: Float64Array, size: number): number {
  let mean = 0;
  for (let a = 0; a < size; a++) mean += matrix[(size + 1) * a] / size;
  return mean;
}

/** Solves the damped system in place of its right side. */
function solveDamped(matrix: Float64Array, factor: Float64Array, step: Float64Array, damping: number): void {
  const size = step.length;
  factor.set(matrix);
  for (let a = 0; a < size; a++) factor[(size + 1) * a] += damping;
  factorCholesky(factor, size, 1e-12 * damping);
  solveCholesky(factor, size, step);
}

/** Moves a step, ten numbers at o, from one entry to another. */
function shift(
  deltas: Float64Array,
  to: number,
  from: number,
  step: Float64Array,
  o: number,
  units: readonly number[],
): void {
  for (let c = 0; c < SYM4_SIZE; c++) {
    const change = step[o + c] * units[c];
    deltas[SYM4_SIZE * to + c] += change;
    deltas[SYM4_SIZE * from + c] -= change;
  }
}

/** From joints to bones: the first bone takes what the others give, so bone j counts by whether it, and not the first, goes with the joint. */
function assemble(
  joints: Joints,
  bone: VirtualBone,
  moments: BoneMoments,
  { hessians, gradients, matrix, slope }: Slopes,
): void {
  const free = bone.bones.length - 1;
  const size = SYM4_SIZE * free;
  for (let place = 0; place < moments.joints.length; place++) {
    if (moments.joints[place] >= joints.bones.length) continue;
    const row = moments.joints[place] * joints.boneCount;
    const first = joints.under[row + bone.bones[0]];
    for (let j = 0; j < free; j++) {
      const sj = joints.under[row + bone.bones[j + 1]] - first;
      if (sj === 0) continue;
      for (let a = 0; a < SYM4_SIZE; a++) slope[SYM4_SIZE * j + a] += sj * gradients[SYM4_SIZE * place + a];
      for (let k = 0; k <= j; k++) {
        const sign = sj * (joints.under[row + bone.bones[k + 1]] - first);
        if (sign === 0) continue;
        for (let a = 0; a < SYM4_SIZE; a++) {
          for (let b = 0; b < SYM4_SIZE; b++) {
            const value =
              a >= b
                ? hessians[HESSIAN_SIZE * place + SYM4_SIZE * a + b]
                : hessians[HESSIAN_SIZE * place + SYM4_SIZE * b + a];
            matrix[(SYM4_SIZE * j + a) * size + SYM4_SIZE * k + b] += sign * value;
          }
        }
      }
    }
  }
}
