// SPDX-License-Identifier: MIT
// Solves all joints of a tree at once, with fixed rotations. The position of a vertex is T_root + Σⱼ wᵢⱼ Rⱼ uᵢ + Σ_a s_ia A_a o_a with A_a = R_parent − R_a and s_ia the weight of the
// subtree below joint a (strict-moments.ts), so the error is quadratic in the joints. With s about its mean over vertices (which eliminates T_root),
//   H_ab = (Σᵢ s_ia s_ib) Σₖ A_akᵀ A_bk,   right_a = Σₖ A_akᵀ Σᵢ s_ia (vᵢₖ − Σⱼ wᵢⱼ Rⱼₖ uᵢ).
// Rotations enter only through Σₖ Rⱼₖᵀ Rₗₖ of pairs of bones, and through their products with the targets.
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
import type { JointTree } from './joint-tree.ts';

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
/** For rounding in the test by the determinant. */
const MARGIN = 1.01;

/** Solves the joints of trees with a number of bones and frames. Memory is allocated once: a search of structure solves joints hundreds of times. */
export class StrictJoints {
  readonly #boneCount: number;
  readonly #frameCount: number;
  readonly #h: Float64Array;
  readonly #right: Float64Array;
  /** 3 boneCount x (3 frameCount): columns of the rotations */
  readonly #columns: Float64Array;
  /** 3 boneCount x 3 boneCount: Σₖ Rⱼᵀ Rₗ */
  readonly #products: Float64Array;
  /** boneCount x boneCount each: Σᵢ s_ia wᵢₗ, then Σᵢ s_ia s_ib about the means */
  readonly #shared: Float64Array;
  readonly #spread: Float64Array;
  /** boneCount x boneCount x 3: Σᵢ s_ia wᵢₗ uᵢ about the means */
  readonly #firsts: Float64Array;
  /** boneCount x (3 frameCount): Σᵢ s_ia vᵢ about the means */
  readonly #targets: Float64Array;
  /** boneCount: Σᵢ s_ia */
  readonly #shares: Float64Array;

  constructor(boneCount: number, frameCount: number) {
    const size = 3 * boneCount;
    this.#boneCount = boneCount;
    this.#frameCount = frameCount;
    this.#h = new Float64Array(size * size);
    this.#right = new Float64Array(size);
    this.#columns = new Float64Array(size * 3 * frameCount);
    this.#products = new Float64Array(size * size);
    this.#shared = new Float64Array(boneCount * boneCount);
    this.#spread = new Float64Array(boneCount * boneCount);
    this.#firsts = new Float64Array(3 * boneCount * boneCount);
    this.#targets = new Float64Array(3 * boneCount * frameCount);
    this.#shares = new Float64Array(boneCount);
  }

