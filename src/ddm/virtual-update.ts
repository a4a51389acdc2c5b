// SPDX-License-Identifier: MIT
// The multi-weights of one virtual bone, by damped Gauss-Newton steps on the true transform (in place of §4.3, whose objective is the linear one).
// Unknown are symmetric changes of Δ on the bones it has, with their sum held: its center and spread stay, and so does every pose that moves all or
// none of it.
//
// Per pose, with Q* = R P polar, a change of Q* turns R by w: dR = R [w],  (tr P I − P) w = vee(RᵀdQ* − dQ*ᵀR), and Q*, q depend on the part Y that
// goes with the joint alone: dQ* = F dAᵧ + h dbᵧᵀ, dq = F dbᵧ + h dωᵧ. So a pose's Hessian is 6x6 in (w, dq),
//   tr(dΘ N dΘᵀ) = wᵀ(tr N₃ I − N₃) w + 2 dqᵀR (w × n) + ν |dq|²,
// a joint's 10x10 in Y, and the bone's comes from these by signs: Y sums the Δ under the joint.

import { factorCholesky, solveCholesky } from '../solve/dense-cholesky.ts';
import type { BoneMoments } from './compress-moments.ts';
import type { Joints } from './continuous-joints.ts';
import { sumUnderInto } from './continuous-joints.ts';
import type { QuadratureSpace } from './continuous-quadrature.ts';
import type { PatchSum } from './continuous-space.ts';
import type { VirtualBone } from './virtual-bones.ts';

/** Damping to start with, as a part of the mean diagonal, its rise after a failure, and how often it is tried. */
const DAMPING = 1e-4;
const DAMPING_RISE = 20;
const TRIES = 6;
/** Where the smallest turn is softer than this part of the mean, w is held: the nearest rotation is about to jump. */
const SOFTNESS = 0.02;

export interface BoneUpdater {
  /** Lowers Eₖ by one accepted step; returns by how much, 0 where none was found. */
  update(bone: VirtualBone, moments: BoneMoments, cross: Float64Array): number;
}

