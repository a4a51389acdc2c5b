// SPDX-License-Identifier: MIT
// The least squares of drivers for given weights. With centered points ũᵢⱼ = (uᵢ − cⱼ, 1) and xᵢ = (wᵢⱼ ũᵢⱼ)ⱼ of length 4 bones, coordinate r of shape s at vertex i is
// fitted by xᵢ · dₛᵣ. So every coordinate of every shape is a regression of its own, and all have the same matrix:
//   G = Σᵢ xᵢxᵢᵀ (4 bones x 4 bones),   bₛᵣ = Σᵢ δᵢₛᵣ xᵢ,   error |δ|² − 2 bᵀd + dᵀGd.
// Both come from the moments of the skin (core/kernels/bones/skin-moments.ts), without a further pass over vertices. Centers cⱼ are the means of the points of a bone with weights w², which makes
// the translation of a bone orthogonal to its linear part: a translation alone, three numbers, is then the best single choice.

import { pairOffset, type SkinMoments } from '../../../core/kernels/bones/skin-moments.ts';
import { SYM4_11, SYM4_FIRST, SYM4_INDEX } from '../../../core/math/sym4.ts';

/** Relative regularization of the diagonal of G. */
const RIDGE = 1e-8;
/** Rounding errors of centered moments, relative to the weight of a bone. */
const ROUNDING = 1e-11;
/** Squared extent of the points of a bone along an axis, solver units, below which the axis gets no entries: they would be arbitrary. */
const MIN_EXTENT = 1e-10;
/** Bones with smaller sums of squared weights get no drivers. */
const MIN_MOMENT = 1e-9;

export interface DriverSystem {
  boneCount: number;
  shapeCount: number;
  /** boneCount x 3, solver units */
  centers: Float64Array;
  /** n x n with n = 4 boneCount, row-major: G */
  gram: Float64Array;
  /** (3 shapeCount) x n: b, rows x y z of shape 0, of shape 1 … */
  right: Float64Array;
  /** n, 1 for unknowns that may be used */
  isUsable: Uint8Array;
}

/**
 * Makes the system of the present weights.
 * @param moments of trajectories that are mixtures of shapes
 * @param mixtures shapeCount x shapeCount, lower triangle
 * @param still a bone that does not move; -1: none
 */
export function makeDriverSystem(
  moments: SkinMoments,
  boneCount: number,
  mixtures: Float64Array,
  still = -1,
): DriverSystem {
  const shapeCount = Math.round(Math.sqrt(mixtures.length));
  const n = 4 * boneCount;
  const pairs = moments.pairs.view();
  const centers = new Float64Array(3 * boneCount);
  const isUsable = new Uint8Array(n);
  for (let j = 0; j < boneCount; j++) {
    const o = pairOffset(boneCount, j, j);
    const weight = pairs[o + SYM4_11];
    if (!(weight > MIN_MOMENT)) continue;
    if (j !== still) isUsable.fill(1, 4 * j, 4 * j + 4);
    for (let r = 0; r < 3; r++) centers[3 * j + r] = pairs[o + SYM4_FIRST[r]] / weight;
  }
  const gram = new Float64Array(n * n);
  for (let j = 0; j < boneCount; j++) for (let l = 0; l < boneCount; l++) centerPair(pairs, centers, j, l, gram);
  for (let a = 0; a < n; a++) {
    const weight = gram[(a | 3) * n + (a | 3)];
    if (!(gram[a * n + a] > MIN_EXTENT * weight)) isUsable[a] = 0;
  }
  // centering leaves rounding errors of the size of the bone's weight
  const weights = Float64Array.from({ length: n }, (_, a) => gram[(a | 3) * n + (a | 3)]);
  for (let a = 0; a < n; a++) gram[a * n + a] += isUsable[a] ? RIDGE * gram[a * n + a] + ROUNDING * weights[a] : 1;
  const right = listRightSides(moments, boneCount, shapeCount, centers);
  unmix(right, mixtures, shapeCount, 3 * n);
  return { boneCount, shapeCount, centers, gram, right, isUsable };
}

/** Block (j, l) of G: Σ wⱼwₗ ũⱼũₗᵀ from Σ wⱼwₗ ũũᵀ. */
function centerPair(pairs: Float64Array, centers: Float64Array, j: number, l: number, gram: Float64Array): void {
  const boneCount = centers.length / 3;
  const n = 4 * boneCount;
  const o = pairOffset(boneCount, j, l);
  for (let a = 0; a < 4; a++) {
    const ca = a < 3 ? centers[3 * j + a] : 0;
    for (let b = 0; b < 4; b++) {
      const cb = b < 3 ? centers[3 * l + b] : 0;
      const c = (x: number, y: number): number => pairs[o + SYM4_INDEX[x][y]];
      gram[(4 * j + a) * n + 4 * l + b] = c(a, b) - cb * c(a, 3) - ca * c(3, b) + ca * cb * c(3, 3);
    }
  }
}

/** Σᵢ (v − u)ᵢₖᵣ xᵢ for every mixture k: rows of 4 boneCount. Since weights sum to one, Σᵢ wᵢⱼ uᵢũᵢᵀ is the sum of the pairs of j. */
function listRightSides(
  { pairs, targets }: SkinMoments,
  boneCount: number,
  frameCount: number,
  centers: Float64Array,
): Float64Array {
  const n = 4 * boneCount;
  const [c, d] = [pairs.view(), targets.view()];
  const right = new Float64Array(3 * frameCount * n);
  const own = new Float64Array(12);
  for (let j = 0; j < boneCount; j++) {
    own.fill(0);
    for (let l = 0; l < boneCount; l++) {
      const o = pairOffset(boneCount, j, l);
      for (let r = 0; r < 3; r++) for (let x = 0; x < 4; x++) own[4 * r + x] += c[o + SYM4_INDEX[r][x]];
    }
    for (let row = 0; row < 3 * frameCount; row++) {
      const from = (j * 3 * frameCount + row) * 4;
      const to = row * n + 4 * j;
      const r = row % 3;
      const weight = d[from + 3] - own[4 * r + 3];
      for (let x = 0; x < 3; x++) right[to + x] = d[from + x] - own[4 * r + x] - centers[3 * j + x] * weight;
      right[to + 3] = weight;
    }
  }
  return right;
}

/** Solves Lᵀ y = x in place: rows of mixtures become rows of shapes. */
function unmix(rows: Float64Array, mixtures: Float64Array, count: number, width: number): void {
  for (let s = count - 1; s >= 0; s--) {
    for (let t = s + 1; t < count; t++) {
      const amount = mixtures[t * count + s];
      if (amount === 0) continue;
      for (let e = 0; e < width; e++) rows[s * width + e] -= amount * rows[t * width + e];
    }
    const inverse = 1 / mixtures[s * count + s];
    if (inverse !== 1) for (let e = 0; e < width; e++) rows[s * width + e] *= inverse;
  }
}
