// SPDX-License-Identifier: MIT
// Solves all joints of a tree at once, with fixed rotations. The position of a vertex is T_root + Σⱼ wᵢⱼ Rⱼ uᵢ + Σ_a s_ia A_a o_a with A_a = R_parent − R_a and s_ia the weight of the
// subtree below joint a (strict-moments.ts), so the error is quadratic in the joints. With s about its mean over vertices (which eliminates T_root),
//   H_ab = (Σᵢ s_ia s_ib) Σₖ A_akᵀ A_bk,   right_a = Σₖ A_akᵀ Σᵢ s_ia (vᵢₖ − Σⱼ wᵢⱼ Rⱼₖ uᵢ).
//
// A joint that rotates little, or about one axis, is not determined in some directions. Two springs regularize each joint towards an anchor (the blend of its two bones):
// one relative to its own block of H, and one absolute, such that a displacement of all joints by REACH of the size costs a
// given ratio of the error. The absolute spring keeps joints in the body: the relative cost of a distant center that approximates a translation is small.
// A third spring acts along the axes of hinges, where the error is almost flat: without it, its minimum is often at the surface or in the other leg.
import type { SkinFit } from '../fit/skin-fit.ts';
import { pairOffset } from '../kernels/skin-moments.ts';
import { SYM4_11, SYM4_X1, SYM4_Y1, SYM4_Z1 } from '../math/sym4.ts';
import { factorCholesky, solveCholesky } from '../solve/dense-cholesky.ts';
import { eigenSymmetric } from '../solve/eigen-symmetric.ts';
import { type JointTree, makeBelow } from './joint-tree.ts';

export interface JointSprings {
  /** boneCount x 3: the anchor of each joint, solver space */
  anchors: Float64Array;
  /** Relative to the mean diagonal of the joint's own block. */
  relative: number;
  /** Cost of a displacement of all joints by REACH of the size, relative to the error. */
  absolute: number;
  /** Whether a spring acts along the axes of hinges. */
  hinges: boolean;
  /** boneCount: factors of the absolute spring; a large factor pins a joint to its anchor. */
  factors: Float64Array;
  /** Box diagonal of the rest pose, solver units. */
  size: number;
  /** boneCount x 9: filled with each joint's own block of H, without springs */
  blocks: Float64Array;
}

/** Reference displacement of the absolute spring, relative to the size. */
const REACH = 0.05;
/** Minimum spring relative to the number of points and frames, so that the system is never singular. */
const MIN_SPRING = 1e-9;

/** A joint is a hinge if the smallest curvature of its error is below this ratio of the next; the strength of its spring is HOLD times that curvature. Chosen on horse-gallop and generated creatures. */
const HINGE = 0.01;
const HOLD = 1;

/**
 * Solves the joints of a tree in place; its root has none. The moments of the fit must be those of its weights.
 * @param rotations frameCount x 3 x 3 boneCount
 */
