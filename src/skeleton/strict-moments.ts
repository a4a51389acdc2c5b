// SPDX-License-Identifier: MIT
// With world rotations as unknowns, a skeleton with exactly connected joints is linear. Bone j moves by [Rⱼ Tⱼ], and joint o_a of bone a with its parent p is connected if
// T_a = T_p + (R_p − R_a) o_a; so Tⱼ = T_root + Σ over the path from the root to j of (R_p − R_a) o_a, and the position of a vertex is
//   Σⱼ wᵢⱼ (Rⱼ uᵢ + Tⱼ) = T_root + Σ_b R_b y_ib,   y_ib = w_ib uᵢ − s_ib o_b + Σ over children a of b of s_ia o_a,   s_ia = Σ over a and its descendants j of wᵢⱼ,
// with o_root = 0. Poses depend on the vertices only through G = Σᵢ yᵢyᵢᵀ and D = Σᵢ vᵢyᵢᵀ, which follow from the moments of the skin (kernels/skin-moments.ts)
// by sums over subtrees. T_root is eliminated: it maps the mean of the frame to the mean of the targets.
import type { SkinFit } from '../fit/skin-fit.ts';
import type { Compute, Resident } from '../kernels/compute.ts';
import { pairOffset } from '../kernels/skin-moments.ts';
import { SYM4_INDEX } from '../math/sym4.ts';
import type { JointTree } from './joint-tree.ts';

export interface StrictMoments {
  /** 3 boneCount x 3 boneCount: G about its mean */
  gram: Resident<Float64Array>;
  /** frameCount x 3 x 3 boneCount: D about its mean */
  targets: Resident<Float64Array>;
  /** 3 boneCount: the mean of y */
  means: Float64Array;
  /** frameCount x 3: the mean of the targets */
  centers: Float64Array;
  /** 4 boneCount x 4 boneCount, and 3 boneCount x 4 boneCount: scratch memory */
  all: Float64Array;
  left: Float64Array;
}

export function reserveStrictMoments(compute: Compute, boneCount: number, frameCount: number): StrictMoments {
  return {
    gram: compute.float64(9 * boneCount * boneCount),
    targets: compute.float64(9 * boneCount * frameCount),
    means: new Float64Array(3 * boneCount),
    centers: new Float64Array(3 * frameCount),
    all: new Float64Array(16 * boneCount * boneCount),
    left: new Float64Array(12 * boneCount * boneCount),
  };
}

/** Fills the moments of a tree from those of a fit, which must be those of its weights. */
export function strictMomentsInto(fit: SkinFit, tree: JointTree, out: StrictMoments): void {
  const { boneCount } = fit;
  const size = 3 * boneCount;
  const four = 4 * boneCount;
  const pairs = fit.moments.pairs.view();
  const count = fit.trajectories.vertexCount;
  const gram = out.gram.view();
  const { all, left } = out;
  for (let j = 0; j < boneCount; j++) {
    for (let l = 0; l < boneCount; l++) {
      const p = pairOffset(boneCount, j, l);
      for (let x = 0; x < 4; x++) {
        const o = (4 * j + x) * four + 4 * l;
        const index = SYM4_INDEX[x];
        all[o] = pairs[p + index[0]];
        all[o + 1] = pairs[p + index[1]];
        all[o + 2] = pairs[p + index[2]];
        all[o + 3] = pairs[p + index[3]];
      }
    }
  }
  foldRowsInto(tree, all, left);
  const column = new Float64Array(four);
  const folded = new Float64Array(size);
  for (let e = 0; e < size; e++) {
    const row = left.subarray(e * four, (e + 1) * four);
    out.means[e] = foldInto(tree, row, folded) / count;
    gram.set(folded, e * size);
  }
  for (let e = 0; e < size; e++)
    for (let f = 0; f < size; f++) gram[e * size + f] -= count * out.means[e] * out.means[f];

  const targets = out.targets.view();
  const given = fit.moments.targets.view();
  const rows = 3 * fit.trajectories.frameCount;
  for (let row = 0; row < rows; row++) {
    for (let j = 0; j < boneCount; j++) for (let x = 0; x < 4; x++) column[4 * j + x] = given[(j * rows + row) * 4 + x];
    const sum = foldInto(tree, column, folded);
    out.centers[row] = sum / count;
    for (let e = 0; e < size; e++) targets[row * size + e] = folded[e] - sum * out.means[e];
  }
}

/** Fills only the means, of the frame and of the targets: all that bones with given rotations need. */
export function strictMeansInto(fit: SkinFit, tree: JointTree, out: StrictMoments): void {
  const { boneCount } = fit;
  const pairs = fit.moments.pairs.view();
  const count = fit.trajectories.vertexCount;
  const column = new Float64Array(4 * boneCount);
  for (let j = 0; j < boneCount; j++) {
    for (let l = 0; l < boneCount; l++) {
      const p = pairOffset(boneCount, j, l);
      for (let x = 0; x < 4; x++) column[4 * j + x] += pairs[p + SYM4_INDEX[x][3]];
    }
  }
  foldInto(tree, column, out.means);
  for (let e = 0; e < 3 * boneCount; e++) out.means[e] /= count;
  const given = fit.moments.targets.view();
  const rows = 3 * fit.trajectories.frameCount;
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let j = 0; j < boneCount; j++) sum += given[(j * rows + row) * 4 + 3];
    out.centers[row] = sum / count;
  }
}

/** foldInto for all columns of a matrix, which is overwritten: 4 boneCount rows to 3 boneCount. */
function foldRowsInto({ boneCount, parents, order, joints }: JointTree, all: Float64Array, out: Float64Array): void {
  const width = 4 * boneCount;
  for (let j = 0; j < boneCount; j++) out.set(all.subarray(4 * j * width, (4 * j + 3) * width), 3 * j * width);
  for (let n = boneCount - 1; n > 0; n--) {
    const a = order[n];
    const sums = (4 * a + 3) * width;
    const above = (4 * parents[a] + 3) * width;
    for (let r = 0; r < 3; r++) {
      const joint = joints[3 * a + r];
      const own = (3 * a + r) * width;
      const to = (3 * parents[a] + r) * width;
      for (let c = 0; c < width; c++) {
        const x = all[sums + c] * joint;
        out[own + c] -= x;
        out[to + c] += x;
      }
    }
    for (let c = 0; c < width; c++) all[above + c] += all[sums + c];
  }
}

/** Converts sums over w ũ of every bone to sums over y of every rotation. Returns the sum over w of all bones. The column is overwritten. */
function foldInto(tree: JointTree, column: Float64Array, out: Float64Array): number {
  const { boneCount, parents, order, joints } = tree;
  for (let j = 0; j < boneCount; j++) {
    out[3 * j] = column[4 * j];
    out[3 * j + 1] = column[4 * j + 1];
    out[3 * j + 2] = column[4 * j + 2];
  }
  // from the leaves: sums over subtrees accumulate in the last number of each bone
  for (let n = boneCount - 1; n > 0; n--) {
    const a = order[n];
    const p = parents[a];
    const s = column[4 * a + 3];
    const x = s * joints[3 * a];
    const y = s * joints[3 * a + 1];
    const z = s * joints[3 * a + 2];
    out[3 * a] -= x;
    out[3 * a + 1] -= y;
    out[3 * a + 2] -= z;
    out[3 * p] += x;
    out[3 * p + 1] += y;
    out[3 * p + 2] += z;
    column[4 * p + 3] += s;
  }
  return column[4 * order[0] + 3];
}
