// SPDX-License-Identifier: MIT
// Solves all joints of a tree at once, with fixed rotations. The position of a vertex is T_root + Σⱼ wᵢⱼ Rⱼ uᵢ + Σ_a s_ia A_a o_a with A_a = R_parent − R_a and s_ia the weight of the
// subtree below joint a (tree-moments.ts), so the error is quadratic in the joints. With s about its mean over vertices (which eliminates T_root),
//   H_ab = (Σᵢ s_ia s_ib) Σₖ A_akᵀ A_bk,   right_a = Σₖ A_akᵀ Σᵢ s_ia (vᵢₖ − Σⱼ wᵢⱼ Rⱼₖ uᵢ).
// Rotations enter only through Σₖ Rⱼₖᵀ Rₗₖ of pairs of bones, and through their products with the targets. Three kernels: the sums over subtrees, which depend on the weights only; the products of rotations; and
// the system with its springs (methods/skeleton/joints/strict-joints.ts), which a Cholesky factorization solves. Only the products are shared by threads: the others are short.

import { svd3Into } from '../../math/svd3.ts';
import { SYM4_11, SYM4_X1, SYM4_Y1, SYM4_Z1 } from '../../math/sym4.ts';
import { pairOffset, type SkinMoments } from '../bones/skin-moments.ts';
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';
import { invertRoots, listComponents, listRoots, NO_PARENT, type ResidentTree } from './tree-moments.ts';

const BONES_PER_CHUNK = 3;
/** A joint is a hinge if the smallest curvature of its error is below this ratio of the next; the strength of its spring is HOLD times that curvature. Chosen on horse-gallop and generated creatures. */
const HINGE = 0.01;
const HOLD = 1;
/** For rounding in the test by the determinant. */
const MARGIN = 1.01;
/** Minimum pivot, relative to the largest diagonal entry. */
const PIVOT_FLOOR = 1e-14;

/** Arrays of the system. */
export interface JointSystem {
  /** boneCount x boneCount: Σᵢ s_ia s_ib about the means */
  spread: Resident<Float64Array>;
  /** boneCount x boneCount x 3: Σᵢ s_ia wᵢₗ uᵢ about the means */
  firsts: Resident<Float64Array>;
  /** boneCount x (3 frameCount): Σᵢ s_ia vᵢ about the means */
  targets: Resident<Float64Array>;
  /** 3 boneCount x 3 boneCount: Σₖ Rⱼᵀ Rₗ */
  products: Resident<Float64Array>;
  /** boneCount x 3: positions to which springs pull the joints */
  anchors: Resident<Float64Array>;
  /** boneCount: factors of the absolute spring */
  factors: Resident<Float64Array>;
  /** boneCount x 9: filled with each joint's own block of H, without springs */
  blocks: Resident<Float64Array>;
  scratch: Resident<Float64Array>;
}

/** Strengths of the springs of a joint. */
export interface SpringStrengths {
  /** Relative to the mean diagonal of the joint's own block. */
  relative: number;
  /** Absolute, times the factor of the joint. */
  stiff: number;
  /** Minimum, so that the system is never singular. */
  least: number;
  /** Whether a spring acts along the axes of hinges. */
  hinges: boolean;
}

export function reserveJointSystem(compute: Compute, boneCount: number, frameCount: number): JointSystem {
  const size = 3 * boneCount;
  return {
    spread: compute.float64(boneCount * boneCount),
    firsts: compute.float64(size * boneCount),
    targets: compute.float64(size * frameCount),
    products: compute.float64(size * size),
    anchors: compute.float64(size),
    factors: compute.float64(boneCount),
    blocks: compute.float64(9 * boneCount),
    scratch: compute.float64(size * size + size + 18),
  };
}

/** A call that fills the sums over subtrees. */
export function callSubtreeMoments(
  moments: SkinMoments,
  points: number,
  tree: ResidentTree,
  { spread, firsts, targets, scratch }: JointSystem,
): KernelCall {
  const { parents, order, boneCount, rootCount } = tree;
  const rows = targets.length / boneCount;
  const skin = { pairs: moments.pairs, skinTargets: moments.targets, points };
  const args = { ...skin, parents, order, spread, firsts, targets, boneCount, rootCount, rows, scratch };
  return callOf(subtreeMomentsKernel, args, 1);
}

/**
 * Calls that solve the joints of a tree for rotations. The sums over subtrees, anchors and factors must be there.
 * @param rotations frameCount x 3 x 3 boneCount
 */
