// SPDX-License-Identifier: MIT
// L. Kavan, P.-P. Sloan, C. O'Sullivan, "Fast and efficient skinning of animated meshes", Computer Graphics Forum 29(2), 2010, §4.4: with weights and bones
// fixed, the optimal rest position of a vertex is the solution of a 3x3 linear system. With Bₖ = Σⱼ wⱼ[Mⱼₖ]₃ and tₖ = Σⱼ wⱼ[Mⱼₖ]₄,
//   (Σₖ BₖᵀBₖ) u = Σₖ Bₖᵀ(vₖ − tₖ).
// The left side and Σ Bₖᵀtₖ come from the products of bones (ten numbers per pair), only Σ Bₖᵀvₖ visits the frames.
import { widthOf } from '../kernels/bone-products.ts';
import { SYM4_FIRST, SYM4_INDEX, SYM4_SIZE, SYM4_XX, SYM4_YY, SYM4_ZZ } from '../math/sym4.ts';
import type { SkinFit } from './skin-fit.ts';

/** Regularization towards the present rest position, relative to the system: only determines directions without effect on the frames. */
const RIDGE = 1e-6;
/** Smaller determinants, relative to the cubed trace, are rounding error: the ridge alone gives a thousand times as much. */
const SINGULAR = 1e-18;

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
    solveThree(normal, right, rest, 3 * i);
  }
}

/** Solves the symmetric positive 3x3 system by cofactors; does not write out if it is singular. */
function solveThree(m: Float64Array, right: Float64Array, out: Float64Array, offset: number): void {
  const [xx, xy, xz, , yy, yz, , zz] = m;
  const c0 = yy * zz - yz * yz;
  const c1 = xz * yz - xy * zz;
  const c2 = xy * yz - xz * yy;
  const det = xx * c0 + xy * c1 + xz * c2;
  if (!(det > SINGULAR * (xx + yy + zz) * (xx + yy + zz) ** 2)) return;
  const c3 = xx * zz - xz * xz;
  const c4 = xy * xz - xx * yz;
  const c5 = xx * yy - xy * xy;
  const [a, b, c] = right;
  out[offset] = (c0 * a + c1 * b + c2 * c) / det;
  out[offset + 1] = (c1 * a + c3 * b + c4 * c) / det;
  out[offset + 2] = (c2 * a + c4 * b + c5 * c) / det;
}
