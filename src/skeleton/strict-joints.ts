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
  for (let k = 0; k < frameCount; k++) {
    // Σᵢ wᵢⱼ (vᵢₖ − Σₗ wᵢₗ Rₗ uᵢ) of every bone, and of all
    let [x, y, z] = [0, 0, 0];
    const at = k * 3 * size;
    for (let j = 0; j < boneCount; j++) {
      for (let r = 0; r < 3; r++) own[3 * j + r] = targets[(j * 3 * frameCount + 3 * k + r) * 4 + 3];
      for (let l = 0; l < boneCount; l++) {
        const p = pairOffset(boneCount, j, l);
        if (pairs[p + SYM4_11] === 0) continue;
        for (let r = 0; r < 3; r++) {
          const o = at + r * size + 3 * l;
          own[3 * j + r] -=
            rotations[o] * pairs[p + SYM4_X1] +
            rotations[o + 1] * pairs[p + SYM4_Y1] +
            rotations[o + 2] * pairs[p + SYM4_Z1];
        }
      }
      x += own[3 * j];
      y += own[3 * j + 1];
      z += own[3 * j + 2];
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

/** boneCount x boneCount x 9: Σₖ A_aᵀ A_b; zero for the root. */
function measureTurns(
  parents: Int32Array,
  rotations: Float64Array,
  frameCount: number,
  boneCount: number,
): Float64Array {
  const size = 3 * boneCount;
  const turns = new Float64Array(boneCount * boneCount * 9);
  const row = new Float64Array(size);
  for (let k = 0; k < 3 * frameCount; k++) {
    const at = k * size;
    for (let a = 0; a < boneCount; a++) {
      const p = parents[a];
      for (let c = 0; c < 3; c++) row[3 * a + c] = p < 0 ? 0 : rotations[at + 3 * p + c] - rotations[at + 3 * a + c];
    }
    for (let a = 0; a < boneCount; a++) {
      for (let b = a; b < boneCount; b++) {
        const o = (a * boneCount + b) * 9;
        for (let r = 0; r < 3; r++) {
          const x = row[3 * a + r];
          turns[o + 3 * r] += x * row[3 * b];
          turns[o + 3 * r + 1] += x * row[3 * b + 1];
          turns[o + 3 * r + 2] += x * row[3 * b + 2];
        }
      }
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