export function makeBoneUpdater(joints: Joints, space: QuadratureSpace): BoneUpdater {
  const { poses, motions } = space;
  const patch: PatchSum = {
    y: new Float64Array(10),
    spread: new Float64Array(6),
    spreadOffset: 0,
    center: new Float64Array(3),
    centerOffset: 0,
  };
  const rotation = new Float64Array(9);
  const shift = new Float64Array(3);
  const gradient3x4 = new Float64Array(12);
  /** 6 x 10: d(w, q)/dY, row-major */
  const jacobian = new Float64Array(60);
  const weighted = new Float64Array(60);
  const hessian6 = new Float64Array(36);
  const gradient6 = new Float64Array(6);

  /** Eₖ on the joints that matter; with derivatives where asked for: hessians joints x 100, gradients joints x 10. */
  const measure = (
    bone: VirtualBone,
    deltas: Float64Array,
    moments: BoneMoments,
    cross: Float64Array,
    hessians?: Float64Array,
    gradients?: Float64Array,
  ): number => {
    const n = moments.square;
    patch.spread = bone.spread;
    patch.center = bone.center;
    let energy = 0;
    for (let place = 0; place < moments.joints.length; place++) {
      const g = moments.joints[place];
      sumUnderInto(joints, g, bone.bones, deltas, 0, bone.bones.length, patch.y);
      for (let s = 0; s < poses; s++) {
        space.turnInto(g, s, patch, rotation, shift);
        const c0 = 4 * (3 * poses * place + 3 * s);
        for (let r = 0; r < 3; r++) {
          const x = rotation[r] - (r === 0 ? 1 : 0),
            y = rotation[3 + r] - (r === 1 ? 1 : 0),
            z = rotation[6 + r] - (r === 2 ? 1 : 0),
            w = shift[r];
          const c = c0 + 4 * r;
          for (let d = 0; d < 4; d++) {
            const blended = x * n[d] + y * n[4 + d] + z * n[8 + d] + w * n[12 + d];
            const theta = d === 0 ? x : d === 1 ? y : d === 2 ? z : w;
            energy += theta * (blended + 2 * cross[c + d]);
            gradient3x4[4 * r + d] = blended + cross[c + d];
          }
        }
        if (!hessians || !gradients) continue;
        fillHessian6(n);
        if (!fillJacobian(12 * (g * poses + s))) continue;
        for (let a = 0; a < 6; a++) {
          for (let b = 0; b < 10; b++) {
            let sum = 0;
            for (let c = 0; c < 6; c++) sum += hessian6[6 * a + c] * jacobian[10 * c + b];
            weighted[10 * a + b] = sum;
          }
        }
        const o = 100 * place;
        for (let a = 0; a < 10; a++) {
          let slope = 0;
          for (let c = 0; c < 6; c++) slope += jacobian[10 * c + a] * gradient6[c];
          gradients[10 * place + a] += slope;
          for (let b = 0; b <= a; b++) {
            let sum = 0;
            for (let c = 0; c < 6; c++) sum += jacobian[10 * c + a] * weighted[10 * c + b];
            hessians[o + 10 * a + b] += sum;
          }
        }
      }
    }
    return energy;
  };

  /** The quadratic form in (w, dq), and the slope. */
  const fillHessian6 = (n: Float64Array): void => {
    const trace = n[0] + n[5] + n[10];
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        hessian6[6 * r + c] = (r === c ? trace : 0) - n[4 * r + c];
        hessian6[6 * (3 + r) + 3 + c] = r === c ? n[15] : 0;
      }
    }
    // dqᵀ R (w × n) = −dqᵀ R [n] w; rows dq, columns w
    const nx = n[3],
      ny = n[7],
      nz = n[11];
    for (let r = 0; r < 3; r++) {
      const r0 = rotation[r],
        r1 = rotation[3 + r],
        r2 = rotation[6 + r];
      const m0 = -(r1 * nz - r2 * ny),
        m1 = -(r2 * nx - r0 * nz),
        m2 = -(r0 * ny - r1 * nx);
      hessian6[6 * (3 + r)] = m0;
      hessian6[6 * (3 + r) + 1] = m1;
      hessian6[6 * (3 + r) + 2] = m2;
      hessian6[3 + r] = m0;
      hessian6[6 + 3 + r] = m1;
      hessian6[12 + 3 + r] = m2;
    }
    // Z = RᵀG₃; tr(G₃ᵀR[w]) = w·(Z₃₂ − Z₂₃, Z₁₃ − Z₃₁, Z₂₁ − Z₁₂)
    const z = (a: number, b: number): number =>
      rotation[3 * a] * gradient3x4[b] +
      rotation[3 * a + 1] * gradient3x4[4 + b] +
      rotation[3 * a + 2] * gradient3x4[8 + b];
    gradient6[0] = z(2, 1) - z(1, 2);
    gradient6[1] = z(0, 2) - z(2, 0);
    gradient6[2] = z(1, 0) - z(0, 1);
    for (let r = 0; r < 3; r++) gradient6[3 + r] = gradient3x4[4 * r + 3];
  };

  /** d(w, q)/dY of the pose whose motion begins at o. False where the rotation cannot be differentiated. */
  const fillJacobian = (o: number): boolean => {
    const { y, spread: a, center: p } = patch;
    // P = RᵀQ*, from Q* = A + F Aᵧ + h bᵧᵀ
    const h0 = motions[o] * p[0] + motions[o + 3] * p[1] + motions[o + 6] * p[2] + motions[o + 9];
    const h1 = motions[o + 1] * p[0] + motions[o + 4] * p[1] + motions[o + 7] * p[2] + motions[o + 10];
    const h2 = motions[o + 2] * p[0] + motions[o + 5] * p[1] + motions[o + 8] * p[2] + motions[o + 11];
    // RᵀF and Rᵀh: what a change of Y meets in the frame of R
    const f = turnedF;
    const t = rotation;
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++)
        f[3 * c + r] =
          t[3 * r] * motions[o + 3 * c] + t[3 * r + 1] * motions[o + 3 * c + 1] + t[3 * r + 2] * motions[o + 3 * c + 2];
      turnedH[r] = t[3 * r] * h0 + t[3 * r + 1] * h1 + t[3 * r + 2] * h2;
    }
    const ySym = [y[0], y[1], y[2], y[1], y[4], y[5], y[2], y[5], y[7]];
    const aSym = [a[0], a[1], a[2], a[1], a[3], a[4], a[2], a[4], a[5]];
    const b = [y[3], y[6], y[8]];
    for (let r = 0; r < 3; r++) {
      for (let c = 0; c < 3; c++) {
        let sum = turnedH[r] * b[c];
        for (let k = 0; k < 3; k++) sum += f[3 * k + r] * ySym[3 * c + k] + t[3 * r + k] * aSym[3 * c + k];
        polar[3 * c + r] = sum;
      }
    }
    // K = tr P I − P, symmetric but for rounding
    const trace = polar[0] + polar[4] + polar[8];
    const k01 = -0.5 * (polar[1] + polar[3]),
      k02 = -0.5 * (polar[2] + polar[6]),
      k12 = -0.5 * (polar[5] + polar[7]);
    let k00 = trace - polar[0],
      k11 = trace - polar[4],
      k22 = trace - polar[8];
    const mean = (k00 + k11 + k22) / 3;
    if (!(mean > 0)) return false;
    let det = k00 * (k11 * k22 - k12 * k12) - k01 * (k01 * k22 - k12 * k02) + k02 * (k01 * k12 - k11 * k02);
    if (det < SOFTNESS * mean * mean * mean) {
      k00 += SOFTNESS * mean;
      k11 += SOFTNESS * mean;
      k22 += SOFTNESS * mean;
      det = k00 * (k11 * k22 - k12 * k12) - k01 * (k01 * k22 - k12 * k02) + k02 * (k01 * k12 - k11 * k02);
      if (!(det > 1e-6 * mean * mean * mean)) return false;
    }
    const inv = 1 / det;
    const i00 = (k11 * k22 - k12 * k12) * inv,
      i01 = (k02 * k12 - k01 * k22) * inv,
      i02 = (k01 * k12 - k02 * k11) * inv,
      i11 = (k00 * k22 - k02 * k02) * inv,
      i12 = (k01 * k02 - k00 * k12) * inv,
      i22 = (k00 * k11 - k01 * k01) * inv;
    jacobian.fill(0);
    const put = (column: number, vx: number, vy: number, vz: number): void => {
      jacobian[column] = i00 * vx + i01 * vy + i02 * vz;
      jacobian[10 + column] = i01 * vx + i11 * vy + i12 * vz;
      jacobian[20 + column] = i02 * vx + i12 * vy + i22 * vz;
    };
    // vee(X − Xᵀ) for X with the column x in place c: c = 0: (0, −x₂, x₁), c = 1: (x₂, 0, −x₀), c = 2: (−x₁, x₀, 0)
    const [f00, f10, f20, f01, f11, f21, f02, f12, f22] = f;
    const [x0, x1, x2] = turnedH;
    put(0, 0, -f20, f10);
    put(1, f20, -f21, f11 - f00);
    put(2, -f10, f00 - f22, f12);
    put(3, 0, -x2, x1);
    put(4, f21, 0, -f01);
    put(5, f22 - f11, f01, -f02);
    put(6, x2, 0, -x0);
    put(7, -f12, f02, 0);
    put(8, -x1, x0, 0);
    for (let r = 0; r < 3; r++) {
      jacobian[30 + 10 * r + 3] = motions[o + r];
      jacobian[30 + 10 * r + 6] = motions[o + 3 + r];
      jacobian[30 + 10 * r + 8] = motions[o + 6 + r];
    }
    jacobian[39] = h0;
    jacobian[49] = h1;
    jacobian[59] = h2;
    return true;
  };
  const turnedF = new Float64Array(9);
  const turnedH = new Float64Array(3);
  const polar = new Float64Array(9);

  return {
    update(bone, moments, cross) {
      const free = bone.bones.length - 1;
      const jointCount = moments.joints.length;
      if (free < 1 || jointCount === 0) return 0;
      const hessians = new Float64Array(100 * jointCount);
      const gradients = new Float64Array(10 * jointCount);
      const before = measure(bone, bone.deltas, moments, cross, hessians, gradients);
      const size = 10 * free;
      const matrix = new Float64Array(size * size);
      const slope = new Float64Array(size);
      assemble(joints, bone, moments, hessians, gradients, matrix, slope);
      // unknowns in units of the region that the bone moves, so that damping treats them alike
      const n = moments.square;
      const radius = Math.sqrt(Math.max((n[0] + n[5] + n[10]) / Math.max(n[15], 1e-300), 1e-300));
      const units = [2, 2, 2, 1, 2, 2, 1, 2, 1, 0].map((power) => radius ** power);
      let mean = 0;
      for (let a = 0; a < size; a++) {
        slope[a] *= units[a % 10];
        for (let b = 0; b <= a; b++) matrix[a * size + b] *= units[a % 10] * units[b % 10];
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
          for (let c = 0; c < 10; c++) {
            const change = step[10 * j + c] * units[c];
            trial[10 * (j + 1) + c] += change;
            trial[c] -= change;
          }
        }
        const after = measure(bone, trial, moments, cross);
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
  hessians: Float64Array,
  gradients: Float64Array,
  matrix: Float64Array,
  slope: Float64Array,
): void {
  const free = bone.bones.length - 1;
  const size = 10 * free;
  for (let place = 0; place < moments.joints.length; place++) {
    const row = moments.joints[place] * joints.boneCount;
    const first = joints.under[row + bone.bones[0]];
    for (let j = 0; j < free; j++) {
      const sj = joints.under[row + bone.bones[j + 1]] - first;
      if (sj === 0) continue;
      for (let a = 0; a < 10; a++) slope[10 * j + a] += sj * gradients[10 * place + a];
      for (let k = 0; k <= j; k++) {
        const sign = sj * (joints.under[row + bone.bones[k + 1]] - first);
        if (sign === 0) continue;
        for (let a = 0; a < 10; a++) {
          for (let b = 0; b < 10; b++) {
            const value = a >= b ? hessians[100 * place + 10 * a + b] : hessians[100 * place + 10 * b + a];
            matrix[(10 * j + a) * size + 10 * k + b] += sign * value;
          }
        }
      }
    }
  }
}