  /**
   * Solves the joints of a tree in place; its root has none. The moments of the fit must be those of its weights.
   * @param rotations frameCount x 3 x 3 boneCount
   */
  solve(fit: SkinFit, tree: JointTree, rotations: Float64Array, springs: JointSprings): void {
    const { parents } = tree;
    const size = 3 * this.#boneCount;
    if (this.#boneCount < 2) return;
    this.#sumSubtrees(fit, tree);
    this.#multiplyRotations(rotations);
    this.#putSystem(parents);
    const [h, right] = [this.#h, this.#right];
    const stiff = (springs.absolute * fit.error) / (this.#boneCount * (REACH * springs.size) ** 2);
    const minSpring = MIN_SPRING * fit.trajectories.vertexCount * this.#frameCount;
    for (let a = 0; a < this.#boneCount; a++) {
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
    for (let a = 0; a < this.#boneCount; a++)
      for (let r = 0; r < 3; r++) tree.joints[3 * a + r] = parents[a] < 0 ? 0 : right[3 * a + r];
  }

  /** Sums of the moments over subtrees, about their means. */
  #sumSubtrees(fit: SkinFit, { parents, order }: JointTree): void {
    const count = this.#boneCount;
    const [shared, spread, firsts, shares] = [this.#shared, this.#spread, this.#firsts, this.#shares];
    const pairs = fit.moments.pairs.view();
    const given = fit.moments.targets.view();
    const rows = 3 * this.#frameCount;
    const targets = this.#targets;
    for (let j = 0; j < count; j++) {
      for (let l = 0; l < count; l++) {
        const p = pairOffset(count, j, l);
        const o = j * count + l;
        shared[o] = pairs[p + SYM4_11];
        firsts[3 * o] = pairs[p + SYM4_X1];
        firsts[3 * o + 1] = pairs[p + SYM4_Y1];
        firsts[3 * o + 2] = pairs[p + SYM4_Z1];
      }
      for (let row = 0; row < rows; row++) targets[j * rows + row] = given[(j * rows + row) * 4 + 3];
    }
    for (let n = count - 1; n > 0; n--) {
      const [from, to] = [order[n], parents[order[n]]];
      addRow(shared, from, to, count);
      addRow(firsts, from, to, 3 * count);
      addRow(targets, from, to, rows);
    }
    for (let a = 0; a < count; a++) {
      shares[a] = 0;
      for (let l = 0; l < count; l++) {
        spread[a * count + l] = shared[a * count + l];
        shares[a] += shared[a * count + l];
      }
      for (let n = count - 1; n > 0; n--) spread[a * count + parents[order[n]]] += spread[a * count + order[n]];
    }
    // the root's subtree is the whole body
    const root = order[0];
    const points = fit.trajectories.vertexCount;
    for (let a = 0; a < count; a++) {
      for (let b = 0; b < count; b++) spread[a * count + b] -= (shares[a] * shares[b]) / points;
      if (a === root) continue;
      const part = shares[a] / points;
      for (let e = 0; e < 3 * count; e++) firsts[3 * a * count + e] -= part * firsts[3 * root * count + e];
      for (let row = 0; row < rows; row++) targets[a * rows + row] -= part * targets[root * rows + row];
    }
  }

  /** Σₖ Rⱼᵀ Rₗ, three columns of three bones at a time so that the sums of a block stay in registers. */
  #multiplyRotations(rotations: Float64Array): void {
    const size = 3 * this.#boneCount;
    const rows = 3 * this.#frameCount;
    const [columns, products] = [this.#columns, this.#products];
    for (let k = 0; k < rows; k++) for (let e = 0; e < size; e++) columns[e * rows + k] = rotations[k * size + e];
    for (let a = 0; a < size; a += 3) {
      const x = a * rows;
      for (let b = a; b < size; b += 3) {
        const y = b * rows;
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
        let o = a * size + b;
        products[o] = t0;
        products[o + 1] = t1;
        products[o + 2] = t2;
        o += size;
        products[o] = t3;
        products[o + 1] = t4;
        products[o + 2] = t5;
        o += size;
        products[o] = t6;
        products[o + 1] = t7;
        products[o + 2] = t8;
      }
    }
    for (let e = 0; e < size; e++) for (let f = 0; f < e; f++) products[e * size + f] = products[f * size + e];
  }

  /** H and the right side, from A_a = R_parent − R_a. */
  #putSystem(parents: Int32Array): void {
    const count = this.#boneCount;
    const size = 3 * count;
    const rows = 3 * this.#frameCount;
    const [h, right, products, columns] = [this.#h, this.#right, this.#products, this.#columns];
    right.fill(0);
    for (let a = 0; a < count; a++) {
      const p = parents[a];
      for (let b = 0; b < count; b++) {
        const q = parents[b];
        const s = p < 0 || q < 0 ? 0 : this.#spread[a * count + b];
        for (let r = 0; r < 3; r++) {
          for (let c = 0; c < 3; c++) {
            const turn =
              s === 0
                ? 0
                : products[(3 * p + r) * size + 3 * q + c] -
                  products[(3 * p + r) * size + 3 * b + c] -
                  products[(3 * a + r) * size + 3 * q + c] +
                  products[(3 * a + r) * size + 3 * b + c];
            h[(3 * a + r) * size + 3 * b + c] = s * turn;
          }
        }
      }
      if (p < 0) continue;
      for (let r = 0; r < 3; r++) {
        const [of, own] = [3 * p + r, 3 * a + r];
        let sum = 0;
        for (let row = 0; row < rows; row++)
          sum += (columns[of * rows + row] - columns[own * rows + row]) * this.#targets[a * rows + row];
        for (let e = 0; e < size; e++)
          sum -= (products[of * size + e] - products[own * size + e]) * this.#firsts[a * size + e];
        right[own] = sum;
      }
    }
  }
}

function addRow(table: Float64Array, from: number, to: number, width: number): void {
  for (let e = 0; e < width; e++) table[to * width + e] += table[from * width + e];
}

/** Adds the spring along the axis of a hinge to H and the right side, if the joint is a hinge. */
function holdHinge(h: Float64Array, right: Float64Array, springs: JointSprings, a: number, size: number): void {
  const block = springs.blocks.subarray(9 * a, 9 * a + 9);
  if (isNoHinge(block)) return;
  const { values, vectors } = eigenSymmetric(block, 3);
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

/** Whether the determinant shows that a joint is no hinge. With the invariants e₁ = Σλ, e₂ = λ₁λ₂ + λ₁λ₃ + λ₂λ₃ and e₃ = λ₁λ₂λ₃ of a block, λ₃ ≥ e₃ / e₂, and λ₂ ≤ 3 e₂ / e₁ since λ₁ ≥ e₁ / 3. */
export function isNoHinge([xx, xy, xz, , yy, yz, , , zz]: Float64Array): boolean {
  const e1 = xx + yy + zz;
  const [minor, corner, side] = [yy * zz - yz * yz, xx * zz - xz * xz, xx * yy - xy * xy];
  const e2 = minor + corner + side;
  const e3 = xx * minor - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  return e1 * e3 > MARGIN * HINGE * 3 * e2 * e2;
}
