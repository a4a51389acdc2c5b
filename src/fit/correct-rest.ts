// SPDX-License-Identifier: MIT
// L. Kavan, P.-P. Sloan, C. O'Sullivan, "Fast and efficient skinning of animated meshes", Computer Graphics Forum 29(2), 2010, §4.4: with weights and bones
// fixed, the optimal rest position of a vertex is the solution of a 3x3 linear system. With Bₖ = Σⱼ wⱼ[Mⱼₖ]₃ and tₖ = Σⱼ wⱼ[Mⱼₖ]₄,
//   (Σₖ BₖᵀBₖ) u = Σₖ Bₖᵀ(vₖ − tₖ).
// The left side and Σ Bₖᵀtₖ come from the products of bones (ten numbers per pair), only Σ Bₖᵀvₖ visits the frames.
import { widthOf } from '../kernels/bone-products.ts';
import type { FitWeights } from '../kernels/convex-weights.ts';
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

/** Known positions of a rest shape. */
export interface RestAnchor {
  /** vertexCount x 3, solver units */
  positions: Float64Array;
  /** Their weight, relative to that of a position in a frame. */
  strength: number;
}

/**
 * Moves the rest positions of a fit to their optimum; the products of the fit must belong to its bones. Locked vertices do not move.
 * @param anchor positions that the rest shape is held near. A blend of bones that rotate differently hardly depends on the rest position in some direction, and noise would move it far along that one
 */
export function correctRest(fit: SkinFit, anchor?: RestAnchor): void {
  const { trajectories, boneCount } = fit;
  const posed = trajectories.posed.view();
  const bones = fit.bones.view();
  const rows = 3 * trajectories.frameCount;
  const measure = (i: number, bone: number, out: Float64Array): void => {
    let x = 0;
    let y = 0;
    let z = 0;
    for (let row = 0; row < rows; row++) {
      const v = posed[i * rows + row];
      const o = row * 4 * boneCount + 4 * bone;
      x += v * bones[o];
      y += v * bones[o + 1];
      z += v * bones[o + 2];
    }
    out[0] = x;
    out[1] = y;
    out[2] = z;
  };
  solveRest(
    ...([trajectories.rest.view(), fit.products.pairs.view(), boneCount, fit.weights, measure] as const),
    ...([fit.locked?.view(), anchor] as const),
  );
}

/**
 * The same from the products of trajectories and bones, which contain Σ Bₖᵀvₖ.
 * @param rest vertexCount x 3, changed in place
 * @param blended vertexCount x 4 boneCount: V T
 * @param pairs products of the bones
 */
export function correctRestBy(
  rest: Float64Array,
  blended: Float64Array,
  pairs: Float64Array,
  boneCount: number,
  weights: FitWeights,
): void {
  const measure = (i: number, bone: number, out: Float64Array): void => {
    const o = 4 * (i * boneCount + bone);
    out[0] = blended[o];
    out[1] = blended[o + 1];
    out[2] = blended[o + 2];
  };
  solveRest(rest, pairs, boneCount, weights, measure);
}

/** @param measure fills out with Σₖ [Mⱼₖ]₃ᵀ vₖ of a vertex and a bone */
function solveRest(
  rest: Float64Array,
  pairs: Float64Array,
  boneCount: number,
  weights: FitWeights,
  measure: (i: number, bone: number, out: Float64Array) => void,
  locked?: Uint32Array,
  anchor?: RestAnchor,
): void {
  const ids = weights.bones.view();
  const ws = weights.weights.view();
  const width = widthOf(boneCount);
  const influences = weights.influences;
  const normal = new Float64Array(SYM4_SIZE);
  const right = new Float64Array(3);
  const sums = new Float64Array(3);
  const system = new Float64Array(6);
  for (let i = 0; 3 * i < rest.length; i++) {
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
      measure(i, ids[a], sums);
      for (let r = 0; r < 3; r++) right[r] += ws[a] * sums[r];
    }
    const mu = RIDGE * (normal[SYM4_XX] + normal[SYM4_YY] + normal[SYM4_ZZ]);
    for (let r = 0; r < 3; r++) {
      right[r] += mu * rest[3 * i + r] - normal[SYM4_FIRST[r]];
      normal[SYM4_INDEX[r][r]] += mu;
    }
    if (anchor) {
      for (let r = 0; r < 3; r++) {
        right[r] += anchor.strength * anchor.positions[3 * i + r];
        normal[SYM4_INDEX[r][r]] += anchor.strength;
      }
    }
    for (let n = 0; n < 6; n++) system[n] = normal[SYSTEM[n]];
    solveSymmetric3(system, right, rest, 3 * i);
  }
}
