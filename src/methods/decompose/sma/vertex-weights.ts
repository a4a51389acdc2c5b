// SPDX-License-Identifier: MIT
// D. L. James and C. D. Twigg, "Skinning mesh animations", SIGGRAPH 2005, §5: influences and weights of a vertex, one vertex at a time.
//
// Influences: the K bones with the lowest single error at the vertex, γ = Σ |p − T p̄|² (Eq. 5). Weights: least squares of A w = b (Eq. 7), where column j of A
// is the path of the vertex under its j-th bone and b its own path, with Σ w = 1 (Eq. 8). Three ways:
//   nnls     w ≥ 0 (Eq. 10): an active set over the simplex
//   bounded  w ≥ −δ (Eq. 11): w = (1 + Kδ) x − δ with x in the simplex
//   tsvd     any w: w = 1/K + N y, N an orthonormal basis across (1 … 1), y the least squares of A N y = b − A 1/K by the singular values of A N above
//            10⁻⁵ |A|₂. Truncated directions keep equal weights.
//
// Difference: Eq. (9) imposes Σ w = 1 by one more row of A and normalizes the result. Here it holds exactly, all weights are treated equally as in the paper
// (N has no preferred bone), and the result does not depend on the origin. All computations use H = AᵀA: K ≤ 32.

import { eigenSymmetric } from '../../../core/algebra/eigen-symmetric.ts';
import { makeSimplexSolver } from '../../../core/algebra/simplex-least-squares.ts';
import { boneErrorsInto } from '../../../core/kernels/bones/bone-errors.ts';
import { type BoneProducts, boneProductsInto, widthOf } from '../../../core/kernels/bones/bone-products.ts';
import type { Compute, Resident } from '../../../core/kernels/compute.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import type { WeightRule } from './options.ts';

/** Bones and weights of every vertex, a fixed number each. */
export interface VertexWeights {
  influences: number;
  /** vertexCount x influences */
  bones: Uint32Array;
  /** vertexCount x influences; negative ones with tsvd and bounded */
  weights: Float64Array;
  /** Σ |A w − b|² over all vertices and frames. */
  error: number;
}

/** Singular values below this ratio of the largest are truncated (the paper's value). */
const TRUNCATE = 1e-5;

/**
 * The bones of every vertex by Eq. (5): vertexCount x influences, the best first; ties go to the lower bone.
 * @param bones 3 frameCount x 4 boneCount
 */
export async function chooseInfluences(
  compute: Compute,
  points: Trajectories,
  bones: Resident<Float64Array>,
  boneCount: number,
  products: BoneProducts,
  influences: number,
): Promise<Uint32Array> {
  const width = widthOf(boneCount);
  return compute.scope(async (memory) => {
    const errors = memory.float64(points.vertexCount * width);
    await boneProductsInto(compute, bones, boneCount, products);
    await boneErrorsInto(compute, points, bones, boneCount, products, errors);
    const gamma = errors.view();
    const chosen = new Uint32Array(points.vertexCount * influences);
    const order: number[] = Array.from({ length: boneCount }, (_, j) => j);
    for (let i = 0; i < points.vertexCount; i++) {
      const o = i * width;
      order.sort((p, q) => gamma[o + p] - gamma[o + q] || p - q);
      for (let e = 0; e < influences; e++) chosen[i * influences + e] = order[e];
    }
    return chosen;
  });
}

/**
 * Weights of every vertex for its bones.
 * @param chosen vertexCount x influences: the bones of every vertex
 * @param negativity δ of the bounded rule
 */
