// SPDX-License-Identifier: MIT
// The error Eₖ of one virtual bone in the example poses that depend on it, and its derivatives by the multi-weights.
//
// A pose of a single joint depends only on the part Y that moves with the joint. The Hessian of a pose is 6x6 in (w, dq) (virtual-derivative.ts),
//   tr(dΘ N dΘᵀ) = wᵀ(tr N₃ I − N₃) w + 2 dqᵀR (w × n) + ν |dq|²,
// that of a joint is 10x10 in Y. A frame moves every Δⱼ independently and has a Jacobian of 6 x 10 for each.

import { SYM4_SIZE } from '../../../core/math/sym4.ts';
import type { BoneMoments } from '../compress-moments.ts';
import { patchOfBone } from '../compress-responses.ts';
import type { FrameSpace } from '../examples/continuous-frames.ts';
import { type Joints, sumUnderInto } from '../examples/continuous-joints.ts';
import type { QuadratureSpace } from '../examples/continuous-quadrature.ts';
import type { PatchSum } from '../examples/continuous-space.ts';
import { makeTurn } from '../examples/turn-patch.ts';
import type { VirtualBone } from './virtual-bones.ts';
import { PoseDerivative } from './virtual-derivative.ts';

/** Numbers of a 10 x 10 Hessian, and of a 6 x 10 Jacobian. */
export const HESSIAN_SIZE = SYM4_SIZE * SYM4_SIZE;
const JACOBIAN_SIZE = 6 * SYM4_SIZE;

/** A bone, its moments, and C of compress-moments.ts. */
export interface MeteredBone {
  bone: VirtualBone;
  moments: BoneMoments;
  cross: Float64Array;
}

/** Derivatives of Eₖ: by Y of each joint, and by Δ of each bone but the first from frames. */
export interface Slopes {
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

/** Measures one bone at a time. */
export class BoneMeter {
  readonly #joints: Joints;
  readonly #space: QuadratureSpace | FrameSpace;
  readonly #y = new Float64Array(SYM4_SIZE);
  readonly #turn = makeTurn();
  readonly #gradient3x4 = new Float64Array(12);
  readonly #derivative = new PoseDerivative();
  /** 6 x 10: d(w, q)/dY, row-major, and H₆ times it */
  readonly #jacobian = new Float64Array(JACOBIAN_SIZE);
  readonly #weighted = new Float64Array(JACOBIAN_SIZE);
  readonly #firstJacobian = new Float64Array(JACOBIAN_SIZE);
  /** entries x 60: H₆ times Jacobians, less that of the first bone, which gives what the others take */
  #weightedRows = new Float64Array(JACOBIAN_SIZE * 16);

  constructor(joints: Joints, space: QuadratureSpace | FrameSpace) {
    this.#joints = joints;
    this.#space = space;
  }

