// SPDX-License-Identifier: MIT
// With world rotations as unknowns, a skeleton with exactly connected joints is linear. Bone j moves by [Rⱼ Tⱼ], and joint o_a of bone a with its parent p is connected if
// T_a = T_p + (R_p − R_a) o_a; so Tⱼ = T_root + Σ over the path from the root to j of (R_p − R_a) o_a, and the position of a vertex is
//   Σⱼ wᵢⱼ (Rⱼ uᵢ + Tⱼ) = T_root + Σ_b R_b y_ib,   y_ib = w_ib uᵢ − s_ib o_b + Σ over children a of b of s_ia o_a,   s_ia = Σ over a and its descendants j of wᵢⱼ,
// with o_root = 0. Poses depend on the vertices only through G = Σᵢ yᵢyᵢᵀ and D = Σᵢ vᵢyᵢᵀ, which follow from the moments of the skin (skin-moments.ts)
// by sums over subtrees. T_root is eliminated: it maps the mean of the frame to the mean of the targets.
//
// A tree may have several roots: bones that move away from their parents. Each has a T of its own, which moves its component, whose weights s_ic sum to less than one where components blend. With A = Σᵢ sᵢsᵢᵀ (one row and column per root) and
// B = Σᵢ yᵢsᵢᵀ, all of them are eliminated together: T = (Σᵢ vᵢsᵢᵀ − X B) A⁻¹, G − B A⁻¹ Bᵀ and D − (Σᵢ vᵢsᵢᵀ) A⁻¹ Bᵀ. With one root, A is the number of points.
import { SYM4_11, SYM4_INDEX } from '../../math/sym4.ts';
import { pairOffset, type SkinMoments } from '../bones/skin-moments.ts';
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';

/** Minimum pivot of A, relative to the number of points: a component may have no weights. */
const ROOT_FLOOR = 1e-12;

/** The parent of a root in ResidentTree. */
export const NO_PARENT = 0xffffffff;

/** A tree of bones for the kernels. */
export interface ResidentTree {
  boneCount: number;
  /** Number of roots. */
  rootCount: number;
  /** boneCount; NO_PARENT for a root */
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
  /** 3 boneCount x rootCount: the mean of y; with several roots, B A⁻¹ */
  means: Resident<Float64Array>;
  /** frameCount x 3 x rootCount: the mean of the targets; with several roots, (Σᵢ vᵢsᵢᵀ) A⁻¹ */
  centers: Resident<Float64Array>;
  scratch: Resident<Float64Array>;
}

export function reserveTreeMoments(
  compute: Compute,
  boneCount: number,
  frameCount: number,
  rootCount = 1,
): TreeMoments {
  return {
    gram: compute.float64(9 * boneCount * boneCount),
    targets: compute.float64(9 * boneCount * frameCount),
    means: compute.float64(3 * boneCount * rootCount),
    centers: compute.float64(3 * frameCount * rootCount),
    scratch: compute.float64(28 * boneCount * boneCount + 4 * boneCount + (3 * boneCount + 2 * rootCount) * rootCount),
  };
}

/** A call that fills the moments of a tree from those of a skin with a number of points. */
export function callTreeMoments(
  { pairs, targets }: SkinMoments,
  points: number,
  { parents, order, joints, boneCount, rootCount }: ResidentTree,
  out: TreeMoments,
): KernelCall {
  const tree = { parents, order, joints, boneCount, rootCount };
  const args = { pairs, skinTargets: targets, points, ...tree, ...out, rows: out.centers.length / rootCount };
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
    rootCount: 'int',
    rows: 'int',
    points: 'int',
    scratch: 'f64',
  },
  (args) => {
    const {
      pairs,
      skinTargets: given,
      parents,
      order,
      joints,
      gram,
      targets,
      boneCount,
      rootCount,
      rows,
      points,
    } = args;
    const { means, centers } = args;
    const tree = { boneCount, parents, order, joints };
    const roots = listRoots(tree);
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
    /** size x rootCount: B */
    const sums = new Float64Array(size * rootCount);
    for (let e = 0; e < size; e++) {
      const row = left.subarray(e * wide, (e + 1) * wide);
      foldInto(tree, row, folded);
      roots.forEach((root, c) => {
        sums[e * rootCount + c] = row[4 * root + 3];
      });
      gram.set(folded, e * size);
    }
    const inverse = rootCount > 1 ? invertRoots(measureRoots(tree, pairs, roots), rootCount, points) : undefined;
    means.set(timesInverse(sums, inverse, rootCount, points));
    for (let e = 0; e < size; e++)
      for (let f = 0; f < size; f++)
        for (let c = 0; c < rootCount; c++)
          gram[e * size + f] -= inverse
            ? means[e * rootCount + c] * sums[f * rootCount + c]
            : points * means[e] * means[f];
    const own = new Float64Array(rootCount);
    for (let row = 0; row < rows; row++) {
      for (let j = 0; j < boneCount; j++)
        for (let x = 0; x < 4; x++) column[4 * j + x] = given[(j * rows + row) * 4 + x];
      foldInto(tree, column, folded);
      roots.forEach((root, c) => {
        own[c] = column[4 * root + 3];
      });
      centers.set(timesInverse(own, inverse, rootCount, points), row * rootCount);
      for (let e = 0; e < size; e++) {
        let sum = folded[e];
        for (let c = 0; c < rootCount; c++) sum -= own[c] * means[e * rootCount + c];
        targets[row * size + e] = sum;
      }
    }
  },
);