export function solveVertexWeights(
  points: Trajectories,
  bones: Float64Array,
  boneCount: number,
  chosen: Uint32Array,
  rule: WeightRule,
  negativity: number,
): VertexWeights {
  const { vertexCount, frameCount } = points;
  const rest = points.rest.view();
  const posed = points.posed.view();
  const rows = 3 * frameCount;
  const size = chosen.length / vertexCount;
  const weights = new Float64Array(vertexCount * size);
  const paths = new Float64Array(size * rows);
  const h = new Float64Array(size * size);
  const f = new Float64Array(size);
  const w = new Float64Array(size);
  const lower = rule === 'bounded' ? negativity : 0;
  const bounded = makeBoundedSolver(size, lower);
  const truncated = makeTruncatedSolver(size);
  let error = 0;
  for (let i = 0; i < vertexCount; i++) {
    const [x, y, z] = [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]];
    for (let a = 0; a < size; a++) {
      const j = 4 * chosen[i * size + a];
      for (let row = 0; row < rows; row++) {
        const o = row * 4 * boneCount + j;
        // relative to the vertex's own path, so that small differences are not lost: A w − b = (A − b 1ᵀ) w
        paths[a * rows + row] =
          bones[o] * x + bones[o + 1] * y + bones[o + 2] * z + bones[o + 3] - posed[i * rows + row];
      }
    }
    for (let a = 0; a < size; a++) {
      for (let b = 0; b <= a; b++) {
        let sum = 0;
        for (let row = 0; row < rows; row++) sum += paths[a * rows + row] * paths[b * rows + row];
        h[a * size + b] = h[b * size + a] = sum;
      }
    }
    if (rule === 'tsvd') truncated(h, Math.sqrt(points.squares.view()[i] * size), w);
    else bounded(h, f, w);
    weights.set(w, i * size);
    for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) error += w[a] * w[b] * h[a * size + b];
  }
  return { influences: size, bones: chosen, weights, error: Math.max(0, error) };
}

/** min wᵀHw over Σ w = 1, w ≥ −δ: with w = s x − δ, s = 1 + Kδ, it is min ½ xᵀHx − xᵀ(δ/s) H 1 over the simplex. */
function makeBoundedSolver(size: number, delta: number) {
  const solver = makeSimplexSolver(size);
  const scale = 1 + size * delta;
  return (h: Float64Array, f: Float64Array, w: Float64Array): void => {
    for (let a = 0; a < size; a++) {
      f[a] = 0;
      for (let b = 0; b < size; b++) f[a] += (delta / scale) * h[a * size + b];
      w[a] = 1 / size;
    }
    solver.solveInto(h, f, w);
    for (let a = 0; a < size; a++) w[a] = scale * w[a] - delta;
  };
}

/** min wᵀHw over Σ w = 1 by the eigenvalues of NᵀHN that are large enough: w = 1/K − N V Λ⁻¹ Vᵀ NᵀH 1/K. */
function makeTruncatedSolver(size: number) {
  const free = size - 1;
  // Helmert's basis: column c is (1, …, 1, −c, 0, …) over √(c(c + 1))
  const basis = new Float64Array(size * free);
  for (let c = 1; c < size; c++) {
    const length = Math.sqrt(c * (c + 1));
    for (let a = 0; a < c; a++) basis[a * free + c - 1] = 1 / length;
    basis[c * free + c - 1] = -c / length;
  }
  const right = new Float64Array(size);
  const projected = new Float64Array(free * free);
  const rhs = new Float64Array(free);
  return (h: Float64Array, norm: number, w: Float64Array): void => {
    w.fill(1 / size);
    if (free === 0) return;
    projected.fill(0);
    rhs.fill(0);
    for (let a = 0; a < size; a++) {
      right[a] = 0;
      for (let b = 0; b < size; b++) right[a] += h[a * size + b] / size;
      for (let p = 0; p < free; p++) {
        rhs[p] += basis[a * free + p] * right[a];
        let sum = 0;
        for (let b = 0; b < size; b++) sum += h[a * size + b] * basis[b * free + p];
        for (let q = 0; q < free; q++) projected[q * free + p] += basis[a * free + q] * sum;
      }
    }
    const { values, vectors } = eigenSymmetric(projected, free);
    for (let p = 0; p < free; p++) {
      if (!(values[p] > (TRUNCATE * norm) ** 2)) break;
      let along = 0;
      for (let q = 0; q < free; q++) along += vectors[p * free + q] * rhs[q];
      along /= values[p];
      for (let a = 0; a < size; a++)
        for (let q = 0; q < free; q++) w[a] -= along * basis[a * free + q] * vectors[p * free + q];
    }
  };
}
