// SPDX-License-Identifier: MIT
// The multi-weights of one virtual bone, by damped Gauss-Newton steps on the true transform (in place of §4.3, whose objective is the linear one).
// The unknowns are symmetric changes of Δ on its present bones with a fixed sum: its center and spread do not change, nor does any pose that moves all or
// none of it.
//
// A pose of a single joint depends only on the part Y that moves with the joint. The Hessian of a pose is 6x6 in (w, dq) (virtual-derivative.ts),
//   tr(dΘ N dΘᵀ) = wᵀ(tr N₃ I − N₃) w + 2 dqᵀR (w × n) + ν |dq|²,
// that of a joint is 10x10 in Y, and that of the bone follows by signs: Y sums the Δ under the joint. A frame moves every Δⱼ independently and has a Jacobian of
// 6 x 10 for each. If the sums under joints are independent (virtual-tree.ts), each is a problem of ten unknowns.

import { factorCholesky, solveCholesky } from '../../../core/algebra/dense-cholesky.ts';
import { SYM4_SIZE } from '../../../core/math/sym4.ts';
import type { BoneMoments } from '../compress-moments.ts';
import { patchOfBone } from '../compress-responses.ts';
import type { FrameSpace } from '../examples/continuous-frames.ts';
import type { Joints } from '../examples/continuous-joints.ts';
import { sumUnderInto } from '../examples/continuous-joints.ts';
import type { QuadratureSpace } from '../examples/continuous-quadrature.ts';
import type { PatchSum } from '../examples/continuous-space.ts';
import { makeTurn } from '../examples/turn-patch.ts';
import type { VirtualBone } from './virtual-bones.ts';
import { makePoseDerivative } from './virtual-derivative.ts';
import { listTreeSums, type TreeSum } from './virtual-tree.ts';

/** Numbers of a 6 x 10 Jacobian, and of a 10 x 10 Hessian. */
const JACOBIAN_SIZE = 6 * SYM4_SIZE;
const HESSIAN_SIZE = SYM4_SIZE * SYM4_SIZE;
/** Units of the ten unknowns: powers of the radius. */
const UNIT_POWERS = [2, 2, 2, 1, 2, 2, 1, 2, 1, 0];
/** Initial damping relative to the mean diagonal, its factor after a failure, and the number of attempts. Chosen by hand. */
const DAMPING = 1e-4;
const DAMPING_RISE = 20;
const TRIES = 6;

export interface BoneUpdater {
  /** Lowers Eₖ by one accepted step; returns the reduction, 0 if no step was found. */
  update(bone: VirtualBone, moments: BoneMoments, cross: Float64Array): number;
}

/** The updated bone, its moments, and C of compress-moments.ts. */
interface Target {
  bone: VirtualBone;
  moments: BoneMoments;
  cross: Float64Array;
}

/** Derivatives of Eₖ: by Y of each joint, and by Δ of each bone but the first from frames. */
interface Slopes {
  /** joints: Eₖ of each */
  energies: Float64Array;
  /** joints x 100 */
  hessians: Float64Array;
  /** joints x 10 */
  gradients: Float64Array;
  /** size x size, lower, and size; size = 10 (bones − 1) */
  matrix: Float64Array;
  slope: Float64Array;
}

