// SPDX-License-Identifier: MIT
// L. Kavan, P.-P. Sloan, C. O'Sullivan, "Fast and efficient skinning of animated meshes", Computer Graphics Forum 29(2), 2010: for given weights the best affine
// bones of all frames are one linear least squares problem. With the moments of a skin (core/kernels/bones/skin-moments.ts), C of 4m x 4m and D of 4m x rows,
//   (C + µ) Tᵀ = D + µ T_beforeᵀ,
// one factor for every row of every frame. µ, a small ratio of each bone's own moments, only determines directions without extent (a flat region, a bone without weights).
//
// This is used for the first and the last bones. In between, one or two sweeps over bones (core/kernels/bones/bone-sweep.ts) per iteration converge faster: bones that fit the
// present weights exactly keep those weights in place (pdance, 24 bones, 40 iterations: 0.329 by joint solves, 0.299 by one sweep, 0.326 by five).

import { factorCholesky, solveCholesky } from '../../../core/algebra/dense-cholesky.ts';
import { pairOffset } from '../../../core/kernels/bones/skin-moments.ts';
import { SYM4_INDEX } from '../../../core/math/sym4.ts';
import { SkinFit } from '../../../fit/skin/index.ts';

const RIDGE = 1e-9;
/** Regularization of a bone without weights, relative to the average bone. */
const IDLE = 1e-12;
const SMALLEST = 1e-300;

/** The alternating solve of fit/skin/skin-fit.ts, with a joint solve of all bones of all frames. */
export class FsdFit extends SkinFit {
  /** Fits all bones to the present weights: the joint minimum. */
  async solveJointBones(): Promise<void> {
    const { trajectories, boneCount, moments } = this;
    await this.measureMoments();
    const size = 4 * boneCount;
    const pairs = moments.pairs.view();
    const normal = new Float64Array(size * size);
    for (let j = 0; j < boneCount; j++) {
      for (let l = j; l < boneCount; l++) {
        const o = pairOffset(boneCount, j, l);
        for (let a = 0; a < 4; a++)
          for (let b = 0; b < 4; b++) normal[(4 * l + b) * size + 4 * j + a] = pairs[o + SYM4_INDEX[a][b]];
      }
    }
    let total = 0;
    for (let d = 0; d < size; d++) total += normal[d * size + d];
    const pulls = new Float64Array(boneCount);
    for (let j = 0; j < boneCount; j++) {
      let trace = 0;
      for (let d = 4 * j; d < 4 * j + 4; d++) trace += normal[d * size + d];
      pulls[j] = RIDGE * trace + (IDLE * total) / boneCount + SMALLEST;
      for (let d = 4 * j; d < 4 * j + 4; d++) normal[d * size + d] += pulls[j];
    }
    factorCholesky(normal, size, ((IDLE * total) / boneCount) * 1e-3 + SMALLEST);
    const rows = 3 * trajectories.frameCount;
    const targets = moments.targets.view();
    const bones = this.bones.view();
    for (let row = 0; row < rows; row++) {
      const o = row * size;
      for (let j = 0; j < boneCount; j++) {
        for (let c = 0; c < 4; c++)
          bones[o + 4 * j + c] = targets[(j * rows + row) * 4 + c] + pulls[j] * bones[o + 4 * j + c];
      }
      solveCholesky(normal, size, bones, size, o);
    }
  }
}