export function callJointSystem(
  rotations: Resident<Float64Array>,
  { parents, joints, boneCount }: ResidentTree,
  system: JointSystem,
  springs: SpringStrengths,
): KernelCall[] {
  const shape = { boneCount, rows: system.targets.length / boneCount };
  const turned = { rotations, products: system.products, ...shape, chunkSize: BONES_PER_CHUNK };
  return [
    callOf(rotationProductsKernel, turned, Math.ceil(boneCount / BONES_PER_CHUNK)),
    callOf(jointSystemKernel, { rotations, ...system, parents, joints, ...shape, ...springs }, 1),
  ];
}

/** One chunk. */
export const subtreeMomentsKernel = kernel(
  'subtreeMoments',
  {
    /** moments of the skin */
    pairs: 'f64',
    skinTargets: 'f64',
    parents: 'u32',
    order: 'u32',
    spread: 'f64',
    firsts: 'f64',
    targets: 'f64',
    boneCount: 'int',
    rootCount: 'int',
    rows: 'int',
    points: 'int',
    scratch: 'f64',
  },
  ({
    pairs,
    skinTargets: given,
    parents,
    order,
    spread,
    firsts,
    targets,
    boneCount: count,
    rootCount,
    rows,
    points,
  }) => {
    for (let j = 0; j < count; j++) {
      for (let l = 0; l < count; l++) {
        const p = pairOffset(count, j, l);
        const o = j * count + l;
        spread[o] = pairs[p + SYM4_11];
        firsts[3 * o] = pairs[p + SYM4_X1];
        firsts[3 * o + 1] = pairs[p + SYM4_Y1];
        firsts[3 * o + 2] = pairs[p + SYM4_Z1];
      }
      for (let row = 0; row < rows; row++) targets[j * rows + row] = given[(j * rows + row) * 4 + 3];
    }
    for (let n = count - 1; n > 0; n--) {
      const [from, to] = [order[n], parents[order[n]]];
      if (to === NO_PARENT) continue;
      addRow(spread, from, to, count);
      addRow(firsts, from, to, 3 * count);
      addRow(targets, from, to, rows);
    }
    const components = listComponents({ parents, order });
    /** count x rootCount: Σᵢ s_ia s_ic */
    const shares = new Float64Array(count * rootCount);
    for (let a = 0; a < count; a++) {
      for (let l = 0; l < count; l++) shares[a * rootCount + components[l]] += spread[a * count + l];
      for (let n = count - 1; n > 0; n--)
        if (parents[order[n]] !== NO_PARENT) spread[a * count + parents[order[n]]] += spread[a * count + order[n]];
    }
    // the subtree of a root is its component
    const roots = listRoots({ parents, order });
    const matrix = Float64Array.from(roots.flatMap((j) => [...shares.subarray(j * rootCount, (j + 1) * rootCount)]));
    const inverse = rootCount > 1 ? invertRoots(matrix, rootCount, points) : undefined;
    for (let a = 0; a < count; a++) {
      if (parents[a] === NO_PARENT) continue;
      for (let c = 0; c < rootCount; c++) {
        let part = inverse ? 0 : shares[a] / points;
        for (let d = 0; inverse && d < rootCount; d++) part += shares[a * rootCount + d] * inverse[d * rootCount + c];
        for (let b = 0; b < count; b++)
          spread[a * count + b] -= inverse ? part * shares[b * rootCount + c] : (shares[a] * shares[b]) / points;
        for (let e = 0; e < 3 * count; e++) firsts[3 * a * count + e] -= part * firsts[3 * roots[c] * count + e];
        for (let row = 0; row < rows; row++) targets[a * rows + row] -= part * targets[roots[c] * rows + row];
      }
    }
  },
);

function addRow(table: Float64Array, from: number, to: number, width: number): void {
  for (let e = 0; e < width; e++) table[to * width + e] += table[from * width + e];
}

export const rotationProductsKernel = kernel(
  'rotationProducts',
  {
    /** rows x 3 boneCount */
    rotations: 'f64',
    /** 3 boneCount x 3 boneCount, filled */
    products: 'f64',
    boneCount: 'int',
    rows: 'int',
    chunkSize: 'int',
  },
  ({ rotations: x, products, boneCount: count, rows, chunkSize }, chunk) => {
    const size = 3 * count;
    for (let a = 3 * chunk * chunkSize; a < Math.min(size, 3 * (chunk + 1) * chunkSize); a++) {
      for (let b = a; b < size; b++) {
        let sum = 0;
        for (let row = 0; row < rows; row++) sum += x[row * size + a] * x[row * size + b];
        products[a * size + b] = products[b * size + a] = sum;
      }
    }
  },
);