  /**
   * Eₖ with other multi-weights.
   * @param places indices of the joints to measure; all if absent
   */
  measure({ bone, moments, cross }: MeteredBone, deltas: Float64Array, places?: readonly number[]): number {
    const space = this.#space;
    const patch = patchOfBone({ ...bone, deltas }, this.#y);
    const count = places ? places.length : moments.joints.length;
    let energy = 0;
    for (let m = 0; m < count; m++) {
      const place = places ? places[m] : m;
      const g = moments.joints[place];
      const scale = space.scaleOf(g);
      sumUnderInto(this.#joints, g, patch, this.#y);
      for (let s = 0; s < space.poses; s++) {
        space.turnInto(g, s, patch, this.#turn);
        energy = this.#addEnergy(energy, scale, moments.square, cross, 12 * (space.poses * place + s));
      }
    }
    return energy;
  }

  /** Eₖ, and its derivatives, which are added to slopes. */
  derive({ bone, moments, cross }: MeteredBone, slopes: Slopes): number {
    const space = this.#space;
    const derivative = this.#derivative;
    const { image, rotation } = this.#turn;
    const patch = patchOfBone(bone, this.#y);
    let energy = 0;
    for (let place = 0; place < moments.joints.length; place++) {
      const g = moments.joints[place];
      const before = energy;
      const scale = space.scaleOf(g);
      sumUnderInto(this.#joints, g, patch, this.#y);
      for (let s = 0; s < space.poses; s++) {
        space.turnInto(g, s, patch, this.#turn);
        energy = this.#addEnergy(energy, scale, moments.square, cross, 12 * (space.poses * place + s));
        derivative.fillHessian6(rotation, moments.square, this.#gradient3x4);
        if (!derivative.invert(image, rotation)) continue;
        if (g >= this.#joints.bones.length) this.#addFrame(g, s, patch, scale * scale, slopes);
        else this.#addJointPose(place, 12 * (g * space.poses + s), bone.center, slopes);
      }
      slopes.energies[place] = energy - before;
    }
    return energy;
  }

  /** Adds the error of the present turn to energy, and fills its derivative by Θ. The sum keeps the order of all poses. */
  #addEnergy(energy: number, scale: number, n: Float64Array, cross: Float64Array, c0: number): number {
    const { image, rotation } = this.#turn;
    const gradient3x4 = this.#gradient3x4;
    let sum = energy;
    for (let r = 0; r < 3; r++) {
      const x = scale * (rotation[r] - (r === 0 ? 1 : 0)),
        y = scale * (rotation[3 + r] - (r === 1 ? 1 : 0)),
        z = scale * (rotation[6 + r] - (r === 2 ? 1 : 0)),
        w = scale * image[9 + r];
      const c = c0 + 4 * r;
      for (let d = 0; d < 4; d++) {
        const blended = x * n[d] + y * n[4 + d] + z * n[8 + d] + w * n[12 + d];
        const theta = d === 0 ? x : d === 1 ? y : d === 2 ? z : w;
        sum += theta * (blended + 2 * cross[c + d]);
        gradient3x4[4 * r + d] = scale * (blended + cross[c + d]);
      }
    }
    return sum;
  }

  /** Adds the derivatives of the present turn by Y of its joint. */
  #addJointPose(place: number, motion: number, center: Float64Array, { hessians, gradients }: Slopes): void {
    const jacobian = this.#jacobian;
    const weighted = this.#weighted;
    const { gradient6 } = this.#derivative;
    this.#derivative.jacobianInto(this.#turn.rotation, this.#space.motions, motion, center, jacobian);
    this.#weigh();
    const o = HESSIAN_SIZE * place;
    for (let a = 0; a < SYM4_SIZE; a++) {
      let slope = 0;
      for (let c = 0; c < 6; c++) slope += jacobian[SYM4_SIZE * c + a] * gradient6[c];
      gradients[SYM4_SIZE * place + a] += slope;
      for (let b = 0; b <= a; b++) {
        let sum = 0;
        for (let c = 0; c < 6; c++) sum += jacobian[SYM4_SIZE * c + a] * weighted[SYM4_SIZE * c + b];
        hessians[o + SYM4_SIZE * a + b] += sum;
      }
    }
  }

  /** Adds the derivatives of the present turn, a frame, by Δ of every bone but the first. */
  #addFrame(g: number, pose: number, patch: PatchSum, square: number, { matrix, slope }: Slopes): void {
    const { bones, center, end } = patch;
    const frames = this.#space as FrameSpace;
    if (frames.frameAt(g, pose, 0) < 0) return;
    if (this.#weightedRows.length < JACOBIAN_SIZE * end) this.#weightedRows = new Float64Array(2 * JACOBIAN_SIZE * end);
    const derivative = this.#derivative;
    const { gradient6 } = derivative;
    const { rotation } = this.#turn;
    const first = this.#firstJacobian;
    const jacobian = this.#jacobian;
    derivative.jacobianInto(rotation, frames.frameMotions, frames.frameAt(g, pose, bones[0]), center, first);
    for (let j = 0; j + 1 < end; j++) {
      derivative.jacobianInto(rotation, frames.frameMotions, frames.frameAt(g, pose, bones[j + 1]), center, jacobian);
      for (let c = 0; c < JACOBIAN_SIZE; c++) jacobian[c] -= first[c];
      this.#weigh();
      this.#weightedRows.set(this.#weighted, JACOBIAN_SIZE * j);
      for (let a = 0; a < SYM4_SIZE; a++) {
        let sum = 0;
        for (let c = 0; c < 6; c++) sum += jacobian[SYM4_SIZE * c + a] * gradient6[c];
        slope[SYM4_SIZE * j + a] += sum;
      }
      this.#addFrameRows(j, SYM4_SIZE * (end - 1), square, matrix);
    }
  }

  /** Adds the products of one Jacobian with the weighted ones up to its own: ten rows of a matrix of the given size. */
  #addFrameRows(j: number, size: number, square: number, matrix: Float64Array): void {
    const jacobian = this.#jacobian;
    const weightedRows = this.#weightedRows;
    for (let a = 0; a < SYM4_SIZE; a++) {
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

  /** H₆ times the Jacobian. */
  #weigh(): void {
    const jacobian = this.#jacobian;
    const weighted = this.#weighted;
    const { hessian6 } = this.#derivative;
    for (let a = 0; a < 6; a++) {
      for (let b = 0; b < SYM4_SIZE; b++) {
        let sum = 0;
        for (let c = 0; c < 6; c++) sum += hessian6[6 * a + c] * jacobian[SYM4_SIZE * c + b];
        weighted[SYM4_SIZE * a + b] = sum;
      }
    }
  }
}
