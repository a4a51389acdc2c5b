// SPDX-License-Identifier: MIT
// With world rotations as unknowns, a skeleton with exactly connected joints is linear. Bone j moves by [Rⱼ Tⱼ], and joint o_a of bone a with its parent p is connected if
// T_a = T_p + (R_p − R_a) o_a; so Tⱼ = T_root + Σ over the path from the root to j of (R_p − R_a) o_a, and the position of a vertex is
//   Σⱼ wᵢⱼ (Rⱼ uᵢ + Tⱼ) = T_root + Σ_b R_b y_ib,   y_ib = w_ib uᵢ − s_ib o_b + Σ over children a of b of s_ia o_a,   s_ia = Σ over a and its descendants j of wᵢⱼ,
// with o_root = 0. Poses depend on the vertices only through G = Σᵢ yᵢyᵢᵀ and D = Σᵢ vᵢyᵢᵀ, which follow from the moments of the skin (skin-moments.ts)
// by sums over subtrees. T_root is eliminated: it maps the mean of the frame to the mean of the targets.
import { SYM4_INDEX } from '../../math/sym4.ts';
import { pairOffset, type SkinMoments } from '../bones/skin-moments.ts';
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';

/** The parent of the root in ResidentTree. */
export const NO_PARENT = 0xffffffff;

/** A tree of bones for the kernels. */
export interface ResidentTree {
  boneCount: number;
  /** boneCount; NO_PARENT for the root */
  parents: Resident<Uint32Array>;
  /** boneCount bones, parents before their children */
  order: Resident<Uint32Array>;
  /** boneCount x 3: the joint of each bone with its parent, at rest */
  joints: Resident<Float64Array>;
}

export interface TreeMoments {
  /** 3 boneCount x 3 boneCount: G about its mean */
  gram: Resident<Float64Array>;
  /** frameCount x 3 x 3 boneCount: D about its mean */
  targets: Resident<Float64Array>;
  /** 3 boneCount: the mean of y */
  means: Resident<Float64Array>;
  /** frameCount x 3: the mean of the targets */
  centers: Resident<Float64Array>;
  scratch: Resident<Float64Array>;
}

export function reserveTreeMoments(compute: Compute, boneCount: number, frameCount: number): TreeMoments {
  return {
    gram: compute.float64(9 * boneCount * boneCount),
    targets: compute.float64(9 * boneCount * frameCount),
    means: compute.float64(3 * boneCount),
    centers: compute.float64(3 * frameCount),
    scratch: compute.float64(28 * boneCount * boneCount + 4 * boneCount),
  };
}

/** A call that fills the moments of a tree from those of a skin with a number of points. */
export function callTreeMoments(
  { pairs, targets }: SkinMoments,
  points: number,
  { parents, order, joints, boneCount }: ResidentTree,
  out: TreeMoments,
): KernelCall {
  const tree = { parents, order, joints, boneCount };
  const args = { pairs, skinTargets: targets, points, ...tree, ...out, rows: out.centers.length };
  return callOf(treeMomentsKernel, args, 1);
}

/** One chunk. */
export const treeMomentsKernel = kernel(
  'treeMoments',
  {
    /** moments of the skin */
    pairs: 'f64',
    skinTargets: 'f64',
    parents: 'u32',
    order: 'u32',
    joints: 'f64',
    gram: 'f64',
    targets: 'f64',
    means: 'f64',
    centers: 'f64',
    boneCount: 'int',
    rows: 'int',
    points: 'int',
    scratch: 'f64',
  },
  ({ pairs, skinTargets: given, parents, order, joints, gram, targets, means, centers, boneCount, rows, points }) => {
    const tree = { boneCount, parents, order, joints };
    const size = 3 * boneCount;
    const wide = 4 * boneCount;
    const column = new Float64Array(wide);
    const folded = new Float64Array(size);
    /** size x wide: G with its rows folded */
    const left = new Float64Array(size * wide);
    for (let f = 0; f < wide; f++) {
      for (let j = 0; j < boneCount; j++) {
        const p = pairOffset(boneCount, j, f >> 2);
        for (let x = 0; x < 4; x++) column[4 * j + x] = pairs[p + SYM4_INDEX[x][f & 3]];
      }
      foldInto(tree, column, folded);
      for (let e = 0; e < size; e++) left[e * wide + f] = folded[e];
    }
    for (let e = 0; e < size; e++) {
      means[e] = foldInto(tree, left.subarray(e * wide, (e + 1) * wide), folded) / points;
      gram.set(folded, e * size);
    }
    for (let e = 0; e < size; e++) for (let f = 0; f < size; f++) gram[e * size + f] -= points * means[e] * means[f];
    for (let row = 0; row < rows; row++) {
      for (let j = 0; j < boneCount; j++)
        for (let x = 0; x < 4; x++) column[4 * j + x] = given[(j * rows + row) * 4 + x];
      const sum = foldInto(tree, column, folded);
      centers[row] = sum / points;
      for (let e = 0; e < size; e++) targets[row * size + e] = folded[e] - sum * means[e];
    }
  },
);

/** Fills only the means of a tree: all that bones with given rotations need, once the centers are there. */
export function treeMeansInto({ pairs }: SkinMoments, points: number, tree: ResidentTree, out: TreeMoments): void {
  const { boneCount } = tree;
  const given = pairs.view();
  const column = new Float64Array(4 * boneCount);
  for (let j = 0; j < boneCount; j++) {
    for (let l = 0; l < boneCount; l++) {
      const p = pairOffset(boneCount, j, l);
      for (let x = 0; x < 4; x++) column[4 * j + x] += given[p + SYM4_INDEX[x][3]];
    }
  }
  const means = out.means.view();
  foldInto(
    { boneCount, parents: tree.parents.view(), order: tree.order.view(), joints: tree.joints.view() },
    column,
    means,
  );
  for (let e = 0; e < means.length; e++) means[e] /= points;
}

interface PlainTree {
  boneCount: number;
  parents: Uint32Array;
  order: Uint32Array;
  joints: Float64Array;
}

/** Converts sums over w ũ of every bone to sums over y of every rotation. Returns the sum over w of all bones. The column is overwritten. */
function foldInto(tree: PlainTree, column: Float64Array, out: Float64Array): number {
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