/** One chunk. */
export const jointSystemKernel = kernel(
  'jointSystem',
  {
    /** rows x 3 boneCount */
    rotations: 'f64',
    products: 'f64',
    spread: 'f64',
    firsts: 'f64',
    targets: 'f64',
    parents: 'u32',
    anchors: 'f64',
    factors: 'f64',
    /** boneCount x 3, filled */
    joints: 'f64',
    /** boneCount x 9, filled */
    blocks: 'f64',
    boneCount: 'int',
    rows: 'int',
    relative: 'float',
    stiff: 'float',
    least: 'float',
    hinges: 'bool',
    scratch: 'f64',
  },
  ({
    rotations: x,
    products,
    spread,
    firsts,
    targets,
    parents,
    anchors,
    factors,
    joints,
    blocks,
    boneCount: count,
    rows,
    relative,
    stiff,
    least,
    hinges,
  }) => {
    const size = 3 * count;
    const h = new Float64Array(size * size);
    const right = new Float64Array(size);
    for (let a = 0; a < count; a++) {
      const p = parents[a];
      if (p === NO_PARENT) continue;
      for (let b = 0; b <= a; b++) {
        const q = parents[b];
        if (q === NO_PARENT) continue;
        for (let r = 0; r < 3; r++) {
          const [of, own] = [(3 * p + r) * size, (3 * a + r) * size];
          for (let c = 0; c < 3; c++) {
            const [to, from] = [3 * q + c, 3 * b + c];
            h[own + from] =
              spread[a * count + b] *
              (products[of + to] - products[of + from] - products[own + to] + products[own + from]);
          }
        }
      }
      for (let r = 0; r < 3; r++) {
        const [of, own] = [3 * p + r, 3 * a + r];
        let sum = 0;
        for (let row = 0; row < rows; row++)
          sum += (x[row * size + of] - x[row * size + own]) * targets[a * rows + row];
        for (let e = 0; e < size; e++)
          sum -= (products[of * size + e] - products[own * size + e]) * firsts[a * size + e];
        right[own] = sum;
      }
    }
    let largest = 0;
    for (let a = 0; a < count; a++) {
      const d = 3 * a;
      for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) blocks[9 * a + 3 * r + c] = h[(d + r) * size + d + c];
      const trace = blocks[9 * a] + blocks[9 * a + 4] + blocks[9 * a + 8];
      const pull = (relative * trace) / 3 + stiff * factors[a] + least;
      for (let r = d; r < d + 3; r++) {
        h[r * size + r] += pull;
        right[r] += pull * anchors[r];
      }
      if (hinges && parents[a] !== NO_PARENT) holdHinge(h, right, blocks, anchors, a, size);
      for (let r = d; r < d + 3; r++) largest = Math.max(largest, h[r * size + r]);
    }
    solveCholesky(h, right, size, PIVOT_FLOOR * largest);
    for (let e = 0; e < size; e++) joints[e] = parents[Math.floor(e / 3)] === NO_PARENT ? 0 : right[e];
  },
);

/** Solves a symmetric system of which the lower triangle is given, in place. Pivots are at least the floor. */
function solveCholesky(h: Float64Array, right: Float64Array, size: number, floor: number): void {
  for (let j = 0; j < size; j++) {
    for (let i = j; i < size; i++) {
      let sum = h[i * size + j];
      for (let c = 0; c < j; c++) sum -= h[i * size + c] * h[j * size + c];
      h[i * size + j] = i === j ? Math.sqrt(sum > floor ? sum : floor) : sum / h[j * size + j];
    }
  }
  for (let i = 0; i < size; i++) {
    for (let c = 0; c < i; c++) right[i] -= h[i * size + c] * right[c];
    right[i] /= h[i * size + i];
  }
  for (let i = size - 1; i >= 0; i--) {
    right[i] /= h[i * size + i];
    for (let c = 0; c < i; c++) right[c] -= h[i * size + c] * right[i];
  }
}

/** Adds the spring along the axis of a hinge to H and the right side, if the joint is a hinge. */
function holdHinge(
  h: Float64Array,
  right: Float64Array,
  blocks: Float64Array,
  anchors: Float64Array,
  a: number,
  size: number,
): void {
  const block = blocks.subarray(9 * a, 9 * a + 9);
  if (isNoHinge(block)) return;
  // the singular values of a symmetric matrix without negative curvature are its eigenvalues
  const [values, axes] = [new Float64Array(3), new Float64Array(9)];
  svd3Into(block, new Float64Array(9), values, axes);
  if (!(values[2] < HINGE * values[1])) return;
  const axis = axes.subarray(6, 9);
  const pull = HOLD * values[2];
  let along = 0;
  for (let r = 0; r < 3; r++) along += axis[r] * anchors[3 * a + r];
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