export function solveStrictJoints(fit: SkinFit, tree: JointTree, rotations: Float64Array, springs: JointSprings): void {
  const { boneCount, parents } = tree;
  if (boneCount < 2) return;
  const size = 3 * boneCount;
  const pairs = fit.moments.pairs.view();
  const targets = fit.moments.targets.view();
  const count = fit.trajectories.vertexCount;
  const { frameCount } = fit.trajectories;
  const below = makeBelow(tree);
  const { shares, spread } = measureSubtrees(pairs, below, boneCount, count);
  const turns = measureTurns(parents, rotations, frameCount, boneCount);
  const h = new Float64Array(size * size);
  for (let a = 0; a < boneCount; a++) {
    for (let b = 0; b < boneCount; b++) {
      const s = spread[a * boneCount + b];
      for (let r = 0; r < 3; r++)
        for (let c = 0; c < 3; c++) h[(3 * a + r) * size + 3 * b + c] = s * turns[(a * boneCount + b) * 9 + 3 * r + c];
    }
  }

  const right = new Float64Array(size);
  const own = new Float64Array(3 * boneCount);
  const subtree = new Float64Array(3 * boneCount);
  const blends = listBlends(pairs, boneCount);
  for (let k = 0; k < frameCount; k++) {
    // Σᵢ wᵢⱼ (vᵢₖ − Σₗ wᵢₗ Rₗ uᵢ) of every bone, and of all
    let [x, y, z] = [0, 0, 0];
    const at = k * 3 * size;
    for (let j = 0; j < boneCount; j++) {
      const target = (j * 3 * frameCount + 3 * k) * 4 + 3;
      let own0 = targets[target];
      let own1 = targets[target + 4];
      let own2 = targets[target + 8];
      for (let e = blends.starts[j]; e < blends.starts[j + 1]; e++) {
        const o = at + 3 * blends.bones[e];
        const m0 = blends.firsts[3 * e];
        const m1 = blends.firsts[3 * e + 1];
        const m2 = blends.firsts[3 * e + 2];
        own0 -= rotations[o] * m0 + rotations[o + 1] * m1 + rotations[o + 2] * m2;
        own1 -= rotations[o + size] * m0 + rotations[o + size + 1] * m1 + rotations[o + size + 2] * m2;
        own2 -= rotations[o + 2 * size] * m0 + rotations[o + 2 * size + 1] * m1 + rotations[o + 2 * size + 2] * m2;
      }
      own[3 * j] = own0;
      own[3 * j + 1] = own1;
      own[3 * j + 2] = own2;
      x += own0;
      y += own1;
      z += own2;
    }
    subtree.set(own);
    for (let n = boneCount - 1; n > 0; n--) {
      const a = tree.order[n];
      for (let r = 0; r < 3; r++) subtree[3 * parents[a] + r] += subtree[3 * a + r];
    }
    for (let a = 0; a < boneCount; a++) {
      const p = parents[a];
      if (p < 0) continue;
      const part = shares[a] / count;
      const e0 = subtree[3 * a] - part * x;
      const e1 = subtree[3 * a + 1] - part * y;
      const e2 = subtree[3 * a + 2] - part * z;
      for (let c = 0; c < 3; c++) {
        const [o, q] = [at + 3 * p + c, at + 3 * a + c];
        right[3 * a + c] +=
          (rotations[o] - rotations[q]) * e0 +
          (rotations[o + size] - rotations[q + size]) * e1 +
          (rotations[o + 2 * size] - rotations[q + 2 * size]) * e2;
      }
    }
  }

  const stiff = (springs.absolute * fit.error) / (boneCount * (REACH * springs.size) ** 2);
  const minSpring = MIN_SPRING * count * frameCount;
  for (let a = 0; a < boneCount; a++) {
    const d = 3 * a;
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++) springs.blocks[9 * a + 3 * r + c] = h[(d + r) * size + d + c];
    const trace = h[d * size + d] + h[(d + 1) * size + d + 1] + h[(d + 2) * size + d + 2];
    const pull = (springs.relative * trace) / 3 + stiff * springs.factors[a] + minSpring;
    for (let r = 0; r < 3; r++) {
      h[(d + r) * size + d + r] += pull;
      right[d + r] += pull * springs.anchors[d + r];
    }
    if (springs.hinges && parents[a] >= 0) holdHinge(h, right, springs, a, size);
  }
  let largest = 0;
  for (let e = 0; e < size; e++) largest = Math.max(largest, h[e * size + e]);
  factorCholesky(h, size, 1e-14 * largest);
  solveCholesky(h, size, right);
  for (let a = 0; a < boneCount; a++)
    for (let r = 0; r < 3; r++) tree.joints[3 * a + r] = parents[a] < 0 ? 0 : right[3 * a + r];
}

/** Adds the spring along the axis of a hinge to H and the right side, if the joint is a hinge. */
function holdHinge(h: Float64Array, right: Float64Array, springs: JointSprings, a: number, size: number): void {
  const { values, vectors } = eigenSymmetric(springs.blocks.subarray(9 * a, 9 * a + 9), 3);
  if (!(values[2] < HINGE * values[1])) return;
  const axis = vectors.subarray(6, 9);
  const pull = HOLD * Math.max(0, values[2]);
  let along = 0;
  for (let r = 0; r < 3; r++) along += axis[r] * springs.anchors[3 * a + r];
  for (let r = 0; r < 3; r++) {
    for (let c = 0; c < 3; c++) h[(3 * a + r) * size + 3 * a + c] += pull * axis[r] * axis[c];
    right[3 * a + r] += pull * along * axis[r];
  }
}