/** rows x rootCount times A⁻¹, or divided by the number of points. */
function timesInverse(
  rows: Float64Array,
  inverse: Float64Array | undefined,
  rootCount: number,
  points: number,
): Float64Array {
  if (!inverse) return rows.map((value) => value / points);
  const out = new Float64Array(rows.length);
  for (let o = 0; o < rows.length; o += rootCount)
    for (let c = 0; c < rootCount; c++)
      for (let d = 0; d < rootCount; d++) out[o + c] += rows[o + d] * inverse[d * rootCount + c];
  return out;
}

/** The roots in the order of the tree. */
export function listRoots({ parents, order }: Pick<PlainTree, 'parents' | 'order'>): number[] {
  return Array.from(order).filter((j) => parents[j] === NO_PARENT);
}

/** boneCount: the number of the root of each bone */
export function listComponents({ parents, order }: Pick<PlainTree, 'parents' | 'order'>): Uint32Array {
  const components = new Uint32Array(order.length);
  let count = 0;
  for (const j of order) components[j] = parents[j] === NO_PARENT ? count++ : components[parents[j]];
  return components;
}

/** rootCount x rootCount: A */
function measureRoots(tree: PlainTree, pairs: Float64Array, roots: readonly number[]): Float64Array {
  const components = listComponents(tree);
  const sums = new Float64Array(roots.length ** 2);
  for (let j = 0; j < tree.boneCount; j++)
    for (let l = 0; l < tree.boneCount; l++)
      sums[components[j] * roots.length + components[l]] += pairs[pairOffset(tree.boneCount, j, l) + SYM4_11];
  return sums;
}

/** The inverse of A by Gauss-Jordan elimination; pivots are at least ROOT_FLOOR. */
export function invertRoots(matrix: Float64Array, size: number, points: number): Float64Array {
  const a = matrix.slice();
  const out = Float64Array.from({ length: size * size }, (_, e) => (e % (size + 1) === 0 ? 1 : 0));
  for (let n = 0; n < size; n++) {
    const pivot = Math.max(a[n * size + n], ROOT_FLOOR * points);
    for (let c = 0; c < size; c++) {
      a[n * size + c] /= pivot;
      out[n * size + c] /= pivot;
    }
    for (let r = 0; r < size; r++) {
      if (r === n) continue;
      const factor = a[r * size + n];
      for (let c = 0; c < size; c++) {
        a[r * size + c] -= factor * a[n * size + c];
        out[r * size + c] -= factor * out[n * size + c];
      }
    }
  }
  return out;
}

/** Fills only the means of a tree: all that bones with given rotations need, once the centers are there. */
export function treeMeansInto({ pairs }: SkinMoments, points: number, tree: ResidentTree, out: TreeMoments): void {
  const { boneCount, rootCount } = tree;
  const plain = { boneCount, parents: tree.parents.view(), order: tree.order.view(), joints: tree.joints.view() };
  const given = pairs.view();
  const components = listComponents(plain);
  const sums = new Float64Array(3 * boneCount * rootCount);
  const folded = new Float64Array(3 * boneCount);
  for (let c = 0; c < rootCount; c++) {
    const column = new Float64Array(4 * boneCount);
    for (let j = 0; j < boneCount; j++) {
      for (let l = 0; l < boneCount; l++) {
        if (components[l] !== c) continue;
        const p = pairOffset(boneCount, j, l);
        for (let x = 0; x < 4; x++) column[4 * j + x] += given[p + SYM4_INDEX[x][3]];
      }
    }
    foldInto(plain, column, folded);
    for (let e = 0; e < folded.length; e++) sums[e * rootCount + c] = folded[e];
  }
  const inverse =
    rootCount > 1 ? invertRoots(measureRoots(plain, given, listRoots(plain)), rootCount, points) : undefined;
  out.means.view().set(timesInverse(sums, inverse, rootCount, points));
}

interface PlainTree {
  boneCount: number;
  parents: Uint32Array;
  order: Uint32Array;
  joints: Float64Array;
}

/** Converts sums over w ũ of every bone to sums over y of every rotation. The column is overwritten: the last number of a root becomes the sum over s of its component. */
function foldInto(tree: PlainTree, column: Float64Array, out: Float64Array): void {
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
    if (p === NO_PARENT) continue;
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
}
