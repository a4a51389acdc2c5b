// SPDX-License-Identifier: MIT
// L. Kavan, P.-P. Sloan, C. O'Sullivan, "Fast and efficient skinning of animated meshes", Computer Graphics Forum 29(2), 2010, §4.4: with weights and bones
// fixed, the optimal rest position of a vertex is the solution of a 3x3 linear system. With Bₖ = Σⱼ wⱼ[Mⱼₖ]₃ and tₖ = Σⱼ wⱼ[Mⱼₖ]₄,
//   (Σₖ BₖᵀBₖ) u = Σₖ Bₖᵀ(vₖ − tₖ).
// The left side and Σ Bₖᵀtₖ come from the products of bones (ten numbers per pair), only Σ Bₖᵀvₖ visits the frames.
import { widthOf } from '../../core/kernels/bones/bone-products.ts';
import type { FitWeights } from '../../core/kernels/weights/convex-weights.ts';
import { solveSymmetric3 } from '../../core/math/solve-symmetric3.ts';
import {
  SYM4_FIRST,
  SYM4_INDEX,
  SYM4_SIZE,
  SYM4_X1,
  SYM4_XX,
  SYM4_XY,
  SYM4_XZ,
  SYM4_Y1,
  SYM4_YY,
  SYM4_YZ,
  SYM4_Z1,
  SYM4_ZZ,
} from '../../core/math/sym4.ts';
import type { SkinFit } from '../skin/index.ts';

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
  const rows = 3 * trajectories.frameCount;
  const columns = listColumns(fit.bones.view(), boneCount, rows);
  const posed = trajectories.posed.view();
  const ids = fit.weights.bones.view();
  const ws = fit.weights.weights.view();
  const influences = fit.weights.influences;
  const sums = new Float64Array(3 * trajectories.vertexCount);
  const dot = new Float64Array(3);
  for (let i = 0; i < trajectories.vertexCount; i++) {
    for (let a = i * influences; a < (i + 1) * influences; a++) {
      if (ws[a] === 0) continue;
      dotInto(posed, i * rows, rows, columns, 3 * rows * ids[a], dot);
      for (let r = 0; r < 3; r++) sums[3 * i + r] += ws[a] * dot[r];
    }
  }
  const solved = { rest: trajectories.rest.view(), pairs: fit.products.pairs.view(), boneCount, weights: fit.weights };
  solveRest(solved, sums, fit.locked?.view(), anchor);
}

/** boneCount x rows x 3: the first three columns of bones, one bone after another. */
function listColumns(bones: Float64Array, boneCount: number, rows: number): Float64Array {
  const out = new Float64Array(3 * boneCount * rows);
  for (let j = 0; j < boneCount; j++)
    for (let row = 0; row < rows; row++)
      for (let c = 0; c < 3; c++) out[3 * (j * rows + row) + c] = bones[4 * (row * boneCount + j) + c];
  return out;
}

/** Σₖ [Mⱼₖ]₃ᵀ vₖ for the trajectory of a vertex and the columns of a bone. */
function dotInto(
  posed: Float64Array,
  begin: number,
  rows: number,
  columns: Float64Array,
  at: number,
  out: Float64Array,
): void {
  let x = 0;
  let y = 0;
  let z = 0;
  for (let e = begin, o = at; e < begin + rows; e++, o += 3) {
    const v = posed[e];
    x += v * columns[o];
    y += v * columns[o + 1];
    z += v * columns[o + 2];
  }
  out[0] = x;
  out[1] = y;
  out[2] = z;
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
  const ids = weights.bones.view();
  const ws = weights.weights.view();
  const influences = weights.influences;
  const sums = new Float64Array(rest.length);
  for (let i = 0; 3 * i < rest.length; i++) {
    for (let a = i * influences; a < (i + 1) * influences; a++) {
      if (ws[a] === 0) continue;
      const o = 4 * (i * boneCount + ids[a]);
      for (let r = 0; r < 3; r++) sums[3 * i + r] += ws[a] * blended[o + r];
    }
  }
  solveRest({ rest, pairs, boneCount, weights }, sums);
}

interface RestSystem {
  /** vertexCount x 3, changed in place */
  rest: Float64Array;
  /** Products of the bones. */
  pairs: Float64Array;
  boneCount: number;
  weights: FitWeights;
}

/** @param sums vertexCount x 3: Σₖ Bₖᵀ vₖ */
function solveRest(
  { rest, pairs, boneCount, weights }: RestSystem,
  sums: Float64Array,
  locked?: Uint32Array,
  anchor?: RestAnchor,
): void {
  const ids = weights.bones.view();
  const ws = weights.weights.view();
  const width = widthOf(boneCount);
  const rows = { ids, ws, influences: weights.influences };
  const normal = new Float64Array(SYM4_SIZE);
  const right = new Float64Array(3);
  const system = new Float64Array(6);
  for (let i = 0; 3 * i < rest.length; i++) {
    if (locked?.[i]) continue;
    sumNormalInto(pairs, width, rows, i, normal);
    const mu = RIDGE * (normal[SYM4_XX] + normal[SYM4_YY] + normal[SYM4_ZZ]);
    for (let r = 0; r < 3; r++) {
      right[r] = sums[3 * i + r] + (mu * rest[3 * i + r] - normal[SYM4_FIRST[r]]);
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

/** vertexCount x influences: bones and weights. */
interface WeightRows {
  ids: Uint32Array;
  ws: Float64Array;
  influences: number;
}

/** Fills Σₖ BₖᵀBₖ and Σₖ Bₖᵀtₖ of vertex i. */
function sumNormalInto(
  pairs: Float64Array,
  width: number,
  { ids, ws, influences }: WeightRows,
  i: number,
  normal: Float64Array,
): void {
  const begin = i * influences;
  const end = begin + influences;
  let xx = 0;
  let xy = 0;
  let xz = 0;
  let x1 = 0;
  let yy = 0;
  let yz = 0;
  let y1 = 0;
  let zz = 0;
  let z1 = 0;
  for (let a = begin; a < end; a++) {
    for (let b = begin; b < end; b++) {
      const ww = ws[a] * ws[b];
      if (ww === 0) continue;
      const o = ids[a] * SYM4_SIZE * width + ids[b];
      xx += ww * pairs[o + SYM4_XX * width];
      xy += ww * pairs[o + SYM4_XY * width];
      xz += ww * pairs[o + SYM4_XZ * width];
      x1 += ww * pairs[o + SYM4_X1 * width];
      yy += ww * pairs[o + SYM4_YY * width];
      yz += ww * pairs[o + SYM4_YZ * width];
      y1 += ww * pairs[o + SYM4_Y1 * width];
      zz += ww * pairs[o + SYM4_ZZ * width];
      z1 += ww * pairs[o + SYM4_Z1 * width];
    }
  }
  normal[SYM4_XX] = xx;
  normal[SYM4_XY] = xy;
  normal[SYM4_XZ] = xz;
  normal[SYM4_X1] = x1;
  normal[SYM4_YY] = yy;
  normal[SYM4_YZ] = yz;
  normal[SYM4_Y1] = y1;
  normal[SYM4_ZZ] = zz;
  normal[SYM4_Z1] = z1;
}