export function makeBoneUpdater(joints: Joints, space: QuadratureSpace | FrameSpace): BoneUpdater {
  const { poses, motions } = space;
  const jointCount = joints.bones.length;
  const y = new Float64Array(SYM4_SIZE);
  const turn = makeTurn();
  const { image, rotation } = turn;
  const gradient3x4 = new Float64Array(12);
  const derivative = makePoseDerivative();
  const { hessian6, gradient6 } = derivative;
  /** 6 x 10: d(w, q)/dY, row-major */
  const jacobian = new Float64Array(JACOBIAN_SIZE);
  const weighted = new Float64Array(JACOBIAN_SIZE);

  /** Eₖ on the joints and frames that matter; with derivatives where asked for. */
  const measure = (
    { bone, moments, cross }: Target,
    deltas: Float64Array,
    slopes?: Slopes,
    places?: readonly number[],
  ): number => {
    const n = moments.square;
    const patch = patchOfBone({ ...bone, deltas }, y);
    let energy = 0;
    const placeCount = places ? places.length : moments.joints.length;
    for (let m = 0; m < placeCount; m++) {
      const place = places ? places[m] : m;
      const g = moments.joints[place];
      const before = energy;
      const scale = space.scaleOf(g);
      sumUnderInto(joints, g, patch, y);
      for (let s = 0; s < poses; s++) {
        space.turnInto(g, s, patch, turn);
        const c0 = 4 * (3 * poses * place + 3 * s);
        for (let r = 0; r < 3; r++) {
          const x = scale * (rotation[r] - (r === 0 ? 1 : 0)),
            y = scale * (rotation[3 + r] - (r === 1 ? 1 : 0)),
            z = scale * (rotation[6 + r] - (r === 2 ? 1 : 0)),
            w = scale * image[9 + r];
          const c = c0 + 4 * r;
          for (let d = 0; d < 4; d++) {
            const blended = x * n[d] + y * n[4 + d] + z * n[8 + d] + w * n[12 + d];
            const theta = d === 0 ? x : d === 1 ? y : d === 2 ? z : w;
            energy += theta * (blended + 2 * cross[c + d]);
            gradient3x4[4 * r + d] = scale * (blended + cross[c + d]);
          }
        }
        if (!slopes) continue;
        derivative.fillHessian6(rotation, n, gradient3x4);
        if (!derivative.softenInto(image, rotation)) continue;
        if (g >= jointCount) {
          addFrame(g, s, patch, scale * scale, slopes);
          continue;
        }
        derivative.jacobianInto(rotation, motions, 12 * (g * poses + s), bone.center, jacobian);
        weigh(jacobian, weighted);
        const o = HESSIAN_SIZE * place;
        for (let a = 0; a < SYM4_SIZE; a++) {
          let slope = 0;
          for (let c = 0; c < 6; c++) slope += jacobian[SYM4_SIZE * c + a] * gradient6[c];
          slopes.gradients[SYM4_SIZE * place + a] += slope;
          for (let b = 0; b <= a; b++) {
            let sum = 0;
            for (let c = 0; c < 6; c++) sum += jacobian[SYM4_SIZE * c + a] * weighted[SYM4_SIZE * c + b];
            slopes.hessians[o + SYM4_SIZE * a + b] += sum;
          }
        }
      }
      if (slopes) slopes.energies[place] = energy - before;
    }
    return energy;
  };

  /** out = H₆ J */
  const weigh = (from: Float64Array, out: Float64Array): void => {
    for (let a = 0; a < 6; a++) {
      for (let b = 0; b < SYM4_SIZE; b++) {
        let sum = 0;
        for (let c = 0; c < 6; c++) sum += hessian6[6 * a + c] * from[SYM4_SIZE * c + b];
        out[SYM4_SIZE * a + b] = sum;
      }
    }
  };

  const firstJacobian = new Float64Array(JACOBIAN_SIZE);
  /** entries x 60: H₆ times Jacobians, less that of the first bone, which gives what the others take */
  let weightedRows = new Float64Array(JACOBIAN_SIZE * 16);

  const addFrame = (
    g: number,
    pose: number,
    { bones, center, end }: PatchSum,
    square: number,
    { matrix, slope }: Slopes,
  ): void => {
    const frames = space as FrameSpace;
    if (frames.frameAt(g, pose, 0) < 0) return;
    if (weightedRows.length < JACOBIAN_SIZE * end) weightedRows = new Float64Array(2 * JACOBIAN_SIZE * end);
    const size = SYM4_SIZE * (end - 1);
    derivative.jacobianInto(rotation, frames.frameMotions, frames.frameAt(g, pose, bones[0]), center, firstJacobian);
    for (let j = 0; j + 1 < end; j++) {
      derivative.jacobianInto(rotation, frames.frameMotions, frames.frameAt(g, pose, bones[j + 1]), center, jacobian);
      for (let c = 0; c < JACOBIAN_SIZE; c++) jacobian[c] -= firstJacobian[c];
      weigh(jacobian, weighted);
      weightedRows.set(weighted, JACOBIAN_SIZE * j);
      for (let a = 0; a < SYM4_SIZE; a++) {
        let sum = 0;
        for (let c = 0; c < 6; c++) sum += jacobian[SYM4_SIZE * c + a] * gradient6[c];
        slope[SYM4_SIZE * j + a] += sum;
        const row = (SYM4_SIZE * j + a) * size;
        const r0 = square * jacobian[a],
          r1 = square * jacobian[SYM4_SIZE + a],
          r2 = square * jacobian[2 * SYM4_SIZE + a],
          r3 = square * jacobian[3 * SYM4_SIZE + a],
          r4 = square * jacobian[4 * SYM4_SIZE + a],
          r5 = square * jacobian[5 * SYM4_SIZE + a];
        for (let k = 0; k <= j; k++) {
          const w = JACOBIAN_SIZE * k;
          for (let b = 0; b < SYM4_SIZE; b++) {
            matrix[row + SYM4_SIZE * k + b] +=
              r0 * weightedRows[w + b] +
              r1 * weightedRows[w + SYM4_SIZE + b] +
              r2 * weightedRows[w + 2 * SYM4_SIZE + b] +
              r3 * weightedRows[w + 3 * SYM4_SIZE + b] +
              r4 * weightedRows[w + 4 * SYM4_SIZE + b] +
              r5 * weightedRows[w + 5 * SYM4_SIZE + b];
          }
        }
      }
    }
  };

  const matrix10 = new Float64Array(HESSIAN_SIZE);
  const factor10 = new Float64Array(HESSIAN_SIZE);
  const step10 = new Float64Array(SYM4_SIZE);

  /** One damped step of a sum that is free; the slopes of others stay true. Returns by how much Eₖ falls. */
  const updateSum = (
    { entry, above, places }: TreeSum,
    target: Target,
    { energies, hessians, gradients }: Slopes,
    units: readonly number[],
  ): number => {
    matrix10.fill(0);
    let before = 0;
    let mean = 0;
    for (const place of places) {
      before += energies[place];
      for (let a = 0; a < SYM4_SIZE; a++)
        for (let b = 0; b <= a; b++)
          matrix10[SYM4_SIZE * a + b] += units[a] * units[b] * hessians[HESSIAN_SIZE * place + SYM4_SIZE * a + b];
    }
    for (let a = 0; a < SYM4_SIZE; a++) mean += matrix10[(SYM4_SIZE + 1) * a] / SYM4_SIZE;
    if (!(mean > 0)) return 0;
    const { deltas } = target.bone;
    let damping = DAMPING * mean;
    for (let attempt = 0; attempt < TRIES; attempt++, damping *= DAMPING_RISE) {
      factor10.set(matrix10);
      for (let a = 0; a < SYM4_SIZE; a++) {
        factor10[(SYM4_SIZE + 1) * a] += damping;
        step10[a] = 0;
        for (const place of places) step10[a] -= units[a] * gradients[SYM4_SIZE * place + a];
      }
      factorCholesky(factor10, SYM4_SIZE, 1e-12 * damping);
      solveCholesky(factor10, SYM4_SIZE, step10);
      const own = deltas.slice(SYM4_SIZE * entry, SYM4_SIZE * (entry + 1));
      const other = deltas.slice(SYM4_SIZE * above, SYM4_SIZE * (above + 1));
      for (let c = 0; c < SYM4_SIZE; c++) {
        deltas[SYM4_SIZE * entry + c] += step10[c] * units[c];
        deltas[SYM4_SIZE * above + c] -= step10[c] * units[c];
      }
      const after = measure(target, deltas, undefined, places);
      if (after < before) return before - after;
      deltas.set(own, SYM4_SIZE * entry);
      deltas.set(other, SYM4_SIZE * above);
    }
    return 0;
  };

  return {
    update(bone, moments, cross) {
      const free = bone.bones.length - 1;
      if (free < 1 || moments.joints.length === 0) return 0;
      const sums = listTreeSums(joints, bone.bones, moments);
      const size = sums ? 0 : SYM4_SIZE * free;
      const slopes: Slopes = {
        energies: new Float64Array(moments.joints.length),
        hessians: new Float64Array(HESSIAN_SIZE * moments.joints.length),
        gradients: new Float64Array(SYM4_SIZE * moments.joints.length),
        matrix: new Float64Array(size * size),
        slope: new Float64Array(size),
      };
      const { matrix, slope } = slopes;
      const target: Target = { bone, moments, cross };
      const before = measure(target, bone.deltas, slopes);
      // unknowns in units of the region that the bone moves, so that damping treats them alike
      const n = moments.square;
      const radius = Math.sqrt(Math.max((n[0] + n[5] + n[10]) / Math.max(n[15], 1e-300), 1e-300));
      const units = UNIT_POWERS.map((power) => radius ** power);
      if (sums) {
        let gain = 0;
        for (const sum of sums) gain += updateSum(sum, target, slopes, units);
        return gain;
      }
      assemble(joints, bone, moments, slopes);
      let mean = 0;
      for (let a = 0; a < size; a++) {
        slope[a] *= units[a % SYM4_SIZE];
        for (let b = 0; b <= a; b++) matrix[a * size + b] *= units[a % SYM4_SIZE] * units[b % SYM4_SIZE];
        mean += matrix[a * size + a] / size;
      }
      if (!(mean > 0)) return 0;
      const factor = new Float64Array(size * size);
      const step = new Float64Array(size);
      const trial = new Float64Array(bone.deltas.length);
      let damping = DAMPING * mean;
      for (let attempt = 0; attempt < TRIES; attempt++, damping *= DAMPING_RISE) {
        factor.set(matrix);
        for (let a = 0; a < size; a++) {
          factor[a * size + a] += damping;
          step[a] = -slope[a];
        }
        factorCholesky(factor, size, 1e-12 * damping);
        solveCholesky(factor, size, step);
        trial.set(bone.deltas);
        for (let j = 0; j < free; j++) {
          for (let c = 0; c < SYM4_SIZE; c++) {
            const change = step[SYM4_SIZE * j + c] * units[c];
            trial[SYM4_SIZE * (j + 1) + c] += change;
            trial[c] -= change;
          }
        }
        const after = measure(target, trial);
        if (after < before) {
          bone.deltas.set(trial);
          return before - after;
        }
      }
      return 0;
    },
  };
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
