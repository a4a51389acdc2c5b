// SPDX-License-Identifier: MIT
// L. Kavan, P.-P. Sloan, C. O'Sullivan, "Fast and efficient skinning of animated meshes", Computer Graphics Forum 29(2), 2010, §4.4: with weights and bones
// fixed, the optimal rest position of a vertex is the solution of a 3x3 linear system. With Bₖ = Σⱼ wⱼ[Mⱼₖ]₃ and tₖ = Σⱼ wⱼ[Mⱼₖ]₄,
//   (Σₖ BₖᵀBₖ) u = Σₖ Bₖᵀ(vₖ − tₖ).
// The left side and Σ Bₖᵀtₖ come from the products of bones (ten numbers per pair), only Σ Bₖᵀvₖ visits the frames.
import { widthOf } from '../kernels/bone-products.ts';
import { solveSymmetric3 } from '../math/solve-symmetric3.ts';
import {
  SYM4_FIRST,
  SYM4_INDEX,
  SYM4_SIZE,
  SYM4_XX,
  SYM4_XY,
  SYM4_XZ,
  SYM4_YY,
  SYM4_YZ,
  SYM4_ZZ,
} from '../math/sym4.ts';
import type { SkinFit } from './skin-fit.ts';

/** Regularization towards the present rest position, relative to the system: only determines directions without effect on the frames. */
const RIDGE = 1e-6;
/** The places of a symmetric 3x3 matrix in a symmetric 4x4. */
const SYSTEM = [SYM4_XX, SYM4_XY, SYM4_XZ, SYM4_YY, SYM4_YZ, SYM4_ZZ];

/** Moves the rest positions of a fit to their optimum; the products of the fit must belong to its bones. Locked vertices do not move. */
export function correctRest(fit: SkinFit): void {
  const { trajectories, boneCount, weights } = fit;
  const rest = trajectories.rest.view();
  const posed = trajectories.posed.view();
  const bones = fit.bones.view();
  const pairs = fit.products.pairs.view();
  const ids = weights.bones.view();
  const ws = weights.weights.view();
  const locked = fit.locked?.view();
  const rows = 3 * trajectories.frameCount;
  const width = widthOf(boneCount);
  const influences = weights.influences;
  const normal = new Float64Array(SYM4_SIZE);
  const right = new Float64Array(3);
  const system = new Float64Array(6);
  for (let i = 0; i < trajectories.vertexCount; i++) {
    if (locked?.[i]) continue;
    normal.fill(0);
    right.fill(0);
    for (let a = i * influences; a < (i + 1) * influences; a++) {
      if (ws[a] === 0) continue;
      for (let b = i * influences; b < (i + 1) * influences; b++) {
        const ww = ws[a] * ws[b];
        if (ww === 0) continue;
        for (let c = 0; c < SYM4_SIZE; c++) normal[c] += ww * pairs[(ids[a] * SYM4_SIZE + c) * width + ids[b]];
      }
      let x = 0;
      let y = 0;
      let z = 0;
      for (let row = 0; row < rows; row++) {
        const v = posed[i * rows + row];
        const o = row * 4 * boneCount + 4 * ids[a];
        x += v * bones[o];
        y += v * bones[o + 1];
        z += v * bones[o + 2];
      }
      right[0] += ws[a] * x;
      right[1] += ws[a] * y;
      right[2] += ws[a] * z;
    }
    const mu = RIDGE * (normal[SYM4_XX] + normal[SYM4_YY] + normal[SYM4_ZZ]);
    for (let r = 0; r < 3; r++) {
      right[r] += mu * rest[3 * i + r] - normal[SYM4_FIRST[r]];
      normal[SYM4_INDEX[r][r]] += mu;
    }
    for (let n = 0; n < 6; n++) system[n] = normal[SYSTEM[n]];
    solveSymmetric3(system, right, rest, 3 * i);
  }
}