/** Σᵢ s_ia, and boneCount x boneCount: Σᵢ s_ia s_ib about the means. */
function measureSubtrees(
  pairs: Float64Array,
  below: Uint8Array,
  boneCount: number,
  count: number,
): { shares: Float64Array; spread: Float64Array } {
  const half = new Float64Array(boneCount * boneCount);
  const shares = new Float64Array(boneCount);
  const spread = new Float64Array(boneCount * boneCount);
  for (let a = 0; a < boneCount; a++) {
    for (let l = 0; l < boneCount; l++) {
      let sum = 0;
      for (let j = 0; j < boneCount; j++)
        if (below[a * boneCount + j]) sum += pairs[pairOffset(boneCount, j, l) + SYM4_11];
      half[a * boneCount + l] = sum;
      shares[a] += sum;
    }
  }
  for (let a = 0; a < boneCount; a++) {
    for (let b = 0; b < boneCount; b++) {
      let sum = 0;
      for (let l = 0; l < boneCount; l++) if (below[b * boneCount + l]) sum += half[a * boneCount + l];
      spread[a * boneCount + b] = sum - (shares[a] * shares[b]) / count;
    }
  }
  return { shares, spread };
}

/** Pairs of bones that share vertices, by bone, with Σᵢ wᵢⱼ wᵢₗ uᵢ. */
function listBlends(
  pairs: Float64Array,
  boneCount: number,
): { starts: Uint32Array; bones: Uint32Array; firsts: Float64Array } {
  const starts = new Uint32Array(boneCount + 1);
  const bones: number[] = [];
  const firsts: number[] = [];
  for (let j = 0; j < boneCount; j++) {
    for (let l = 0; l < boneCount; l++) {
      const p = pairOffset(boneCount, j, l);
      if (pairs[p + SYM4_11] === 0) continue;
      bones.push(l);
      firsts.push(pairs[p + SYM4_X1], pairs[p + SYM4_Y1], pairs[p + SYM4_Z1]);
    }
    starts[j + 1] = bones.length;
  }
  return { starts, bones: Uint32Array.from(bones), firsts: Float64Array.from(firsts) };
}

/** boneCount x boneCount x 9: Σₖ A_aᵀ A_b; zero for the root. */
function measureTurns(
  parents: Int32Array,
  rotations: Float64Array,
  frameCount: number,
  boneCount: number,
): Float64Array {
  const size = 3 * boneCount;
  const rows = 3 * frameCount;
  const turns = new Float64Array(boneCount * boneCount * 9);
  // columns of A, so that the sums of a block stay in registers: 35 bones and 48 frames take a third of the time of sums row by row
  const columns = new Float64Array(size * rows);
  for (let a = 0; a < boneCount; a++) {
    const p = parents[a];
    if (p < 0) continue;
    for (let c = 0; c < 3; c++) {
      const out = (3 * a + c) * rows;
      for (let k = 0; k < rows; k++)
        columns[out + k] = rotations[k * size + 3 * p + c] - rotations[k * size + 3 * a + c];
    }
  }
  for (let a = 0; a < boneCount; a++) {
    if (parents[a] < 0) continue;
    const x = 3 * a * rows;
    for (let b = a; b < boneCount; b++) {
      if (parents[b] < 0) continue;
      const y = 3 * b * rows;
      let [t0, t1, t2, t3, t4, t5, t6, t7, t8] = [0, 0, 0, 0, 0, 0, 0, 0, 0];
      for (let k = 0; k < rows; k++) {
        const x0 = columns[x + k];
        const x1 = columns[x + rows + k];
        const x2 = columns[x + 2 * rows + k];
        const y0 = columns[y + k];
        const y1 = columns[y + rows + k];
        const y2 = columns[y + 2 * rows + k];
        t0 += x0 * y0;
        t1 += x0 * y1;
        t2 += x0 * y2;
        t3 += x1 * y0;
        t4 += x1 * y1;
        t5 += x1 * y2;
        t6 += x2 * y0;
        t7 += x2 * y1;
        t8 += x2 * y2;
      }
      const o = (a * boneCount + b) * 9;
      turns[o] = t0;
      turns[o + 1] = t1;
      turns[o + 2] = t2;
      turns[o + 3] = t3;
      turns[o + 4] = t4;
      turns[o + 5] = t5;
      turns[o + 6] = t6;
      turns[o + 7] = t7;
      turns[o + 8] = t8;
    }
  }
  // the block of (b, a) is the transpose of that of (a, b)
  for (let a = 0; a < boneCount; a++) {
    for (let b = 0; b < a; b++) {
      const [to, from] = [(a * boneCount + b) * 9, (b * boneCount + a) * 9];
      for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) turns[to + 3 * r + c] = turns[from + 3 * c + r];
    }
  }
  return turns;
}
